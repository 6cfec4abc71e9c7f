"""From a Dataset to ParentSets: the scores, and scoring in memory, to a file or on an executor."""
