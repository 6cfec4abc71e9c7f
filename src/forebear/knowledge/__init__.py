"""What is known about a network before it is learnt: arcs, orders, ancestors, tiers and limits."""
