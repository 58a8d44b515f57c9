"""What an evaluation found, for a person: scores by method and k, and what to make of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.results import MAJORITY, Evaluation, Tests
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER

__all__ = ["show_evaluation"]

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
