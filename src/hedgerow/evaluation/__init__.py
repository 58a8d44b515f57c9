"""Evaluation: what can still be learnt from a table once it is published."""
