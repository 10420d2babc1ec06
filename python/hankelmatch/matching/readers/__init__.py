"""How graphs that are not matrices are read."""
