"""``hedgerow demo``: anonymize a synthetic census.

The command line prints no other rows: these people never lived.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.anonymizers.registry import find_method
from hedgerow.cli._anonymizing import check_engine
from hedgerow.cli._report import staged_report
from hedgerow.errors import BadInput, plural

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from hedgerow.release import Release
    from hedgerow.schema import Schema

__all__ = ["run"]

_SHOWN: Final = ("name", "age", "sex", "zip", "education", "marital-status", "disease", "income")
_PROTECTED: Final = "disease"
_DIVERSITY: Final = 3
_CELL_WIDTH: Final = 14
_MEANINGS: Final = (
    "the original (synthetic: you would keep a real one to yourself)",
    "the release, with its manifest beside it",
    "the report, for the person who answers for the release: open it in a browser",
)
_CONTEXT: Final = {
    "recipient": "Anyone who wants to see what Hedgerow does.",
    "release-model": "public",
    "purpose": "A demonstration. The people of this table never lived.",
    "coverage": "sample",
}


def run(
    *, rows: int, k: int, method: str, seed: int, folder: str, engine: str | None = None, master: str | None = None
) -> None:
    """Make the census, anonymize it, write the files, and show before, after, audit and losses."""
    # Intervals are easier to read than sets of ages; the loss is the same.
    publish = find_method(method).parameters().get("publish")
    intervals = publish is not None and "interval" in (publish.options or ())
    parameters: dict[str, Any] = {"publish": "interval"} if intervals else {}
    check_engine(engine, master)
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise BadInput(f"{folder!r} is not a folder. Name another one (--folder DIR).")
    if seed < 0:
        raise BadInput.parameter("seed", "hedgerow demo", "a whole number >= 0", seed)

    from hedgerow.requirements import resolve as resolve_requirements

    requirements = resolve_requirements(k, [f"l={_DIVERSITY}@{_PROTECTED}"])

    from hedgerow.anonymizers.registry import anonymize
    from hedgerow.cli._screen import progress_bar
    from hedgerow.datasets import census_schema, make_census

    schema = census_schema()
    with _opened(engine, master) as opened, progress_bar() as progress:
        census = make_census(rows, random_state=seed)
        release = anonymize(
            opened(census),
            schema,
            method=method,
            require=requirements,
            random_state=seed,
            progress=progress,
            **parameters,
        )
        progress("Saving")
        written = _save(census, release, place, progress)
        published = release.table if opened is _as_it_is else release.table.toArrow()
    _show(census, release, published, k, written)


def _show(census: pa.Table, release: Release, published: Any, k: int, written: tuple[Path, Path, Path]) -> None:
    """Print before, after, audit, the files, and what to type next."""
    from hedgerow.cli._screen import screen
    from hedgerow.datasets import census_schema

    schema = census_schema()
    console = screen()
    for warning in release.audit.grave:
        console.print(f"{warning}\n", style="bold yellow", soft_wrap=True)
    console.print(f"A synthetic census of {plural(census.num_rows, 'people')} who never lived. Before:\n", style="bold")
    console.print(_excerpt(census.slice(0, 5)))
    console.print(
        f"\nAfter: names are gone, at least {k:,} people share the values that could identify them (two such groups "
        f"are shown), and each group has at least {_DIVERSITY} diseases.\n",
        style="bold",
    )
    console.print(_excerpt(_two_groups(published, tuple(schema.quasi or ()))))
    console.print("\nThe audit of the release, counted again by independent code:\n", style="bold")
    console.print(release.audit.render(), soft_wrap=True)
    console.print("Written:", style="bold")
    for path, meaning in zip(written, _MEANINGS, strict=True):
        console.print(f"  {path}  {meaning}", soft_wrap=True)
    console.print("\nNext, check the release as anyone could, or anonymize the census in your own way:", style="bold")
    for command in _next_commands(schema, k, written):
        console.print(f"  {command}", soft_wrap=True)


def _as_it_is(census: pa.Table) -> Any:
    return census


@contextmanager
def _opened(engine: str | None, master: str | None) -> Iterator[Callable[[pa.Table], Any]]:
    """A function that turns the census into a table of the engine."""
    if engine != "spark":
        yield _as_it_is
        return

    from hedgerow.engines.spark import open_session

    with open_session(master) as session:
        yield session.createDataFrame


def _save(census: pa.Table, release: Release, folder: Path, progress: Callable[[str], None]) -> tuple[Path, Path, Path]:
    from pyarrow import csv

    from hedgerow.io.atomic import appearing
    from hedgerow.io.destinations import Destination
    from hedgerow.release.saving import save

    folder.mkdir(parents=True, exist_ok=True)
    original, published, report = folder / "census.csv", folder / "release.csv", folder / "report.html"
    with appearing(original) as staged:
        csv.write_csv(census, staged)
    with staged_report(report, release, progress, context=_CONTEXT) as beside:
        destination = Destination.of(published)
        save(release, destination, escape_formulas=False, overwrite=True, redrawn=None, beside=beside)
    return original, published, report


def _two_groups(published: Any, quasi: tuple[str, ...]) -> Any:
    """A few rows of the first row's group, and a few of the next group."""
    seen: dict[tuple[object, ...], list[int]] = {}
    for row, values in enumerate(zip(*(published.column(name).to_pylist() for name in quasi), strict=True)):
        if values in seen or len(seen) < 2:
            seen.setdefault(values, []).append(row)
    return published.take([row for group in seen.values() for row in group[:3]])


def _excerpt(rows: Any) -> Table:
    from rich.table import Table

    shown = [name for name in _SHOWN if name in rows.column_names]
    table = Table(box=None, pad_edge=True, padding=(0, 2, 0, 0), header_style="bold")
    for name in shown:
        table.add_column(name, no_wrap=True)
    for row in rows.select(shown).to_pylist():
        table.add_row(*(_short(row[name]) for name in shown))
    return table


def _short(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= _CELL_WIDTH else f"{text[: _CELL_WIDTH - 1]}…"


def _next_commands(schema: Schema, k: int, written: tuple[Path, Path, Path]) -> tuple[str, str]:
    quasi = ",".join(schema.quasi or ())
    original, published, _ = (shlex.quote(str(path)) for path in written)
    program = _program()
    return (
        f"{program} audit {published} --quasi {quasi} --sensitive {_PROTECTED} -k {k}",
        f"{program} anonymize {original} --quasi age,sex,zip --target income --drop name --others insensitive -k 10 "
        "--output out.csv",
    )


def _program() -> str:
    """The command as you can type it here: its name if it is on the path, else where it is."""
    running = Path(sys.argv[0])
    if shutil.which("hedgerow") or running.name != "hedgerow":
        return "hedgerow"
    try:
        running = running.absolute().relative_to(Path.cwd())
    except ValueError:
        running = running.absolute()
    return shlex.quote(str(running))
