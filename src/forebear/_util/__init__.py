"""General helpers, independent of networks: errors, checks, files, text, the machine, executors."""
