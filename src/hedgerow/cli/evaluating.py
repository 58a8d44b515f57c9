"""``hedgerow evaluate``: what learners still know, as a table on the screen, all cells in a CSV, and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli.hierarchy_files import find_hierarchies
from hedgerow.cli.lists import read_delimiter, read_ks, read_suppression_limit, split_names
from hedgerow.cli.roles import named_quasi, read_roles, schema_of
from hedgerow.errors import BadInput, HedgerowError
from hedgerow.intake import find_table
from hedgerow.paths import refuse_overwriting
from hedgerow.places import appearing, refuse_existing

if TYPE_CHECKING:
    from hedgerow.evaluation.results import Evaluation

__all__ = ["run", "typed_protocol", "unless_it_fails"]


def run(**given: Any) -> None:
    """Evaluate; what can be refused without reading the table is refused first."""
    roles = read_roles(given)
    methods, learners = (split_names(given[name], f"--{name}") for name in ("methods", "learners"))
    quasi = named_quasi(roles["quasi"])
    ks = read_ks(given["k"], given["require"])
    lost = given["suppression_limit"]
    limit = None if lost is None else read_suppression_limit(lost, "hedgerow evaluate")
    found = find_hierarchies(given["hierarchies"], quasi)
    schema = schema_of(roles, found.files)
    output, chart, cells = _places(given["output"], force=given["force"])
    for path in (output, chart, cells):
        refuse_overwriting(path, find_table(given["table"]).reads, "--output")

    from hedgerow.cli.screen import counting_bar, screen
    from hedgerow.engines import File
    from hedgerow.evaluation.api import evaluate
    from hedgerow.evaluation.scores import named_score
    from hedgerow.evaluation.splits import read_protocol
    from hedgerow.evaluation.tables import open_table

    protocol = read_protocol(typed_protocol(given["protocol"]))
    file = File(
        given["table"],
        encoding=given["encoding"],
        delimiter=read_delimiter(given["delimiter"]),
        decimal=given["decimal"],
        sheet=given["sheet"],
    )
    table = open_table(file, schema)
    score = named_score(given["score"], table.task)
    with unless_it_fails(cells), counting_bar(quiet=given["quiet"]) as advance:
        evaluation = evaluate(
            table,
            schema,
            methods=methods or ("mondrian", "kactus"),
            k=ks,
            require=given["require"] or (),
            learners=learners,
            protocol=protocol,
            train=given["train"],
            test=given["test"],
            suppression_limit=limit,
            target_bins=given["target_bins"],
            random_state=given["seed"],
            workers=given["workers"],
            cache=cells,
            advance=advance,
        )
    _write(evaluation, score, output, chart)
    if not given["quiet"]:
        from hedgerow.cli.scoreboard import show_evaluation

        show_evaluation(screen(), evaluation, score, schema.target or "", (output, chart, cells), found.remarks)


@contextmanager
def unless_it_fails(cells: Path) -> Iterator[None]:
    """Leave no finished cells behind where there were none, if nothing came of them."""
    there = cells.exists()
    try:
        yield
    except HedgerowError:
        if not there:
            cells.unlink(missing_ok=True)
        raise


def typed_protocol(typed: str) -> object:
    """A protocol as it is typed: its name, and a number after a colon."""
    name, colon, number = typed.partition(":")
    return (name, int(number)) if colon and number.isascii() and number.isdigit() else typed


def _places(typed: str, *, force: bool) -> tuple[Path, Path, Path]:
    output = Path(typed)
    if output.suffix.lower() != ".csv":
        raise BadInput(f"The results are written as CSV, not to {typed!r}. Name a file that ends in .csv (--output).")
    if not output.parent.is_dir():
        raise BadInput(f"There is no folder {str(output.parent)!r} for the results. Make it, or name another file.")
    chart = output.with_suffix(".html")
    if not force:
        for path in (output, chart):
            refuse_existing(path)
    return output, chart, output.with_suffix(".cells.jsonl")


def _write(evaluation: Evaluation, score: str, output: Path, chart: Path) -> None:
    import pyarrow.csv

    with appearing(output) as staged, appearing(chart) as drawn:
        pyarrow.csv.write_csv(evaluation.frame, staged)
        evaluation.plot(score).save(str(drawn), inline=True)
