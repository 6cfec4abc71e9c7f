"""Pictures of networks, and the page that tells how a result came about."""
