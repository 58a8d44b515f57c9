"""``hedgerow compare``: methods, k and suppression side by side, on the screen, as JSON and as a page."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._evaluate import OWN, completed, of_job, requirements_of, typed_protocol, unless_it_fails
from hedgerow.cli._job import Job, joined, named_table
from hedgerow.cli._lists import read_duration, read_ks, read_suppression_limit, split_names
from hedgerow.cli._outcome import Stopped
from hedgerow.cli._roles import hierarchies_of, named_quasi, schema_of, typed_file
from hedgerow.errors import BadInput, plural
from hedgerow.io.atomic import check_place, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from hedgerow.comparison.choices import Choice, Measure
    from hedgerow.comparison.plan import Plan
    from hedgerow.comparison.results import Comparison, Stop
    from hedgerow.evaluation.store import Store

__all__ = ["run"]


# --------------------------------------------------------------------------------------------------
# What a person reads: the choices, the recommendation, and where the files are.


def _show_comparison(
    console: Console, comparison: Comparison, output: Path, cells: Path, remarks: Sequence[str] = ()
) -> None:
    """Print the choices, the recommendation, what is not finished, and where the page is."""
    from hedgerow.comparison.page import options_for, same_releases

    measured = comparison.measured
    learnt = f"; {', '.join(measured.learners)} by {measured.protocol}" if measured.learners else ""
    console.print(
        Text(f"{plural(len(comparison.choices), 'choices')} on {plural(measured.rows, 'rows')}{learnt}.", "bold"),
        soft_wrap=True,
    )
    console.print(_table(comparison))
    console.print(Text("● on the frontier: no other choice is better in risk or utility and no worse in the other."))
    for line in (*_reasons(comparison), *same_releases(comparison), *remarks):
        console.print(Text(line), soft_wrap=True)
    recommendation = comparison.recommendation
    choice = recommendation.choice
    title = "No choice is recommended. " if choice is None else f"Take {choice.label}. "
    console.print(Text.assemble((title, "bold"), recommendation.reason), soft_wrap=True)
    if choice is not None:
        console.print(Text(f"  hedgerow anonymize … {options_for(comparison, choice)}"), soft_wrap=True)
    if measured.finished < measured.cells:
        why = "The time is over" if measured.stopped == "time" else "Stopped"
        console.print(
            Text(
                f"{why}: {measured.finished:,} of {measured.cells:,} cells are finished. Type the same command again "
                "to continue.",
                "yellow",
            ),
            soft_wrap=True,
        )
    console.print(Text(f"Page: {output}. Finished cells, for another run: {cells} (private)."), soft_wrap=True)


def _table(comparison: Comparison) -> Table:
    measures = _measures(comparison)
    limits = any(choice.suppression_limit for choice in comparison.choices)
    numbers = ("smallest\nclass", *(measure.name.replace("_", "\n") for measure in measures), "rows\nlost")
    table = Table(box=None, pad_edge=False, header_style="cyan")
    table.add_column("")
    table.add_column("method")
    for name in ("k", "may lose") if limits else ("k",):
        table.add_column(name, justify="right")
    for name in numbers:
        table.add_column(Text(name), justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    frontier, recommended = comparison.frontier(), comparison.recommendation.choice
    for choice in comparison.choices:
        mark = "★" if choice is recommended else "●" if choice in frontier else ""
        style = "bold" if choice is recommended else None
        table.add_row(mark, *_cells(choice, measures, limits=limits), style=style)
    return table


def _cells(choice: Choice, measures: Sequence[Measure], *, limits: bool) -> Iterator[str | Text]:
    """What the table shows of a choice."""
    from hedgerow.comparison.choices import limit_text

    yield Text(choice.method)
    yield "" if choice.k is None else f"{choice.k:,}"
    if limits:
        yield limit_text(choice.suppression_limit)
    yield "–" if choice.k_reached is None else f"{choice.k_reached:,}"
    for measure in measures:
        yield choice.told(measure)
    yield "–" if choice.rows_lost is None else f"{choice.rows_lost:.0%}"
    yield choice.status


def _measures(comparison: Comparison) -> list[Measure]:
    """As many measures as fit on a line: two risks, the score, and the detail as written."""
    from hedgerow.comparison.choices import KEPT

    names = dict.fromkeys((comparison.risk.name, "average_risk", comparison.utility.name, KEPT))
    return [measure for name in names for measure in comparison.measures if measure.name == name]


def _reasons(comparison: Comparison) -> Iterator[str]:
    """Why choices have no release or no score, and warnings; each text once."""
    labels: dict[str, list[str]] = defaultdict(list)
    for choice in comparison.choices:
        for text in (choice.reason, *choice.warnings):
            labels[text].append(choice.label)
    labels.pop("", None)
    for text, choices in labels.items():
        yield f"{'; '.join(choices)}: {text}"


# --------------------------------------------------------------------------------------------------
# The comparison.


def run(given: Mapping[str, Any]) -> None:
    """Compare. What can be refused without reading the table is refused first."""
    job = joined(given, "hedgerow compare", without=OWN)
    table = named_table(job, "hedgerow compare")
    named_quasi(job.quasi)
    options = _read_options(given, job)
    seconds = None if given["time_limit"] is None else read_duration(given["time_limit"], "--time-limit")
    if given["workers"] is not None and given["workers"] < 1:
        raise BadInput.parameter("--workers", "hedgerow compare", "a whole number >= 1", given["workers"])
    hierarchies = hierarchies_of(job, requirements_of(job))
    schema = schema_of(dict(job), hierarchies.files)
    output, cells = _places(given["output"], force=given["force"])
    for path in (output, cells):
        refuse_overwriting(path, find_table(table).reads, "--output")

    from hedgerow.cli._screen import screen
    from hedgerow.comparison.api import Options, make_plan
    from hedgerow.evaluation.store import Store
    from hedgerow.evaluation.tables import open_rows

    store = Store(cells)
    file: Any = typed_file(table, dict(job))
    if hierarchies.undecided:
        file, hierarchies = completed(open_rows(file, schema), hierarchies)
        schema = file.schema
    plan = make_plan(file, schema, Options(**options))
    with unless_it_fails(cells):
        stopped = _run(plan, store, seconds, given)
        comparison = plan.result(store, stopped=stopped)
    comparison.report(output, overwrite=True)
    if given["as_json"]:
        typer.echo(json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False))
    elif not given["quiet"]:
        _show_comparison(screen(), comparison, output, cells, hierarchies.remarks)
    if stopped == "interrupted":
        measured = comparison.measured
        raise Stopped(
            f"{measured.finished:,} of {measured.cells:,} cells are finished and kept in {str(cells)!r}. Type the same "
            "command again to continue."
        )


def _read_options(given: Mapping[str, Any], job: Job) -> dict[str, Any]:
    """The options of the plan, read."""
    limits = [] if job.suppression_limit is None else str(job.suppression_limit).split(",")
    protocol = given["protocol"]
    return {
        "task": given["task"],
        "analyses": given["analysis"] or None,
        "methods": split_names(given["methods"], "--methods"),
        "learners": split_names(given["learners"], "--learners"),
        "k": read_ks(given["k"] or of_job(job.k), job.require),
        "suppression_limit": [read_suppression_limit(limit.strip(), "hedgerow compare") for limit in limits] or None,
        "require": job.require,
        "protocol": None if protocol is None else typed_protocol(protocol),
        "train": given["train"],
        "test": given["test"],
        "target_bins": job.target_bins,
        "min_people": job.min_people,
        "utility": given["utility"],
        "risk_threshold": given["risk_threshold"],
        "random_state": job.seed or 0,
    }


def _run(plan: Plan, store: Store, seconds: float | None, given: Mapping[str, Any]) -> Stop:
    """Run the plan, and return why it stopped early, if it did."""
    from hedgerow.cli._screen import counting_bar

    with counting_bar(quiet=given["quiet"]) as advance:
        try:
            finished = plan.run(store, workers=given["workers"], seconds=seconds, advance=advance)
        except Stopped:
            return "interrupted"
    return "" if finished else "time"


def _places(typed: str, *, force: bool) -> tuple[Path, Path]:
    output = Path(typed)
    if output.suffix.lower() not in (".html", ".htm"):
        raise BadInput(
            f"The page is written as HTML, not to {typed!r}. Name a file that ends in .html (--output FILE.html)."
        )
    check_place(output)
    refuse_existing(output, overwrite=force)
    return output, output.with_suffix(".cells.jsonl")
