"""Files of networks, one module per format."""
