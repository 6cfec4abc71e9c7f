"""Knowledge about a network before it is learned: arcs, orders, ancestors, tiers and limits."""
