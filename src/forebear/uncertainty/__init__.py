"""How probable the arcs of a network are."""
