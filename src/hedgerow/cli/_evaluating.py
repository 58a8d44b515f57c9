"""``hedgerow evaluate``: what learners still know, as a table on the screen, all cells in a CSV, and a chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._lists import read_delimiter, read_ks, read_suppression_limit, split_names
from hedgerow.cli._roles import find_hierarchies, named_quasi, read_roles, schema_of
from hedgerow.errors import BadInput, HedgerowError
from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.results import MAJORITY, Evaluation, Tests
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER
from hedgerow.io.atomic import appearing, refuse_existing
from hedgerow.io.paths import refuse_overwriting
from hedgerow.io.readers import find_table

if TYPE_CHECKING:
    from hedgerow.evaluation.results import Evaluation

__all__ = ["run", "show_evaluation", "typed_protocol", "unless_it_fails"]


# --------------------------------------------------------------------------------------------------
# What an evaluation found, for a person: scores by method and k, and what to make of them.


_SHARES = frozenset({"accuracy", "auc", "f1"})


def show_evaluation(
    console: Console,
    evaluation: Evaluation,
    score: str,
    target: str,
    written: tuple[Path, Path, Path],
    remarks: Sequence[str] = (),
) -> None:
    """Print the table, what differs by more than chance, the best choice for each k, and where all of it is."""
    tests = evaluation.tests(score) if evaluation.protocol == "5x2cv" else None
    rows = evaluation.table(score).to_pylist()
    first = rows[0]
    console.print(
        Text(
            f"What learners still know of {target}: {score}, mean over {evaluation.protocol}; training rows "
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


def _table(rows: Sequence[dict[str, object]], score: str, tests: Tests | None) -> Table:
    names = [name for name in rows[0] if name not in ("train", "test")]
    table = Table(box=None, pad_edge=False, header_style="cyan")
    for name in names:
        table.add_column(Text(name), justify="left" if name in ("learner", "method") else "right")
    marked = set()
    if tests is not None:
        marked = {
            (one.learner, one.method, one.k)
            for one in tests.contrasts
            if one.other == UNANONYMIZED and one.test.significant()
        }
    last = None
    for row in rows:
        cells = []
        for name in names:
            if name == "learner":
                cells.append("" if row[name] == last else str(row[name]))
            elif name == "method":
                cells.append(str(row[name]))
            else:
                k = int(name[2:]) if name.startswith("k=") else None
                mark = "*" if k is not None and (row["learner"], row["method"], k) in marked else ""
                cells.append(_shown(row[name], score) + mark)
        last = row["learner"]
        table.add_row(*map(Text, cells))
    return table


def _shown(value: object, score: str) -> str:
    if not isinstance(value, float):
        return "–"
    return f"{value:.1%}" if score in _SHARES else f"{value:.3f}"


def _conclusions(rows: Sequence[dict[str, object]], score: str, tests: Tests | None) -> Iterator[str]:
    """What a person can act on."""
    if tests is not None and any(one.other == UNANONYMIZED and one.test.significant() for one in tests.contrasts):
        yield "* differs from unanonymized rows by more than chance (combined 5×2 cv F-test, 0.05)."
    sign = -1 if score in BETTER_WHEN_LOWER else 1
    raw = max(rows, key=lambda row: sign * _number(row[UNANONYMIZED]))
    if sign * _number(raw[UNANONYMIZED]) <= sign * _number(raw[MAJORITY]):
        yield "Even from unanonymized rows no learner knows more than the majority: these columns tell little of it."
    for name in [one for one in rows[0] if one.startswith("k=")]:
        known = [row for row in rows if isinstance(row[name], float)]
        if known:
            best = max(known, key=lambda row: sign * _number(row[name]))
            yield (
                f"{name}: best with {best['method']} and {best['learner']}, {_shown(best[name], score)} "
                f"({_shown(raw[UNANONYMIZED], score)} unanonymized with {raw['learner']}, "
                f"{_shown(best[MAJORITY], score)} by majority)."
            )
    if tests is not None and tests.friedman is not None and tests.dunn is not None:
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in tests.friedman.ranks.items())
        differ = "differ" if tests.friedman.p <= tests.dunn.alpha else "do not differ by more than chance"
        chance = f"Iman-Davenport, p = {tests.friedman.p:.2g}"
        yield f"Average ranks over learners and k: {ranks}; the methods {differ} ({chance})."


def _number(value: object) -> float:
    return value if isinstance(value, float) else float("nan")


def _failures(evaluation: Evaluation) -> Iterator[str]:
    """Which cells have no score, and why."""
    told = dict.fromkeys(
        (one["method"], one["k"], one["status"], one["reason"]) for one in evaluation.results if one.get("reason")
    )
    for method, k, status, reason in told:
        yield f"{method}{'' if k is None else f', k={k}'}: {status}. {reason}"


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

    from hedgerow.cli._screen import counting_bar, screen
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
