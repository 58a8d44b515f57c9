"""Boxes around records: how columns are laid out for kernels, what a box loses, and improving a partition by it."""
