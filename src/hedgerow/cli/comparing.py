"""``hedgerow compare``: methods, k and suppression side by side, on the screen, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hedgerow.cli.evaluating import typed_protocol, unless_it_fails
from hedgerow.cli.hierarchy_files import find_hierarchies
from hedgerow.cli.lists import read_delimiter, read_duration, read_ks, read_suppression_limit, split_names
from hedgerow.cli.outcome import Stopped
from hedgerow.cli.roles import named_quasi, read_roles, schema_of
from hedgerow.errors import BadInput
from hedgerow.intake import find_table
from hedgerow.paths import refuse_overwriting
from hedgerow.places import check_place, refuse_existing

if TYPE_CHECKING:
    from hedgerow.comparison.planning import Plan
    from hedgerow.comparison.results import Stop
    from hedgerow.evaluation.store import Store

__all__ = ["run"]


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

    from hedgerow.cli.screen import screen
    from hedgerow.comparison.api import planned
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
    plan = planned(
        file,
        schema,
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
    with unless_it_fails(cells):
        ended = _run(plan, store, seconds, given)
        comparison = plan.found(store, stopped=ended)
    comparison.report(output, overwrite=True)
    if given["as_json"]:
        typer.echo(json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False))
    elif not given["quiet"]:
        from hedgerow.cli.comparison_board import show_comparison

        show_comparison(screen(), comparison, output, cells, found.remarks)
    if ended == "interrupted":
        done = comparison.measured
        raise Stopped(
            f"{done.finished:,} of {done.cells:,} cells are finished and kept in {str(cells)!r}. The same command goes "
            "on where it was."
        )


def _run(plan: Plan, store: Store, seconds: float | None, given: Mapping[str, Any]) -> Stop:
    """Run it, and say why it ended early, if it did."""
    from hedgerow.cli.screen import counting_bar

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
