"""``hedgerow reproduce``: the experiments of a paper, and the page that tells what came out."""

from __future__ import annotations

from pathlib import Path

from hedgerow.errors import BadInput

__all__ = ["run"]


def run(paper: str, *, quick: bool, folder: str, minutes: float | None, workers: int | None) -> None:
    """Run what is not known yet and write the page."""
    if minutes is not None and not minutes > 0:
        raise BadInput.parameter("--minutes", "hedgerow reproduce", "a number above 0", minutes)
    if workers is not None and workers < 1:
        raise BadInput.parameter("--workers", "hedgerow reproduce", "a whole number >= 1", workers)

    from hedgerow.evaluation.reproductions import reproduction

    one = reproduction(paper)

    from hedgerow.cli.screen import counting_bar, screen
    from hedgerow.evaluation.reproductions.base import reproduce

    seconds = None if minutes is None else minutes * 60
    with counting_bar() as advance:
        path = reproduce(one, Path(folder), quick=quick, workers=workers, seconds=seconds, advance=advance)
    screen().print(f"Wrote {path}.")
