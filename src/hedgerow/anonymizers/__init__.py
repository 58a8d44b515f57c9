"""Anonymizers: the methods, in families, on one line from a table to a verified release."""
