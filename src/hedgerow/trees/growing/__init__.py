"""Growing a tree: one growth for whole records and for fractions."""
