"""ParentSets: the candidate parent sets of every variable, best first, and their files."""
