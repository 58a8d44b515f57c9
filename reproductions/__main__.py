"""``python -m reproductions kactus --minutes 60``: run a paper's experiments, and write its figures beside ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli._screen import counting_bar
from hedgerow.errors import BadInput, HedgerowError
from reproductions import reproduction
from reproductions.base import Scope, reproduce

__all__ = ["main"]


def run(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="kactus, id3, heuristicmin, hybrid, proportional, or our own: hedge, proof."
        ),
    ],
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A part of it, in minutes.")] = False,
    only: Annotated[
        str | None, typer.Option(metavar="PART", help="Run only a part: small, adult or scale of kactus.")
    ] = None,
    earlier: Annotated[
        bool, typer.Option("--earlier", help="Show cells of earlier versions, too, where nothing newer is finished.")
    ] = False,
    folder: Annotated[str, typer.Option(metavar="DIR", help="Where the page and finished cells are.")] = (
        "docs/reproductions"
    ),
    minutes: Annotated[
        float | None,
        typer.Option(metavar="N", help="Begin nothing after so many; 0 only writes the page."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="How many processes; one for each core if not given.")
    ] = None,
) -> None:
    """Run the experiments of a paper, and write its figures beside ours. Stopped, it goes on where it was."""
    if minutes is not None and not minutes >= 0:
        raise BadInput.parameter("--minutes", "reproductions", "a number >= 0", minutes)
    if workers is not None and workers < 1:
        raise BadInput.parameter("--workers", "reproductions", "a whole number >= 1", workers)
    seconds = None if minutes is None else minutes * 60
    chosen = reproduction(paper)
    with counting_bar() as advance:
        scope = Scope(quick=quick, only=only, earlier=earlier)
        path = reproduce(chosen, Path(folder), scope, workers=workers, seconds=seconds, advance=advance)
    print(f"Wrote {path}.")


def main() -> None:
    """Run it; what goes wrong is one sentence, as with ``hedgerow``."""
    try:
        typer.run(run)
    except HedgerowError as error:
        print(f"reproductions: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None


if __name__ == "__main__":
    main()
