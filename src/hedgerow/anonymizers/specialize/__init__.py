"""Specialization and generalization guided by the label: TDS and TDR go down the taxonomies, BUG goes up."""
