"""Consoles for results, and progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from hedgerow._internal.jit import has_to_compile
from hedgerow.anonymizers.base import FITTING

if TYPE_CHECKING:
    from hedgerow.evaluation.jobs import Advance

__all__ = ["counting_bar", "progress_bar", "screen"]

# Without a terminal, as in a pipe.
_WIDTH: Final = 100
# Reading, fitting, writing, verifying, auditing, saving.
_STAGES: Final = 6
# The seconds that the kernels of one method take to compile: 5 to 7 on two cores.
_COMPILING: Final = 6


def screen(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: a column may be called ``[bold]`` or ``:smile:``."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A bar on stderr that moves with each stage. It appears on a terminal only, and vanishes at the end.

    The first use of a version compiles its kernels; a line above the bar says so.
    """
    console = screen(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _stage: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    # Checked now, because the kernels of requirements are compiled earlier.
    compiling = has_to_compile()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Starting", total=_STAGES, completed=-1)

        def enter(stage: str) -> None:
            bar.update(task, description=stage, advance=1)
            if stage.startswith(FITTING) and compiling:
                bar.console.print(f"Compiling kernels, once: about {_COMPILING} s.")

        yield enter


@contextmanager
def counting_bar(*, quiet: bool = False) -> Iterator[Callable[[Advance], None]]:
    """A bar on stderr for work in many parts, with an estimate of the time left. It appears on a terminal only."""
    console = screen(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _advance: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Starting", total=None)

        def enter(how_far: Advance) -> None:
            minutes, seconds = divmod(round(how_far.seconds_left), 60)
            text = f"{how_far.done:,} of {how_far.all:,} cells, about {minutes}:{seconds:02} left"
            bar.update(task, description=text, completed=how_far.done, total=how_far.all)

        yield enter
