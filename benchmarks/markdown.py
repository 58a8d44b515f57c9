"""Printing a Markdown table, row by row as it is measured."""

from __future__ import annotations


def row(*cells: object) -> None:
    """Print a row."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells: str) -> None:
    """Print the head."""
    row(*cells)
    row(*("---" for _ in cells))
