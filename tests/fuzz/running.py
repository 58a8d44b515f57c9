"""Running a case: anonymize, save, read back by other means, and judge what happened."""

from __future__ import annotations

import gc
import re
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import hedgerow as hr
from cases import Case, Column, Requirement
from hedgerow.anonymizers.registry import METHODS
from inspecting import Problem, inspect_files, inspect_rows, reachable
from readback import read_file, read_table
from sources import FILES, make_source

__all__ = ["EXPECTED", "Outcome", "run"]

EXPECTED: Final = (
    "^The column .* mixes numbers and text: ",
    "^The column .* numbers with a sign or a fraction, which cannot be masked",
    "^The column .* has no characters to mask",
    "^The column .* has no value at all: every cell is missing",
    "^The column .* holds both missing values and empty text, which a CSV cannot tell apart",
    "^The taxonomy of the column .* lists .* numbers twice, written in different ways",
    "^The target .* has a different class in each of the .* records, so there is nothing to learn",
    "^The target .* has no class in .* records, and .* learns from the class",
    "^The target .* holds .*numbers.*, and .* learns from classes",
    "^target_bins cuts numbers, and the target .* holds none",
    "needs at least .* rows, and the table has",
)
"""Sentences of bad input that drawn cases may earn; any other is one too many."""

INFEASIBLE: Final = (
    "^Proportions cannot be published",
    "holds of rows, but not of people",
    "^The rows of a person stay linked by",
)
"""What no method promises, though one class of all rows would do."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes
    ----------
    kind : str
        ``release``, ``infeasible``, ``bad input``; or, as failures, ``unexpected`` (bad input or infeasible where it
        should not be), ``refusal`` (the verifier refused what a method made), ``crash``, ``violation``.
    message : str
        The error's words without what is quoted and counted, so that equal faults have equal words; for a violation
        the kinds of its problems.
    detail : str
        The traceback, or the problems in words.
    """

    kind: str
    message: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether it should not have come."""
        return self.kind not in ("release", "infeasible", "bad input")


def run(case: Case) -> Outcome:
    """Run a case in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        inside, outside = Path(folder) / "in", Path(folder) / "out"
        inside.mkdir()
        outside.mkdir()
        refused = None
        try:
            problems = list(_problems(case, inside, outside))
        except hr.HedgerowError as error:
            refused = _refused(case, error)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__} in {Path(place.filename).name}:{place.name}: {_words(case, str(error))}"
            return Outcome("crash", words, traceback.format_exc())
        if refused is not None:
            # What an error's traceback kept alive is gone by now.
            gc.collect()
            left = sorted(path.name for path in outside.iterdir())
            return Outcome("violation", "files", f"An error left {left} behind.\n{refused.detail}") if left else refused
    if problems:
        kinds = ", ".join(dict.fromkeys(problem.kind for problem in problems))
        return Outcome("violation", kinds, "\n".join(problem.sentence for problem in problems))
    return Outcome("release")


def _problems(case: Case, inside: Path, outside: Path) -> Iterator[Problem]:
    source = make_source(case, inside)
    saved = outside / f"release.{case.saved}"
    release = hr.anonymize(
        source,
        _schema(case),
        method=case.method,
        k=case.k,
        require=[_requirement(one) for one in case.require],
        random_state=case.seed,
        publish_proportions=case.proportions,
        destination=saved if case.destination else None,
        **case.options,
    )
    release.save(saved)
    lost = release.recoding.lost
    statistics = METHODS[case.method].family == "suppression"
    rows = read_file(saved)
    yield from inspect_rows(case, rows, lost, "saved file", statistics=statistics)
    staged = case.destination and case.source in FILES and case.saved != "parquet"
    table = read_table(release.table, text=staged)
    yield from inspect_rows(case, table, lost, "table", statistics=statistics)
    del release
    yield from inspect_files(case, saved, rows, lost)


def _refused(case: Case, error: hr.HedgerowError) -> Outcome:
    """Judge an error that was raised on purpose."""
    detail = traceback.format_exc()
    words = _words(case, str(error))
    if _quoted(case, error):
        return Outcome("violation", "message", f"An error quotes a cell.\n{detail}")
    if isinstance(error, hr.NotAnonymous):
        return Outcome("refusal", words, detail)
    if isinstance(error, hr.Infeasible):
        known = not reachable(case) or any(re.search(sentence, str(error)) for sentence in INFEASIBLE)
        return Outcome("infeasible" if known else "unexpected", words, detail)
    if isinstance(error, hr.BadInput):
        known = any(re.search(sentence, str(error)) for sentence in EXPECTED)
        return Outcome("bad input" if known else "unexpected", words, detail)
    return Outcome("crash", f"{type(error).__name__}: {words}", detail)


def _words(case: Case, message: str) -> str:
    """A message without names of columns, what is quoted in it, and numbers."""
    for name in sorted((column.name for column in case.columns), key=len, reverse=True):
        message = re.sub(rf"\b(of|within) {re.escape(name)}(?=[ ,:.])", r"\1 …", message)
    message = re.sub(r"within [^:]*", "within …", message)
    return re.sub(r"\d[\d.,]*", "#", re.sub(r"'[^']*'|\"[^\"]*\"", "…", message))


def _quoted(case: Case, error: BaseException | None) -> bool:
    """Whether an error, or one that it came from, quotes a cell."""
    names = " ".join(column.name for column in case.columns)
    cells = {
        cell
        for column in case.columns
        for cell in column.cells
        if column.kind == "text"
        and isinstance(cell, str)
        and len(cell) > 4
        and not cell.isalpha()
        and cell not in names
    }
    while error is not None:
        if any(cell in str(error) for cell in cells):
            return True
        error = error.__cause__ or error.__context__
    return False


def _schema(case: Case) -> hr.Schema:
    target = [column.name for column in case.of_role("target")]
    published = ("unnamed",) if case.others == "insensitive" else ()
    return hr.Schema(
        quasi=[column.name for column in case.of_role("quasi")],
        target=target[0] if target else None,
        sensitive=[column.name for column in case.of_role("sensitive")],
        insensitive=[column.name for column in case.of_role("insensitive")],
        accept=[column.name for column in case.of_role("insensitive", *published)],
        identifying=[column.name for column in case.of_role("identifying")],
        pseudonymize=[column.name for column in case.of_role("pseudonymize")],
        hierarchies={column.name: _hierarchy(column) for column in case.columns if column.hierarchy is not None},
        weights=case.weights,
        kinds=case.kinds,
        entity=case.entity,
        missing=case.missing,
        others=case.others,  # type: ignore[arg-type]
    )


def _hierarchy(column: Column) -> Any:
    given = column.hierarchy
    if not isinstance(given, dict) or "build" not in given:
        return given
    arguments = {name: value for name, value in given.items() if name != "build"}
    return getattr(hr.hierarchies, given["build"])(**arguments)


def _requirement(one: Requirement) -> Any:
    kinds = {"k": hr.KAnonymity, "l": hr.LDiversity, "t": hr.TCloseness, "p": hr.PSensitive, "alpha": hr.AlphaK}
    return kinds[one["name"]](**{name: value for name, value in one.items() if name != "name"})
