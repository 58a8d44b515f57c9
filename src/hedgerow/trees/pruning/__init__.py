"""Cutting a grown tree back: collapsing, and C4.5's pessimistic pruning with and without raising of subtrees."""
