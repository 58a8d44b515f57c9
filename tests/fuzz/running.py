"""Running a case: anonymize, save, read back by other means, and judge what happened."""

from __future__ import annotations

import gc
import json
import re
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import hedgerow as hr
from cases import Case, Column, Requirement, grown
from hedgerow.anonymizers.registry import METHODS
from inspecting import Problem, by_shares, inspect_bytes, inspect_files, inspect_rows, reachable
from readback import handed_on, read_file, read_table
from sources import FILES, make_source

__all__ = ["EXPECTED", "Outcome", "run"]

EXPECTED: Final = (
    "^The column .* mixes numbers and text: ",
    "^The column .* numbers with a sign or a fraction, which cannot be masked",
    "^The column .* has no characters to mask",
    "^The column .* has no value at all: every cell is missing",
    "^The file .* cannot show empty text, which a CSV does not tell apart from missing values",
    "^The column .* holds both missing values and empty text, which a CSV cannot tell apart",
    "^The taxonomy of the column .* lists .* numbers twice, written in different ways",
    "^The target .* has a different class in each of the .* records, so there is nothing to learn",
    "^The target .* has no class in .* records, and .* learns from the class",
    "^The target .* holds .*numbers.*, and .* learns from classes",
    "^target_bins cuts numbers, and the target .* holds none",
    "^MinGen cannot take \\(.*-anonymity of .*without entity",
)
"""Sentences of bad input that drawn cases may earn; any other is one too many."""

INFEASIBLE: Final = (
    "^Proportions cannot be published",
    "holds for rows, but not for people",
    "links? the rows of a person, and the smallest group",
    "needs at least .* rows, and the table has",
    "identifies people who have several rows",
    "^The column .* holds .*, and .* held by fewer than",
    "^All values of .* together are held by fewer than",
    "^After .* suppressed, values of .* are held by fewer than",
)
"""What no method promises, though one class of all rows would do."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes
    ----------
    kind : str
        ``release``, ``infeasible``, ``bad input``, ``disclosing`` (refused for columns in clear); or, as failures,
        ``unexpected`` (bad input or infeasible where it should not be), ``refusal`` (the verifier refused what a method
        made), ``crash``, ``violation``.
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
        return self.kind not in ("release", "infeasible", "bad input", "disclosing")


def run(case: Case) -> Outcome:
    """Run a case in a folder of its own."""
    case = grown(case)
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
    saved = outside / f"release.{case.saved}"
    release = _anonymized(case, inside, saved)
    release.save(saved)
    lost = release.recoding.lost
    statistics = METHODS[case.method].family == "suppression"
    rows = read_file(saved)
    yield from inspect_rows(case, rows, lost, "saved file", statistics=statistics)
    staged = case.destination and case.source in FILES and case.saved != "parquet"
    table = read_table(release.table, text=staged)
    yield from inspect_rows(case, table, lost, "table", statistics=statistics)
    for name, content in handed_on(release.table):
        yield from inspect_bytes(case, content, table, name)
    yield from inspect_bytes(case, saved.read_bytes(), rows, "saved file")
    del release
    yield from inspect_files(case, saved, rows, lost)
    if case.proportions and not lost:
        yield from _pools_of_labels(case, inside, json.loads(_told(saved).read_text(encoding="utf-8")))


def _anonymized(case: Case, inside: Path, saved: Path) -> hr.Release:
    return hr.anonymize(
        make_source(case, inside),
        _schema(case),
        method=case.method,
        k=case.k,
        require=[_requirement(one) for one in case.require],
        random_state=case.seed,
        publish_proportions=case.proportions,
        destination=saved if case.destination else None,
        min_people=case.min_people,
        **case.options,
    )


def _told(saved: Path) -> Path:
    return saved.with_name(f"{saved.name}.proportions.json")


def _pools_of_labels(case: Case, inside: Path, told: dict[str, Any]) -> Iterator[Problem]:
    """Deal the labels out to other people: where the classes stay what they are, so do the pools."""
    labels = case.of_role("target")
    if not labels or METHODS[case.method].uses_target or case.seed is None or case.rows > _FEW:
        return
    for turn in (1, case.rows // 2):
        dealt = replace(labels[0], cells=(*labels[0].cells[turn:], *labels[0].cells[:turn]))
        columns = tuple(dealt if column is labels[0] else column for column in case.columns)
        folder = inside / f"turn {turn}"
        folder.mkdir(exist_ok=True)
        try:
            other = _anonymized(replace(case, columns=columns, destination=False), folder, folder)
        except hr.HedgerowError:
            return  # what is required of the label is not met any more
        again = json.loads(_told(other.save(folder / "release.parquet", overwrite=True)).read_text(encoding="utf-8"))
        if other.recoding.lost or _classes(again) != _classes(told):
            continue
        for one, before in zip(again["columns"], told["columns"], strict=True):
            if json.dumps(one["pools"]) != json.dumps(before["pools"]):
                yield Problem("labels", f"The pools of {one['name']!r} are others when labels are dealt out anew.")


_FEW: Final = 100


def _classes(told: dict[str, Any]) -> Any:
    """What every class publishes, and its people."""
    return told["sizes"], [(column["texts"], column["published"]) for column in told["columns"]]


def _refused(case: Case, error: hr.HedgerowError) -> Outcome:
    """Judge an error that was raised on purpose."""
    detail = traceback.format_exc()
    words = _words(case, str(error))
    if _quoted(case, error):
        return Outcome("violation", "message", f"An error quotes a cell.\n{detail}")
    if isinstance(error, hr.Disclosing) and not _all_accepted(case):
        return Outcome("disclosing", words, detail)
    if isinstance(error, hr.NotAnonymous):
        return Outcome("refusal", words, detail)
    if isinstance(error, hr.Infeasible):
        # Values that are pooled cannot be as diverse as they were; people may have other shares than their rows.
        by_people = case.entity is not None and any(map(by_shares, case.requirements))
        known = case.min_people is not None or by_people or not reachable(case)
        known |= any(re.search(sentence, str(error)) for sentence in INFEASIBLE)
        return Outcome("infeasible" if known else "unexpected", words, detail)
    if isinstance(error, hr.Disclosing) and any(re.search(sentence, str(error)) for sentence in INFEASIBLE):
        return Outcome("infeasible", words, detail)
    if isinstance(error, hr.BadInput):
        known = any(re.search(sentence, str(error)) for sentence in EXPECTED)
        return Outcome("bad input" if known else "unexpected", words, detail)
    return Outcome("crash", f"{type(error).__name__}: {words}", detail)


def _all_accepted(case: Case) -> bool:
    """Whether there is no column in clear that could be refused."""
    quasi = {column.name for column in case.of_role("quasi")}
    return set(case.published) <= {*quasi, *case.accepted}


def _words(case: Case, message: str) -> str:
    """A message without names of columns, what is quoted in it, and numbers."""
    for name in sorted((column.name for column in case.columns), key=len, reverse=True):
        message = re.sub(rf"\b(of|within) {re.escape(name)}(?=[ ,:.])", r"\1 …", message)
    message = re.sub(r"within [^:]*", "within …", message)
    message = re.sub(r"--(accept|recode|hierarchy|kind) [^)=]*", r"--\1 …", message)
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
    return hr.Schema(
        quasi=[column.name for column in case.of_role("quasi")],
        target=target[0] if target else None,
        sensitive=[column.name for column in case.of_role("sensitive")],
        insensitive=[column.name for column in case.of_role("insensitive")],
        accept=case.accepted,
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
