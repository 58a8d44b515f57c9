"""The options of ``hedgerow compare``, which are many. The work is done in ``comparing``."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.cli import completing
from hedgerow.cli.options import (
    Accept,
    Columns,
    Delimiter,
    Encoding,
    Hierarchies,
    HierarchyWords,
    Identifying,
    Insensitive,
    Kind,
    Missing,
    Others,
    Quasi,
    Require,
    Sensitive,
    Sheet,
    Table,
    TargetBins,
    Texts,
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
    others: Others = None,
    kind: Kind = None,
    weights: Weights = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    methods: Annotated[
        Columns,
        typer.Option(
            metavar="NAMES",
            help="See hedgerow methods; kactus,mondrian,hedge with a target.",
            autocompletion=completing.listed(completing.methods),
        ),
    ] = None,
    k: Annotated[Texts, typer.Option("-k", metavar="K,K,…", help="5,10,50,100 if not given.")] = None,
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
        typer.Option(
            metavar="NAMES",
            help="See hedgerow evaluate; one that is quick if not given.",
            autocompletion=completing.listed(completing.learners),
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cv:FOLDS, holdout, holdout:REPETITIONS or 5x2cv; cv:5.",
            autocompletion=completing.listed(completing.protocols),
        ),
    ] = None,
    train: Annotated[
        str, typer.Option(metavar="HOW", help="Training rows: redrawn, or published as the release shows them.")
    ] = "redrawn",
    test: Annotated[
        str, typer.Option(metavar="HOW", help="Test rows: raw, or recoded as the release would show them.")
    ] = "raw",
    time_limit: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after it: 90, 10m, 1h. What is done is kept.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same figures.")] = 0,
    workers: Workers = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The page; finished cells stand beside it.")
    ] = "compare.html",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Annotated[str, typer.Option(metavar="SIGN", help="Before decimals in text.")] = ".",
    force: Annotated[bool, typer.Option("--force", help="Write over a page that is there already.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Compare methods, k and suppression: risk and utility side by side, and which to take. Stopped, it goes on."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli.comparing import run

    run(**given)
