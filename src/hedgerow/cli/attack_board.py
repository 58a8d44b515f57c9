"""What attacks found out, for a person: two lines for each, members and others, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.attacks.trying import Attacks

__all__ = ["show_attacks"]

_SHARES: Final = ("precision", "recall", "false_positives")


def show_attacks(console: Console, found: Attacks, remarks: Sequence[str] = ()) -> None:
    """Print the attacks, a verdict on each, and why others were not tried."""
    rows: list[dict[str, Any]] = found.to_dict()["attacks"]
    if rows:
        console.print(_table(rows))
        console.print(
            Text(
                "Precision: claims that are right. Recall: people of whom something is claimed rightly. False: people "
                "of whom something is claimed wrongly.",
                "dim",
            )
        )
    for row in rows:
        console.print(Text.assemble((f"{row['attack']} ", "bold"), _verdict(row)), soft_wrap=True)
        for remark in row["remarks"]:
            console.print(Text(f"  {remark}"), soft_wrap=True)
    for one in found.skipped:
        console.print(Text.assemble((f"{one.attack} ", "bold"), f"was not tried. {one.reason}"), soft_wrap=True)
    for remark in (*found.remarks, *remarks):
        console.print(Text(remark, "yellow"), soft_wrap=True)


def _verdict(row: Mapping[str, Any]) -> tuple[str, str]:
    """What there is to say of an attack, and how it looks."""
    if row["verdict"] == "works":
        return "finds out more of the table's people than of others.", "bold yellow"
    seen = f"an excess of {max(100 * row['detectable'], 0.1):.3g} points"
    if row["verdict"] == "finds nothing":
        return f"finds out nothing beyond chance: {seen} would have been seen.", "bold"
    return f"has too few people to say anything: not even {seen} is sure to be seen.", "bold yellow"


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="cyan")
    for name in ("attack", "claim", "of"):
        table.add_column(name)
    for name in ("people", "precision", "recall", "false", "excess in points"):
        table.add_column(name, justify="right")
    for row in rows:
        for who, said in (("members", "members"), ("control", "others")):
            first = who == "members"
            table.add_row(
                Text(row["attack"] if first else ""),
                Text(row["claim"] if first else ""),
                said,
                f"{row[f'{who}_people']:,}",
                *(_share(row[f"{who}_{name}"]) for name in _SHARES),
                _excess(row) if first else "",
            )
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.3g} %"


def _excess(row: dict[str, Any]) -> str:
    value, low, high = (f"{100 * row[name] + 0.0:.3g}" for name in ("excess", "excess_low", "excess_high"))
    return f"{value} ({low} to {high})"
