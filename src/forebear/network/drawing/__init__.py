"""Drawing of networks as SVG: layers, places of nodes, routes of arcs."""
