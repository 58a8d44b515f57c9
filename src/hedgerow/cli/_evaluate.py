"""``hedgerow evaluate``: what a release is still good for, as a table on the screen, cells in a CSV, and a chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._job import Job, joined, named_table
from hedgerow.cli._lists import limit_in_words, read_ks, read_suppression_limit, split_names
from hedgerow.cli._roles import HierarchyFiles, completed_schema, hierarchies_of, named_quasi, schema_of, typed_file
from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.atomic import appearing, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from hedgerow.engines import File
    from hedgerow.evaluation.results import Evaluation, Tests
    from hedgerow.evaluation.tables import OpenedTable
    from hedgerow.requirements import Requirement
    from hedgerow.schema import Schema

__all__ = ["OWN", "completed", "of_job", "requirements_of", "run", "typed_protocol", "unless_it_fails"]

OWN: Final = ("k", "output", "time_limit", "quiet", "force")
"""Options of this command and of hedgerow compare that mean something else than the same fields of a job."""


# --------------------------------------------------------------------------------------------------
# What a person reads: scores by method and k, and what follows from them.


_TITLES: Final[Mapping[str, str]] = {
    "clustering": "How clusters learnt from a release agree with those of the original rows",
    "association": "Which association rules of the original rows a release still shows",
    "queries": "How far answers to COUNT queries are from the truth",
    "estimates": "How far the planned analyses agree with those of the original rows",
}
_LOWEST: Final[Mapping[str, str]] = {"majority": "by majority", "no-information": "without information"}
Row = dict[str, object]
"""The scores of one learner and method: unanonymized, of the lower baseline, and for each k (``k=5``)."""


def _show_evaluation(
    console: Console,
    evaluation: Evaluation,
    score: str,
    target: str,
    written: tuple[Path, Path, Path],
    remarks: Sequence[str] = (),
) -> None:
    """Print the table, which differences are more than chance, the best choice for each k, and where the files are."""
    tests = evaluation.tests(score) if evaluation.protocol == "5x2cv" else None
    rows = evaluation.table(score).to_pylist()
    console.print(Text(_heading(evaluation, score, target, rows[0]), "bold"), soft_wrap=True)
    console.print(_table(rows, score, tests))
    for line in (*_conclusions(rows, score, tests, evaluation.floor), *_failures(evaluation), *remarks):
        console.print(Text(line), soft_wrap=True)
    output, chart, cells = written
    console.print(
        Text(f"All cells: {output}. Chart: {chart}. Finished cells, for another run: {cells} (private)."),
        soft_wrap=True,
    )


def _heading(evaluation: Evaluation, score: str, target: str, first: Row) -> str:
    title = _TITLES.get(evaluation.task, f"What learners can still predict of {target}")
    tested = "" if evaluation.task in ("association", "queries", "estimates") else f", test rows {first['test']}"
    return f"{title}: {score}, mean over {evaluation.protocol}; training rows {first['train']}{tested}."


def _table(rows: Sequence[Row], score: str, tests: Tests | None) -> Table:
    names = [name for name in rows[0] if name not in ("train", "test")]
    table = Table(box=None, pad_edge=False, header_style="cyan")
    for name in names:
        table.add_column(Text(name), justify="left" if name in ("learner", "method") else "right")
    differing = _differing(tests)
    learner = None
    for row in rows:
        cells = {name: _cell(row, name, score, differing) for name in names}
        if row["learner"] == learner:
            cells["learner"] = ""
        learner = row["learner"]
        table.add_row(*map(Text, cells.values()))
    return table


def _cell(row: Row, name: str, score: str, differing: set[tuple[object, object, int | None]]) -> str:
    if name in ("learner", "method"):
        return str(row[name])
    differs = name.startswith("k=") and (row["learner"], row["method"], int(name[2:])) in differing
    return _shown(row[name], score) + ("*" if differs else "")


def _differing(tests: Tests | None) -> set[tuple[object, object, int | None]]:
    """The learners, methods and ks whose scores differ from unanonymized rows by more than chance."""
    from hedgerow.evaluation.cells import UNANONYMIZED

    contrasts = () if tests is None else tests.contrasts
    return {
        (contrast.learner, contrast.method, contrast.k)
        for contrast in contrasts
        if contrast.other == UNANONYMIZED and contrast.test.significant()
    }


def _shown(value: object, score: str) -> str:
    if not isinstance(value, float):
        return "–"
    from hedgerow.evaluation.scores import SHARES

    return f"{value:.1%}" if score in SHARES else f"{value:.3f}"


def _conclusions(rows: Sequence[Row], score: str, tests: Tests | None, floor: str) -> Iterator[str]:
    """What a person can act on; ``floor`` is the name of the lower baseline."""
    from hedgerow.evaluation.cells import UNANONYMIZED

    if _differing(tests):
        yield "* differs from unanonymized rows by more than chance (combined 5×2 cv F-test, 0.05)."
    raw = max(rows, key=lambda row: _merit(row[UNANONYMIZED], score))
    if floor == "majority" and _merit(raw[UNANONYMIZED], score) <= _merit(raw[floor], score):
        yield "Even from unanonymized rows, no learner beats the majority: the columns reveal little of it."
    for name in (name for name in rows[0] if name.startswith("k=")):
        scored = [row for row in rows if isinstance(row[name], float)]
        if scored:
            best = max(scored, key=lambda row: _merit(row[name], score))
            yield (
                f"{name}: best with {best['method']} and {best['learner']}, {_shown(best[name], score)} "
                f"({_shown(raw[UNANONYMIZED], score)} unanonymized with {raw['learner']}, "
                f"{_shown(best[floor], score)} {_LOWEST[floor]})."
            )
    if tests is not None:
        yield from _ranks(tests)


def _merit(value: object, score: str) -> float:
    """A score as a number that is higher for a better score."""
    from hedgerow.evaluation.scores import BETTER_WHEN_LOWER

    number = value if isinstance(value, float) else float("nan")
    return -number if score in BETTER_WHEN_LOWER else number


def _ranks(tests: Tests) -> Iterator[str]:
    """The average rank of every method, and whether ranks differ by more than chance."""
    if tests.friedman is None or tests.dunn is None:
        return
    ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in tests.friedman.ranks.items())
    differ = "differ" if tests.friedman.p <= tests.dunn.alpha else "do not differ by more than chance"
    test = f"Iman-Davenport, p = {tests.friedman.p:.2g}"
    yield f"Average ranks over learners and k: {ranks}; the methods {differ} ({test})."


def _failures(evaluation: Evaluation) -> Iterator[str]:
    """Which cells have no score, and why; each reason once."""
    failures = dict.fromkeys(
        (cell["method"], cell["k"], cell["status"], cell["reason"]) for cell in evaluation.results if cell.get("reason")
    )
    for method, k, status, reason in failures:
        yield f"{method}{'' if k is None else f', k={k}'}: {status}. {reason}"


# --------------------------------------------------------------------------------------------------
# The evaluation.


def run(given: Mapping[str, Any]) -> None:
    """Evaluate. What can be refused without reading the table is refused first."""
    job = joined(given, "hedgerow evaluate", without=OWN)
    named = named_table(job, "hedgerow evaluate")
    methods, learners = (split_names(given[name], f"--{name}") for name in ("methods", "learners"))
    named_quasi(job.quasi)
    ks = read_ks(given["k"] or of_job(job.k), job.require)
    lost = job.suppression_limit
    limit = None if lost is None else read_suppression_limit(lost, "hedgerow evaluate")
    hierarchies = hierarchies_of(job, requirements_of(job))
    schema = schema_of(dict(job), hierarchies.files)
    written = output, chart, cells = _places(given["output"], force=given["force"])
    for path in written:
        refuse_overwriting(path, find_table(named).reads, "--output")

    from hedgerow.cli._screen import counting_bar, screen
    from hedgerow.evaluation.api import evaluate
    from hedgerow.evaluation.splits import read_protocol

    protocol = read_protocol(typed_protocol(given["protocol"]))
    table, score = _table_and_score(given, typed_file(named, dict(job)), schema)
    table, hierarchies = completed(table, hierarchies)
    schema, remarks = table.schema, (*limit_in_words(limit), *hierarchies.remarks)
    with unless_it_fails(cells), counting_bar(quiet=given["quiet"]) as advance:
        evaluation = evaluate(
            table,
            schema,
            task=given["task"],
            methods=methods,
            k=ks,
            require=job.require,
            learners=learners,
            protocol=protocol,
            analyses=given["analysis"] or None,
            train=given["train"],
            test=given["test"],
            suppression_limit=limit,
            target_bins=job.target_bins,
            min_people=job.min_people,
            random_state=job.seed or 0,
            workers=given["workers"],
            cache=cells,
            advance=advance,
        )
    _write(evaluation, score, output, chart)
    if not given["quiet"]:
        _show_evaluation(screen(), evaluation, score, schema.target or "", written, remarks)


def requirements_of(job: Job) -> Sequence[Requirement]:
    """The requirements of a job, beside k."""
    from hedgerow.requirements import parse_requirement

    return [parse_requirement(text) for text in job.require]


def completed(table: OpenedTable, hierarchies: HierarchyFiles) -> tuple[OpenedTable, HierarchyFiles]:
    """The table with the hierarchies of columns that no option names."""
    if not hierarchies.undecided:
        return table, hierarchies
    schema, found = completed_schema(table.schema, hierarchies, table.table.column_names)
    return replace(table, schema=schema), found


def _table_and_score(given: Mapping[str, Any], file: File, schema: Schema) -> tuple[OpenedTable, str]:
    """Open the table, and name the score to show, which depends on the task and on the target."""
    from hedgerow.evaluation.analyses import analysis_task
    from hedgerow.evaluation.scores import named_score
    from hedgerow.evaluation.tables import open_rows, open_table

    named = "estimates" if given["analysis"] and given["task"] == "classification" else given["task"]
    task = analysis_task(named)
    if task is not None:
        score = named_score(given["score"], task)
        return open_rows(file, schema), score
    table = open_table(file, schema)
    return table, named_score(given["score"], table.task)


def of_job(k: int | None) -> list[str]:
    """The only k to try if none is typed: that of a job file."""
    return [] if k is None else [str(k)]


@contextmanager
def unless_it_fails(cells: Path) -> Iterator[None]:
    """If the work fails, leave no file of finished cells behind that was not there before."""
    existed = cells.exists()
    try:
        yield
    except HedgerowError:
        if not existed:
            cells.unlink(missing_ok=True)
        raise


def typed_protocol(typed: str) -> object:
    """Read a protocol: its name, and a number after a colon."""
    name, colon, number = typed.partition(":")
    return (name, int(number)) if colon and number.isascii() and number.isdigit() else typed


def _places(typed: str, *, force: bool) -> tuple[Path, Path, Path]:
    output = Path(typed)
    if output.suffix.lower() != ".csv":
        raise BadInput(
            f"The results are written as CSV, not to {typed!r}. Name a file that ends in .csv (--output FILE.csv)."
        )
    if not output.parent.is_dir():
        raise BadInput(
            f"There is no folder {str(output.parent)!r} for the results. Create it, or name another file (--output)."
        )
    chart = output.with_suffix(".html")
    for path in (output, chart):
        refuse_existing(path, overwrite=force)
    return output, chart, output.with_suffix(".cells.jsonl")


def _write(evaluation: Evaluation, score: str, output: Path, chart: Path) -> None:
    import pyarrow.csv

    with appearing(output) as staged, appearing(chart) as drawn:
        pyarrow.csv.write_csv(evaluation.frame, staged)
        evaluation.plot(score).save(str(drawn), inline=True)
