"""``hedgerow methods``: the methods and their parameters, without importing scikit-learn or numba."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from hedgerow.anonymizers.parameters import Parameter
from hedgerow.anonymizers.registry import all_methods
from hedgerow.cli._screen import screen

__all__ = ["show_methods"]


def show_methods() -> None:
    """Print a table of the methods and, below it, their parameters."""
    console = screen()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("method", "family", "guarantees", "paper"):
        table.add_column(heading, no_wrap=heading in ("method", "family"))
    for method in all_methods().values():
        table.add_row(method.name, method.family, method.guarantees, method.paper)
    console.print(table)
    for method in all_methods().values():
        if method.parameters():
            console.print(f"\nParameters of {method.name} (--set name=value)", style="bold")
            console.print(_parameters(method.parameters()))
        for preset, values in method.presets.items():
            if values:
                console.print(f"  --preset {preset} sets {', '.join(f'{name}={one}' for name, one in values.items())}")


def _parameters(parameters: Mapping[str, Parameter]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, parameter in parameters.items():
        table.add_row(f"  {name}", parameter.values, _in_short(parameter.meaning))
    return table


def _in_short(meaning: str) -> str:
    """The first sentence, without its capital letter and full stop."""
    first = meaning.partition(". ")[0].rstrip(".").replace("``", "")
    return first[:1].lower() + first[1:]
