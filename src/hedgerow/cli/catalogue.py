"""``hedgerow methods``: what there is to choose from, read from the registry without importing a method."""

from __future__ import annotations

from rich.table import Table

from hedgerow.anonymizers.parameters import Parameter
from hedgerow.anonymizers.registry import METHODS
from hedgerow.cli.screen import screen

__all__ = ["show_methods"]


def show_methods() -> None:
    """Print a table of the methods and, below it, their parameters."""
    console = screen()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("method", "family", "guarantees", "paper"):
        table.add_column(heading, no_wrap=heading in ("method", "family"))
    for method in METHODS.values():
        table.add_row(method.name, method.family, method.guarantees, method.paper)
    console.print(table)
    for method in METHODS.values():
        if method.parameters:
            console.print(f"\nParameters of {method.name} (--set name=value)", style="bold")
            console.print(_parameters(method.parameters))


def _parameters(parameters: tuple[Parameter, ...]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for parameter in parameters:
        table.add_row(f"  {parameter.name}", parameter.values, parameter.meaning)
    return table
