"""Specialization and generalization guided by the class: TDS and TDR go down the taxonomies, BUG goes up."""
