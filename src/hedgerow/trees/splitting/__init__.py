"""What a split is worth and where it sends the records, compiled; the same for whole records and for fractions."""
