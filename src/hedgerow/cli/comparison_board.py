"""What a comparison found, for a person: the choices, which one to take, and where all of it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.comparison.choices import Choice, limit_told
from hedgerow.comparison.measures import Measure
from hedgerow.comparison.page import options_for
from hedgerow.comparison.results import Comparison
from hedgerow.errors import amount

__all__ = ["show_comparison"]


def show_comparison(
    console: Console, comparison: Comparison, output: Path, cells: Path, remarks: Sequence[str] = ()
) -> None:
    """Print the choices, the recommendation, what is not finished, and where the page is."""
    measured = comparison.measured
    learnt = f"; {', '.join(measured.learners)} by {measured.protocol}" if measured.learners else ""
    console.print(
        Text(f"{amount(len(comparison.choices), 'choices')} on {amount(measured.rows, 'rows')}{learnt}.", "bold"),
        soft_wrap=True,
    )
    console.print(_table(comparison))
    console.print(Text("● on the frontier: nothing else is better in risk or utility and no worse in the other."))
    for line in (*_reasons(comparison), *remarks):
        console.print(Text(line), soft_wrap=True)
    found = comparison.recommendation
    title = "No choice is recommended. " if found.choice is None else f"Take {found.choice.label}. "
    console.print(Text.assemble((title, "bold"), found.reason), soft_wrap=True)
    if found.choice is not None:
        console.print(Text(f"  hedgerow anonymize … {options_for(comparison, found.choice)}"), soft_wrap=True)
    if measured.finished < measured.cells:
        why = "The time is over" if measured.stopped == "time" else "Stopped"
        console.print(
            Text(
                f"{why}: {measured.finished:,} of {measured.cells:,} cells are finished. The same command goes on "
                "where it was.",
                "yellow",
            ),
            soft_wrap=True,
        )
    console.print(Text(f"Page: {output}. Finished cells, for another run: {cells} (private)."), soft_wrap=True)


def _table(comparison: Comparison) -> Table:
    shown = _columns(comparison)
    limits = any(one.suppression_limit for one in comparison.choices)
    table = Table(box=None, pad_edge=False, header_style="cyan")
    table.add_column("")
    table.add_column("method")
    table.add_column("k", justify="right")
    if limits:
        table.add_column("may lose", justify="right")
    for name in ("smallest\nclass", *(one.name.replace("_", "\n") for one in shown), "rows\nlost"):
        table.add_column(Text(name), justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    front, chosen = comparison.frontier(), comparison.recommendation.choice
    for one in comparison.choices:
        table.add_row(
            "★" if one is chosen else "●" if one in front else "",
            Text(one.method),
            "" if one.k is None else f"{one.k:,}",
            *([limit_told(one.suppression_limit)] if limits else []),
            "–" if one.k_reached is None else f"{one.k_reached:,}",
            *(one.told(measure) for measure in shown),
            "–" if one.rows_lost is None else f"{one.rows_lost:.0%}",
            one.status,
            style="bold" if one is chosen else None,
        )
    return table


def _columns(comparison: Comparison) -> list[Measure]:
    """So many measures as fit on a line: two risks, the score, and what is kept of detail."""
    names = dict.fromkeys((comparison.risk.name, "average_risk", comparison.utility.name, "ncp_kept"))
    return [one for name in names for one in comparison.measures if one.name == name]


def _reasons(comparison: Comparison) -> Iterator[str]:
    """Why choices have no release or no score, each reason once."""
    told: dict[str, list[Choice]] = {}
    for one in comparison.choices:
        for text in (*([one.reason] if one.reason else []), *one.warnings):
            told.setdefault(text, []).append(one)
    for text, choices in told.items():
        yield f"{'; '.join(one.label for one in choices)}: {text}"
