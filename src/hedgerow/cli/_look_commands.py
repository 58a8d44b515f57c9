"""The options of ``hedgerow advise`` and ``hedgerow check``, which look at a table and change nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.cli._options import (
    Columns,
    Decimal,
    Delimiter,
    Encoding,
    Hierarchies,
    HierarchyWords,
    Input,
    Missing,
    Quasi,
    Quiet,
    Require,
    Sheet,
    Table,
    column,
    columns,
)

__all__ = ["advise", "check"]


def advise(
    *,
    table: Table,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The job file that is written.")
    ] = "job.toml",
    target: Annotated[str | None, column("What is to be learnt; if not given, what is called like a label.")] = None,
    k: Annotated[int | None, typer.Option("-k", metavar="K", help="If not given, one with a precedent.")] = None,
    no_trial: Annotated[bool, typer.Option("--no-trial", help="Do not try the suggestion on some rows.")] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Decimal = ".",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a job file that is there already.")] = False,
    quiet: Quiet = False,
) -> None:
    """Look at a table, and suggest roles, hierarchies, k and method, each with its reason, as a job file to edit."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._advising import run

    run(**given)


def check(
    *,
    input: Input = None,
    quasi: Quasi = None,
    k: Annotated[int | None, typer.Option("-k", metavar="K", help="Every class has at least K rows.")] = None,
    require: Require = None,
    sensitive: Annotated[
        Columns, columns("Tell of how many the value is known by their class; decides nothing.")
    ] = None,
    entity: Annotated[str | None, column("Tells people apart, where one may have several rows.")] = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    job: Annotated[
        str | None, typer.Option(metavar="FILE", help="Take what is asked from a job file; what is typed here wins.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing: the exit status is the answer.")] = False,
) -> None:
    """Answer whether a table holds as it is: exit 0 if it does, else 3. Writes nothing."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._auditing import run_check
    from hedgerow.cli._job import Job, assemble
    from hedgerow.cli._roles import read_roles

    given |= read_roles(given)
    fields = [name for name in Job.model_fields if name in given and name != "quiet"]
    typed = {name: value for name in fields if (value := given[name]) not in (None, [])}
    asked = assemble(typed, job, "hedgerow check")
    if not run_check(asked, typed_hierarchies=bool(hierarchies or hierarchy), as_json=as_json, quiet=quiet):
        raise typer.Exit(3)
