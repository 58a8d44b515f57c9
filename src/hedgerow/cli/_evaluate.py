"""``hedgerow evaluate``: what learners can still predict, as a table on the screen, all cells in a CSV, and a chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._lists import read_ks, read_suppression_limit, split_names
from hedgerow.cli._roles import find_hierarchies, named_quasi, read_roles, schema_of, typed_file
from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.atomic import appearing, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from hedgerow.evaluation.results import Evaluation, Tests

__all__ = ["run", "typed_protocol", "unless_it_fails"]


# --------------------------------------------------------------------------------------------------
# What a person reads: scores by method and k, and what follows from them.


_SHARES: Final = frozenset({"accuracy", "auc", "f1"})
Row = dict[str, object]
"""The scores of one learner and method: unanonymized, by majority, and for each k (``k=5``)."""


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
    first = rows[0]
    console.print(
        Text(
            f"What learners can still predict of {target}: {score}, mean over {evaluation.protocol}; training rows "
            f"{first['train']}, test rows {first['test']}.",
            "bold",
        ),
        soft_wrap=True,
    )
    console.print(_table(rows, score, tests))
    for line in (*_conclusions(rows, score, tests), *_failures(evaluation), *remarks):
        console.print(Text(line), soft_wrap=True)
    output, chart, cells = written
    console.print(
        Text(f"All cells: {output}. Chart: {chart}. Finished cells, for another run: {cells} (private)."),
        soft_wrap=True,
    )


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
    return f"{value:.1%}" if score in _SHARES else f"{value:.3f}"


def _conclusions(rows: Sequence[Row], score: str, tests: Tests | None) -> Iterator[str]:
    """What a person can act on."""
    from hedgerow.evaluation.cells import UNANONYMIZED
    from hedgerow.evaluation.results import MAJORITY

    if _differing(tests):
        yield "* differs from unanonymized rows by more than chance (combined 5×2 cv F-test, 0.05)."
    raw = max(rows, key=lambda row: _merit(row[UNANONYMIZED], score))
    if _merit(raw[UNANONYMIZED], score) <= _merit(raw[MAJORITY], score):
        yield "Even from unanonymized rows, no learner beats the majority: the columns reveal little of it."
    for name in (name for name in rows[0] if name.startswith("k=")):
        scored = [row for row in rows if isinstance(row[name], float)]
        if scored:
            best = max(scored, key=lambda row: _merit(row[name], score))
            yield (
                f"{name}: best with {best['method']} and {best['learner']}, {_shown(best[name], score)} "
                f"({_shown(raw[UNANONYMIZED], score)} unanonymized with {raw['learner']}, "
                f"{_shown(best[MAJORITY], score)} by majority)."
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
    roles = read_roles(given)
    methods, learners = (split_names(given[name], f"--{name}") for name in ("methods", "learners"))
    quasi = named_quasi(roles["quasi"])
    ks = read_ks(given["k"], given["require"])
    lost = given["suppression_limit"]
    limit = None if lost is None else read_suppression_limit(lost, "hedgerow evaluate")
    hierarchies = find_hierarchies(given["hierarchies"], quasi)
    schema = schema_of(roles, hierarchies.files)
    written = output, chart, cells = _places(given["output"], force=given["force"])
    for path in written:
        refuse_overwriting(path, find_table(given["table"]).reads, "--output")

    from hedgerow.cli._screen import counting_bar, screen
    from hedgerow.evaluation.api import evaluate
    from hedgerow.evaluation.scores import named_score
    from hedgerow.evaluation.splits import read_protocol
    from hedgerow.evaluation.tables import open_table

    protocol = read_protocol(typed_protocol(given["protocol"]))
    table = open_table(typed_file(given["table"], given), schema)
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
        _show_evaluation(screen(), evaluation, score, schema.target or "", written, hierarchies.remarks)


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
