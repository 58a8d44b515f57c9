"""The options of ``hedgerow compare``, which are many. The work is done in ``comparing``."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.cli import _options
from hedgerow.cli._options import (
    Accept,
    Columns,
    Decimal,
    Delimiter,
    EachK,
    Encoding,
    Hierarchies,
    HierarchyWords,
    Identifying,
    Insensitive,
    Kind,
    Missing,
    Others,
    Quasi,
    Quiet,
    Require,
    RowsArePeople,
    SameFigures,
    Sensitive,
    Sheet,
    Table,
    TargetBins,
    Test,
    Train,
    Weights,
    Workers,
    column,
)

__all__ = ["compare"]


def compare(
    *,
    table: Table,
    quasi: Quasi = None,
    target: Annotated[str | None, column("What learners predict; without it, detail kept is utility.")] = None,
    target_bins: TargetBins = None,
    sensitive: Sensitive = None,
    insensitive: Insensitive = None,
    accept: Accept = None,
    identifying: Identifying = None,
    entity: Annotated[str | None, column("Tells people apart: k counts people, and nobody trains and tests.")] = None,
    rows_are_people: RowsArePeople = None,
    others: Others = None,
    kind: Kind = None,
    weights: Weights = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    methods: Annotated[
        Columns,
        _options.methods("See hedgerow methods; kactus,mondrian,hedge with a target."),
    ] = None,
    k: EachK = None,
    suppression_limit: Annotated[
        str | None, typer.Option(metavar="LIMITS", help="Rows that may be lost: 0,2% or 0,200; none if not given.")
    ] = None,
    require: Require = None,
    risk_threshold: Annotated[
        float | None,
        typer.Option(
            metavar="RISK", help="The highest that is recommended: 0.2, 0.09, …; 0.05, or 1/k of a smaller k."
        ),
    ] = None,
    learners: Annotated[
        Columns,
        _options.learners("See hedgerow evaluate; one that is quick if not given."),
    ] = None,
    protocol: Annotated[
        str | None,
        _options.protocol("cv:FOLDS, holdout, holdout:REPETITIONS or 5x2cv; cv:5."),
    ] = None,
    train: Train = "redrawn",
    test: Test = "raw",
    time_limit: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after it: 90, 10m, 1h. What is done is kept.")
    ] = None,
    seed: SameFigures = 0,
    workers: Workers = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The page; finished cells stand beside it.")
    ] = "compare.html",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Decimal = ".",
    force: Annotated[bool, typer.Option("--force", help="Write over a page that is there already.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare methods, k and suppression: risk and utility side by side, and which to take. Stopped, it goes on."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._comparing import run

    run(**given)
