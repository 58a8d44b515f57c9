"""The options of ``hedgerow attack``. The work is done in ``attacking``."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.cli._options import (
    Columns,
    Delimiter,
    Encoding,
    Hierarchies,
    HierarchyWords,
    Kind,
    Missing,
    Report,
    Require,
    Sheet,
    attacks,
    listed,
)
from hedgerow.errors import BadInput

__all__ = ["attack"]


def attack(
    *,
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="A table that was saved with its manifest.")],
    members: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The people of the table, as they were before; the job's input if not given."
        ),
    ] = None,
    non_members: Annotated[
        str | None, typer.Option(metavar="FILE", help="People of the same population who are not in it.")
    ] = None,
    attack: Annotated[
        Columns,
        typer.Option(
            metavar="NAMES",
            help="Which attacks; all that apply if not given.",
            autocompletion=listed(attacks),
        ),
    ] = None,
    previous: Annotated[
        str | None, typer.Option(metavar="FILE", help="An older release of the same people, saved with its manifest.")
    ] = None,
    sure: Annotated[float, typer.Option(metavar="SHARE", help="How sure an attacker must be to claim a value.")] = 0.9,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same figures.")] = 0,
    missing: Missing = None,
    kind: Kind = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Before decimals in text; a point if not given.")
    ] = None,
    job: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Read the people as this job file says; options that are typed win."),
    ] = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    require: Require = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    report: Report = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a report that is there already.")] = False,
    fail_if_works: Annotated[
        bool,
        typer.Option(
            "--fail-if-works", help="Exit with 3 if some attack works, with 2 if there are too few people to say."
        ),
    ] = False,
) -> None:
    """Attack a release: what do attackers find out of its people that they do not find out of others?"""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._attacking import run

    verdict = run(**given)
    if fail_if_works and verdict == "works":
        raise typer.Exit(3)
    if fail_if_works and verdict == "too few to say":
        raise BadInput(
            "There are too few people to say whether some attack works. Give more members and more non-members, or "
            "name the attacks that matter (--attack)."
        )
