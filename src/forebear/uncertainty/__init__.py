"""How sure an arc is."""
