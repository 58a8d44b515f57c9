"""``hedgerow compare``: methods, k and suppression side by side, on the screen, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._evaluating import typed_protocol, unless_it_fails
from hedgerow.cli._lists import read_delimiter, read_duration, read_ks, read_suppression_limit, split_names
from hedgerow.cli._outcome import Stopped
from hedgerow.cli._roles import find_hierarchies, named_quasi, read_roles, schema_of
from hedgerow.comparison.choices import Choice, Measure, limit_text
from hedgerow.comparison.page import options_for
from hedgerow.comparison.results import Comparison
from hedgerow.errors import BadInput, plural
from hedgerow.io.atomic import check_place, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from hedgerow.comparison.plan import Plan
    from hedgerow.comparison.results import Stop
    from hedgerow.evaluation.store import Store

__all__ = ["run", "show_comparison"]


# --------------------------------------------------------------------------------------------------
# What a comparison found, for a person: the choices, which one to take, and where all of it is.


def show_comparison(
    console: Console, comparison: Comparison, output: Path, cells: Path, remarks: Sequence[str] = ()
) -> None:
    """Print the choices, the recommendation, what is not finished, and where the page is."""
    measured = comparison.measured
    learnt = f"; {', '.join(measured.learners)} by {measured.protocol}" if measured.learners else ""
    console.print(
        Text(f"{plural(len(comparison.choices), 'choices')} on {plural(measured.rows, 'rows')}{learnt}.", "bold"),
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
            *([limit_text(one.suppression_limit)] if limits else []),
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


def run(**given: Any) -> None:
    """Compare; what can be refused without reading the table is refused first."""
    roles = read_roles(given)
    methods, learners = (split_names(given[name], f"--{name}") for name in ("methods", "learners"))
    quasi = named_quasi(roles["quasi"])
    ks = read_ks(given["k"], given["require"])
    seconds = None if given["time_limit"] is None else read_duration(given["time_limit"], "--time-limit")
    if given["workers"] is not None and given["workers"] < 1:
        raise BadInput.parameter("--workers", "hedgerow compare", "a whole number >= 1", given["workers"])
    limits = [read_suppression_limit(one, "hedgerow compare") for one in _split(given["suppression_limit"])]
    found = find_hierarchies(given["hierarchies"], quasi)
    schema = schema_of(roles, found.files)
    output, cells = _places(given["output"], force=given["force"])
    for path in (output, cells):
        refuse_overwriting(path, find_table(given["table"]).reads, "--output")

    from hedgerow.cli._screen import screen
    from hedgerow.comparison.api import Options, make_plan
    from hedgerow.engines import File
    from hedgerow.evaluation.store import Store

    store = Store(cells)
    file = File(
        given["table"],
        encoding=given["encoding"],
        delimiter=read_delimiter(given["delimiter"]),
        decimal=given["decimal"],
        sheet=given["sheet"],
    )
    options = Options(
        methods=methods,
        k=ks,
        suppression_limit=limits or None,
        require=given["require"] or (),
        learners=learners,
        protocol=None if given["protocol"] is None else typed_protocol(given["protocol"]),
        train=given["train"],
        test=given["test"],
        target_bins=given["target_bins"],
        risk_threshold=given["risk_threshold"],
        random_state=given["seed"],
    )
    plan = make_plan(file, schema, options)
    with unless_it_fails(cells):
        ended = _run(plan, store, seconds, given)
        comparison = plan.result(store, stopped=ended)
    comparison.report(output, overwrite=True)
    if given["as_json"]:
        typer.echo(json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False))
    elif not given["quiet"]:
        show_comparison(screen(), comparison, output, cells, found.remarks)
    if ended == "interrupted":
        done = comparison.measured
        raise Stopped(
            f"{done.finished:,} of {done.cells:,} cells are finished and kept in {str(cells)!r}. The same command goes "
            "on where it was."
        )


def _run(plan: Plan, store: Store, seconds: float | None, given: Mapping[str, Any]) -> Stop:
    """Run it, and say why it ended early, if it did."""
    from hedgerow.cli._screen import counting_bar

    with counting_bar(quiet=given["quiet"]) as advance:
        try:
            whole = plan.run(store, workers=given["workers"], seconds=seconds, advance=advance)
        except Stopped:
            return "interrupted"
    return "" if whole else "time"


def _split(typed: str | None) -> list[str]:
    return [] if typed is None else [one.strip() for one in typed.split(",")]


def _places(typed: str, *, force: bool) -> tuple[Path, Path]:
    output = Path(typed)
    if output.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"The page is written as HTML, not to {typed!r}. Name a file that ends in .html (--output).")
    check_place(output)
    if not force:
        refuse_existing(output)
    return output, output.with_suffix(".cells.jsonl")
