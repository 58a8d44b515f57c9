"""``hedgerow demo``: the main job on a synthetic census.

Its rows are the only ones that the command line ever prints: nobody in them lives.
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
from hedgerow.cli._reporting import staged_report
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
_CONTEXT: Final = {
    "recipient": "Whoever wants to see what Hedgerow does.",
    "release-model": "public",
    "purpose": "A demonstration. The people of this table never lived.",
    "coverage": "sample",
}


def run(
    *, rows: int, k: int, method: str, seed: int, folder: str, engine: str | None = None, master: str | None = None
) -> None:
    """Make the census, anonymize it, show before, after, audit and losses, and write the files."""
    # Intervals are easier on the eye than sets of ages; the loss is the same.
    publish = find_method(method).parameters().get("publish")
    shows = publish is not None and "interval" in (publish.options or ())
    parameters: dict[str, Any] = {"publish": "interval"} if shows else {}
    check_engine(engine, master)
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise BadInput(f"{folder!r} is not a folder. Name another one (--folder).")
    if seed < 0:
        raise BadInput.parameter("seed", "hedgerow demo", "a whole number >= 0", seed)

    from hedgerow.requirements import resolve as resolve_requirements

    requirements = resolve_requirements(k, [f"l={_DIVERSITY}@{_PROTECTED}"])

    from hedgerow.anonymizers.registry import anonymize
    from hedgerow.cli._screen import progress_bar, screen
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
        original, published, report = _save(census, release, place, progress)
        after = release.table if opened is _as_it_is else release.table.toArrow()

    console = screen()
    for warning in release.audit.grave:
        console.print(f"{warning}\n", style="bold yellow", soft_wrap=True)
    console.print(f"A synthetic census of {plural(rows, 'people')} who never lived. Before:\n", style="bold")
    console.print(_excerpt(census.slice(0, 5)))
    console.print(
        f"\nAfter: names are gone, at least {k:,} people share what identifies them (two such groups are shown), "
        f"and each group has at least {_DIVERSITY} diseases.\n",
        style="bold",
    )
    console.print(_excerpt(_two_groups(after, tuple(schema.quasi or ()))))
    console.print("\nThe audit of the release, counted again by independent code:\n", style="bold")
    console.print(release.audit.render(), soft_wrap=True)
    console.print("Written:", style="bold")
    console.print(f"  {original}  the original (synthetic: a real one would stay with you)", soft_wrap=True)
    console.print(f"  {published}  the release, and its manifest beside it", soft_wrap=True)
    console.print(f"  {report}  what a person reads who answers for it: open it in a browser\n", soft_wrap=True)
    console.print("Next, check the release as anyone could, or anonymize a table of your own:", style="bold")
    for command in _next_commands(schema, k, published):
        console.print(f"  {command}", soft_wrap=True)


def _as_it_is(census: pa.Table) -> Any:
    return census


@contextmanager
def _opened(engine: str | None, master: str | None) -> Iterator[Callable[[pa.Table], Any]]:
    """What makes a table of the engine out of the census."""
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


def _two_groups(published: Any, quasi: tuple[str, ...], each: int = 3) -> Any:
    """A few rows of the first row's group, and a few of the first other one's."""
    seen: dict[tuple[object, ...], list[int]] = {}
    for row, values in enumerate(zip(*(published.column(name).to_pylist() for name in quasi), strict=True)):
        if values in seen or len(seen) < 2:
            seen.setdefault(values, []).append(row)
    return published.take([row for group in seen.values() for row in group[:each]])


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


def _next_commands(schema: Schema, k: int, published: Path) -> tuple[str, str]:
    quasi = ",".join(schema.quasi or ())
    where = shlex.quote(str(published))
    program = _program()
    return (
        f"{program} audit {where} --quasi {quasi} --sensitive {_PROTECTED} -k {k}",
        f"{program} anonymize people.csv --quasi age,sex,zip --target income --drop name -k 10 --output out.csv",
    )


def _program() -> str:
    """How the command is called here: by its name if it is on the path, else by where it stands."""
    running = Path(sys.argv[0])
    if shutil.which("hedgerow") or running.name != "hedgerow":
        return "hedgerow"
    try:
        running = running.absolute().relative_to(Path.cwd())
    except ValueError:
        running = running.absolute()
    return shlex.quote(str(running))
