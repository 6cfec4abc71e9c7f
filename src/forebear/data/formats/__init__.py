"""Files of tables, one module per format."""
