"""From a Dataset to ParentSets: scores, costs, and scoring in memory, out of core or elsewhere."""
