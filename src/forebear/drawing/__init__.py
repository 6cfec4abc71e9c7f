"""Pictures of networks as SVG."""
