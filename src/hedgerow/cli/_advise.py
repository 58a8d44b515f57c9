"""``hedgerow advise``: the suggestion on the screen, and as a job file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hedgerow.cli._job import joined, named_table
from hedgerow.cli._roles import typed_file
from hedgerow.errors import BadInput, Infeasible, plural
from hedgerow.io.atomic import check_place, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hedgerow.advice import Advice

__all__ = ["run"]

_ROLES = {"quasi": "quasi-identifier", "redundant": "leave out", "identifying": "leave out", "insensitive": "in clear"}


def run(given: Mapping[str, Any]) -> None:
    """Print the suggestion, and write it. What can be refused without reading the table is refused first."""
    source = joined(given, "hedgerow advise", without=("output", "quiet", "force"))
    table = named_table(source, "hedgerow advise")
    job = Path(given["output"])
    files = find_table(table)
    if given["output"].endswith("/"):
        raise BadInput(f"{given['output']!r} is the name of a folder. Name a file, such as job.toml (--output).")
    check_place(job)
    refuse_overwriting(job, (*files.reads, *map(Path, filter(None, [given["job"]]))), "--output")
    refuse_existing(job, overwrite=given["force"])

    from hedgerow.advice import advise
    from hedgerow.cli._screen import progress_bar, screen

    file = typed_file(table, dict(source))
    with progress_bar(quiet=given["quiet"] or given["as_json"]) as progress:
        advice = advise(file, target=source.target, k=source.k, trial=not given["no_trial"], progress=progress)
    if not advice.hopeless:
        advice.save(job, overwrite=given["force"])
    if given["as_json"]:
        typer.echo(json.dumps(advice.to_dict(), indent=2, ensure_ascii=False))
    elif not given["quiet"]:
        _show(screen(), advice, job)
    if advice.hopeless:
        raise Infeasible(f"{advice.hopeless} No job is suggested.")


def _show(console: Console, advice: Advice, job: Path) -> None:
    """Print the columns, and below them everything else that is suggested."""
    from rich.text import Text

    people = "" if advice.people is None else f" of about {plural(advice.people, 'people')}"
    console.print(Text(f"{plural(advice.rows, 'rows')}{people}, {plural(len(advice.columns), 'columns')}", "bold"))
    if advice.sampled is not None:
        console.print(f"Values are counted in all rows; columns are compared in {advice.sampled:,} of them.")
    console.print(_columns(advice))
    for label, value in _lines(advice, job):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)
    for note in advice.notes:
        console.print(Text.assemble((f"  {'note':<13}", "yellow"), note), soft_wrap=True)


def _columns(advice: Advice) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="cyan")
    for heading in ("column", "role", "generalized by", "why"):
        table.add_column(heading, overflow="fold", max_width=None if heading == "why" else 28)
    for column in advice.columns:
        hierarchy = column.hierarchy if column.given and column.hierarchy is not None else ""
        role = _ROLES.get(column.role, column.role)
        table.add_row(Text(_one_line(column.name)), role, hierarchy, Text(_one_line(column.reason)))
    return table


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _lines(advice: Advice, job: Path) -> Iterator[tuple[str, str]]:
    for combination in advice.combinations:
        if len(combination.columns) > 1:
            names = ", ".join(map(_one_line, combination.columns))
            differ = f"{combination.separation:.0%} of all pairs of rows differ"
            yield "together", f"{names}: {differ}, {combination.alone:.0%} of the rows are singled out"
    yield "k", f"{advice.k}: {advice.k_reason}"
    for rule, reason in advice.require.items():
        yield "require", f"{_one_line(rule)}: {reason}"
    if advice.least is not None:
        yield "min-people", f"{advice.least.number}: {advice.least.reason}"
        for name, words in advice.least.recode.items():
            yield "recode", f"{_one_line(name)}={words}"
    yield "method", f"{advice.method.value}: {_one_line(advice.method.reason)}"
    if advice.hopeless:
        return
    if advice.trial is not None:
        yield "trial", advice.trial.told(advice.rows)
    yield "job", f"{job}: read it, change it, then type: hedgerow anonymize --job {job}"
