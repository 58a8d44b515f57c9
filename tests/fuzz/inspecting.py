"""Looking at a saved release as a stranger would: what was promised, beside the requirements themselves.

Nothing of Hedgerow is imported here; files are opened by Python's own means.
"""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from attacking import fixed_counts, named_by_few
from cases import Case, Column, Requirement
from covering import as_number, covers, is_missing, is_statistic, measured
from pools import IDENTIFIERS
from readback import Rows
from recount import smallest_class, violations, written
from sources import csv_text, original

__all__ = ["Problem", "by_shares", "inspect_bytes", "inspect_files", "inspect_rows", "reachable"]

Key = tuple[Any, ...]


class Problem(NamedTuple):
    """Something that was promised and does not hold: of what kind, and one sentence."""

    kind: str
    sentence: str


def reachable(case: Case) -> bool:
    """Whether all rows as one class meet what is required: if not, no release can."""
    table = {name: [_given(case, case.column(name), row) for row in range(case.rows)] for name in case.published}
    table |= {column.name: ["*"] * case.rows for column in case.of_role("quasi")}
    quasi = [column.name for column in case.of_role("quasi")]
    missing = (*case.missing, "") if _from_csv(case) else case.missing
    return not violations(table, quasi, case.requirements, missing)


def inspect_rows(case: Case, rows: Rows, lost: int, where: str, *, statistics: bool) -> Iterator[Problem]:
    """Look at published rows.

    Parameters
    ----------
    case : Case
    rows : Rows
        Read from the saved file, or from the table in memory.
    lost : int
        How many rows the release says it has lost.
    where : str
        What the rows were read from, for the sentences.
    statistics : bool
        Whether the method publishes means of groups in place of numbers.
    """
    if rows.names != case.published:
        yield Problem("columns", f"The {where} has the columns {rows.names}, not {case.published}.")
        return
    if rows.number != case.rows - lost:
        yield Problem("rows", f"The {where} has {rows.number} rows; {case.rows} came in and {lost} were lost.")
    quasi = [column.name for column in case.of_role("quasi")]
    # An empty cell of a CSV has no value, whether or not the schema says so.
    missing = (*case.missing, "") if rows.text else case.missing
    for sentence in _violations(case, rows, quasi, missing):
        yield Problem("requirement", f"The {where} violates {sentence}.")
    yield from _with_parts(case, rows, where)
    if any(IDENTIFIERS in str(cell) for cells in rows.cells.values() for cell in cells):
        yield Problem("identifier", f"The {where} holds a value of an identifying column.")
    if case.entity is not None:
        yield from _people(case, rows, where)
        # A pool of values is nobody's name any more.
        names = [column for column in case.columns if column.renames and case.min_people is None]
        yield from _linked(case, rows, where, [column.name for column in names])
    else:
        for column in case.of_role("pseudonymize"):
            yield from _pseudonymous(case, rows, where, column.name)
            yield from _linked(case, rows, where, [column.name])
    if case.min_people is not None:
        yield from _rare(case, rows, where, case.min_people)
    elif any(column.name == "row" for column in case.columns):
        yield from _joined(case, rows, where, statistics)
    else:
        yield from _unjoined(case, rows, where)


def by_shares(requirement: Requirement) -> bool:
    """Whether a requirement depends on how many have each value, and not only on which values there are."""
    return requirement["name"] in ("t", "alpha") or requirement.get("kind") in ("entropy", "recursive")


def _violations(case: Case, rows: Rows, quasi: Sequence[str], missing: Sequence[str]) -> Iterator[str]:
    """The requirements that do not hold; shares are those of people, as far as it can be known whose the rows are."""
    if case.entity is None:
        yield from violations(rows.cells, quasi, case.requirements, missing)
        return
    yield from violations(rows.cells, quasi, [one for one in case.requirements if not by_shares(one)], missing)
    people = people_of(case, rows)
    for one in case.requirements if people is not None else ():
        if people is None or not by_shares(one):
            continue
        # Each person once for each value in a class.
        names = [*(one.get("shield") or quasi), one["column"]]
        first = {
            (person, *(written(rows.cells[name][row]) for name in names)): row for row, person in enumerate(people)
        }
        kept = {name: [cells[row] for row in first.values()] for name, cells in rows.cells.items()}
        yield from violations(kept, quasi, [one], missing)


def _rare(case: Case, rows: Rows, where: str, least: int) -> Iterator[Problem]:
    """Every published value but a pseudonym stands in enough rows."""
    pseudonyms = {column.name for column in case.of_role("pseudonymize")}
    for name in rows.names:
        fewest = min(Counter(map(written, rows.cells[name])).values(), default=least)
        if name not in pseudonyms and fewest < least:
            yield Problem("rare", f"A value of {name!r} of the {where} stands in {fewest} rows, not in {least}.")


def _with_parts(case: Case, rows: Rows, where: str) -> Iterator[Problem]:
    """Whoever knows a quasi-identifier knows its parts: classes over both have k rows, unless somebody accepts them."""
    parts = [
        column for column in case.of_role("insensitive") if column.name not in case.accepted and _follows(case, column)
    ]
    if not parts:
        return
    names = [column.name for column in (*case.of_role("quasi"), *parts)]
    smallest, least = smallest_class(rows.cells, names), _largest_k(case)
    if smallest < least:
        told = ", ".join(repr(column.name) for column in parts)
        yield Problem("clear", f"With {told}, which follow from what is generalized, k of the {where} is {smallest}.")


def _largest_k(case: Case) -> int:
    """The k of all quasi-identifiers that is required."""
    return max((one["k"] for one in case.requirements if "k" in one and not one.get("shield")), default=1)


def _follows(case: Case, part: Column) -> bool:
    """Whether a column follows from a quasi-identifier beyond any doubt.

    Every value is held by several people, the part is coarser without being constant, and if its cells were dealt out
    at random, it would hardly ever follow from that quasi-identifier.
    """
    source = next((column for column in case.of_role("quasi") if column.name == part.part_of), None)
    if source is None:
        return False
    whose = range(case.rows) if case.entity is None else case.column(case.entity).cells
    # Who has no value shows none.
    known = [
        (value, cell, person)
        for value, cell, person in zip(source.cells, part.cells, whose, strict=True)
        if not is_missing(value, (*case.missing, "")) and not is_missing(cell, (*case.missing, ""))
    ]
    people: dict[Any, set[Any]] = defaultdict(set)
    for value, _, person in known:
        people[value].add(person)
    counts = Counter(cell for _, cell, _ in known)
    if min(map(len, people.values()), default=0) < 2 or not 1 < len(counts) < len(people):
        return False
    if len({(value, cell) for value, cell, _ in known}) > len(people):
        return False
    # One row of each person counts. The ways to deal the cells out, and an upper bound of those in which each value has
    # one of them.
    counts = Counter({person: cell for _, cell, person in known}.values())
    every = math.lgamma(counts.total() + 1) - sum(math.lgamma(count + 1) for count in counts.values())
    return len(people) * math.log(len(counts)) - every < math.log(1e-9)


def inspect_bytes(case: Case, content: bytes, rows: Rows, where: str) -> Iterator[Problem]:
    """Look for long texts of the original table that no published cell shows in the bytes of a release."""
    shown = {str(cell) for cells in rows.cells.values() for cell in cells} | set(rows.names)
    texts = {
        cell
        for column in case.columns
        for cell in column.cells
        if column.kind == "text" and isinstance(cell, str) and len(cell) > _INLINE and cell not in shown
    }
    # Of a large table some of them will do.
    some = sorted(texts)[:: len(texts) // _CANARIES + 1]
    everything = "\n".join(shown)
    found = sum(text.encode() in content and text not in everything for text in some)
    if found:
        yield Problem("bytes", f"The bytes of the {where} hold {found} texts that no published row shows.")


_PAIRS_BEYOND_CHANCE = 12
_CANARIES = 300
_INLINE = 12
"""A text of so many bytes stands beside its length in polars; a longer one lies in a buffer."""


def people_of(case: Case, rows: Rows) -> list[Any] | None:
    """Whose each published row is, where that can be found out."""
    if case.entity is None or not any(column.name == "row" for column in case.columns):
        return None
    cells = case.column(case.entity).cells
    place = {f"row-{row}": row for row in range(case.rows)}
    return [cells[place[str(cell)]] for cell in rows.cells["row"] if str(cell) in place]


def fewest_people(case: Case, rows: Rows, columns: Sequence[str], people: Sequence[Any]) -> int:
    """The people of the class with fewest of them."""
    held: dict[Key, set[Any]] = defaultdict(set)
    for row, person in enumerate(people):
        held[tuple(written(rows.cells[name][row]) for name in columns)].add(person)
    return min(map(len, held.values()), default=0)


def _people(case: Case, rows: Rows, where: str) -> Iterator[Problem]:
    """Every class has k people; where their rows stay linked, k of them have the same classes."""
    people = people_of(case, rows)
    if people is None:
        return
    quasi = [column.name for column in case.of_role("quasi")]
    for one in case.requirements:
        if "k" in one:
            fewest = fewest_people(case, rows, one.get("shield") or quasi, people)
            if fewest < one["k"]:
                yield Problem("requirement", f"A class of the {where} has {fewest} people where k = {one['k']}.")
    if case.entity in case.published:
        classes: dict[Any, set[Key]] = defaultdict(set)
        for row, person in enumerate(people):
            classes[person].add(tuple(written(rows.cells[name][row]) for name in quasi))
        alike = min(Counter(map(frozenset, classes.values())).values(), default=0)
        least = max((one["k"] for one in case.requirements if "k" in one), default=1)
        if alike < least:
            yield Problem("requirement", f"In the {where} {alike} people share all their classes where k = {least}.")


def _linked(case: Case, rows: Rows, where: str, columns: Sequence[str]) -> Iterator[Problem]:
    """Where columns link the rows of a person, k people have the same classes."""
    if not columns:
        return
    quasi = [column.name for column in case.of_role("quasi")]
    classes: dict[Key, list[Key]] = defaultdict(list)
    for row in range(rows.number):
        link = tuple(_reading(case, case.column(name), rows.cells[name][row], rows.text) for name in columns)
        # A row without a value is linked to no other.
        key = link if None not in link else ("a row of its own", row)
        classes[key].append(tuple(written(rows.cells[name][row]) for name in quasi))
    # Where nobody has several rows, nothing is linked; where few have, several columns may agree by chance.
    pairs: Counter[int] = Counter()
    for found in classes.values():
        pairs[len(found)] += math.comb(len(found), 2)
    if max(pairs.values()) < (_PAIRS_BEYOND_CHANCE if len(columns) > 1 else 1):
        return
    alike, least = min(Counter(map(frozenset, classes.values())).values()), _largest_k(case)
    if alike < least:
        told = " and ".join(map(repr, columns))
        yield Problem("links", f"By {told} of the {where} {alike} people share all their classes where k = {least}.")


def _pseudonymous(case: Case, rows: Rows, where: str, name: str) -> Iterator[Problem]:
    """Where nobody says who is a person, a pseudonym is one; a row without any may be somebody else's."""
    quasi = [column.name for column in case.of_role("quasi")]
    people: dict[Key, set[Any]] = defaultdict(set)
    for row, cell in enumerate(rows.cells[name]):
        whose = _reading(case, case.column(name), cell, rows.text)
        people[tuple(written(rows.cells[one][row]) for one in quasi)].add(row if whose is None else whose)
    least = _largest_k(case)
    fewest = min(map(len, people.values()), default=least)
    if fewest < least:
        yield Problem("links", f"A class of the {where} has {fewest} pseudonyms of {name!r} where k = {least}.")


def _joined(case: Case, rows: Rows, where: str, statistics: bool) -> Iterator[Problem]:
    """Compare each row with its own original, found by the row's number."""
    place = {f"row-{row}": row for row in range(case.rows)}
    at = [place.get(str(cell), -1) for cell in rows.cells["row"]]
    if min(at, default=0) < 0 or len(set(at)) < len(at):
        yield Problem("rows", f"A row of the {where} was invented or stands there twice.")
        return
    for column in _others(case):
        readings = [_reading(case, column, cell, rows.text) for cell in rows.cells[column.name]]
        changed = sum(one != _meant(case, column, row, rows.text) for one, row in zip(readings, at, strict=True))
        if changed:
            yield Problem("others", f"{changed} cells of the column {column.name!r} of the {where} were changed.")
    for column in case.of_role("pseudonymize"):
        yield from _pseudonyms(case, column, rows, at, where)
    for column in case.of_role("quasi"):
        yield from _covered(case, column, rows, at, where, statistics)


def _unjoined(case: Case, rows: Rows, where: str) -> Iterator[Problem]:
    """Compare the other columns as multisets of rows."""
    others = _others(case)
    if not others:
        return
    before = Counter(tuple(_meant(case, column, row, rows.text) for column in others) for row in range(case.rows))
    cells = [[_reading(case, column, cell, rows.text) for cell in rows.cells[column.name]] for column in others]
    if Counter(zip(*cells, strict=True)) - before:
        yield Problem("others", f"The {where} has other columns than the input, together row by row.")


def _others(case: Case) -> list[Column]:
    """The columns that are published as they are."""
    return [
        column
        for column in case.of_role("target", "sensitive", "insensitive", "unnamed")
        if column.name in case.published
    ]


def _from_csv(case: Case) -> bool:
    return case.source in ("csv", "csv.gz")


def _given(case: Case, column: Column, row: int) -> Any:
    """The original cell as its source holds it."""
    cell = column.cells[row]
    return csv_text(case, cell) if _from_csv(case) else original(column, cell)


def _meant(case: Case, column: Column, row: int, text: bool) -> Any:
    """What an original cell means; where a CSV stands between, null and an empty text are one."""
    value = _given(case, column, row)
    return None if value == "" and (text or _from_csv(case)) else value


def _reading(case: Case, column: Column, cell: Any, text: bool) -> Any:
    """What a published cell means, in the type of the original."""
    if cell is None or (cell == "" and (text or _from_csv(case))):
        return None
    if not text or _from_csv(case) or column.kind == "text":
        return cell
    try:
        return _PARSERS[column.kind](cell)
    except (ValueError, KeyError):
        return f"unreadable: {cell}"


_PARSERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "bool": {"true": True, "false": False}.__getitem__,
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
}


def _pseudonyms(case: Case, column: Column, rows: Rows, at: Sequence[int], where: str) -> Iterator[Problem]:
    """One person, one pseudonym, and nobody else has it; null stays null."""
    people = [_meant(case, column, row, rows.text) for row in at]
    names = [_reading(case, column, cell, rows.text) for cell in rows.cells[column.name]]
    pairs = set(zip(people, names, strict=True))
    if len(pairs) != len(set(people)) or len(pairs) != len(set(names)):
        yield Problem("others", f"The pseudonyms of {column.name!r} of the {where} do not tell people apart as before.")
    if any((person is None) != (name is None) for person, name in pairs):
        yield Problem("others", f"A pseudonym of {column.name!r} of the {where} stands for nobody.")


def _covered(
    case: Case, column: Column, rows: Rows, at: Sequence[int], where: str, statistics: bool
) -> Iterator[Problem]:
    """Each cell is true of its row; a mean lies between the least and the greatest of its class."""
    cells = rows.cells[column.name]
    # Where a CSV stands between, an empty text may be one, or no value.
    missing = (*case.missing, "") if rows.text or _from_csv(case) else case.missing
    values = [_given(case, column, row) for row in at]
    wrong = 0
    means: dict[Key, list[tuple[float, Any]]] = defaultdict(list)
    quasi = [rows.cells[one.name] for one in case.of_role("quasi")]
    for row, (cell, value) in enumerate(zip(cells, values, strict=True)):
        number = measured(value, column)
        if statistics and is_statistic(cell, column) and number is not None:
            means[tuple(written(other[row]) for other in quasi)].append((number, cell))
        elif not (covers(cell, value, column, missing) or covers(cell, value, column, case.missing)):
            # A column of numbers that hides one shows nothing.
            wrong += not (statistics and is_missing(cell, missing))
    if wrong:
        yield Problem("covering", f"{wrong} cells of {column.name!r} of the {where} do not cover their rows' values.")
    if any(not _between(members) for members in means.values()):
        yield Problem("covering", f"A mean of {column.name!r} of the {where} lies outside the values of its class.")


def _between(members: list[tuple[float, Any]]) -> bool:
    numbers = [number for number, _ in members]
    mean = _statistic(members[0][1])
    if mean is None:
        return False
    # A mean is rounded, a date's to the day.
    slack = 1.0 + 1e-9 * max(map(abs, numbers))
    return min(numbers) - slack <= mean <= max(numbers) + slack


def _statistic(cell: Any) -> float | None:
    if isinstance(cell, str) and as_number(cell) is None:
        return as_number(dt.date.fromisoformat(cell))
    return as_number(cell)


def inspect_files(case: Case, saved: Path, rows: Rows, lost: int) -> Iterator[Problem]:
    """Look at what stands beside the table: the manifest, the proportions, and nothing else."""
    manifest, told = (saved.with_name(f"{saved.name}.{name}.json") for name in ("manifest", "proportions"))
    expected = {saved, manifest, *([told] if case.proportions else [])}
    present = set(saved.parent.iterdir())
    if present != expected:
        yield Problem("files", f"There are {sorted(path.name for path in present)} in the folder of the release.")
        return
    for path in sorted(present):
        content = path.read_bytes()
        plain = gzip.decompress(content) if path.suffix == ".gz" else content
        if IDENTIFIERS.encode() in plain:
            yield Problem("identifier", f"The file {path.name} holds a value of an identifying column.")
    quasi = [column.name for column in case.of_role("quasi")]
    yield from _manifest(case, saved, json.loads(manifest.read_text(encoding="utf-8")), lost, rows, quasi)
    if case.proportions:
        yield from _proportions(case, json.loads(told.read_text(encoding="utf-8")), rows)


def _manifest(
    case: Case, saved: Path, manifest: dict[str, Any], lost: int, rows: Rows, quasi: Sequence[str]
) -> Iterator[Problem]:
    output = manifest["output"]
    if output["file"] != saved.name or output["sha256"] != hashlib.sha256(saved.read_bytes()).hexdigest():
        yield Problem("manifest", "The manifest's hash is not that of the table.")
    if (manifest["rows_in"], manifest["rows_lost"]) != (case.rows, lost):
        yield Problem("manifest", "The manifest tells other numbers of rows.")
    if manifest["weights"] != case.weights:
        yield Problem("manifest", "The manifest tells other weights of columns.")
    limit = case.options.get("suppression_limit", 0)
    if lost > (limit if isinstance(limit, int) else limit * case.rows):
        yield Problem("rows", f"{lost} of {case.rows} rows were lost, more than allowed.")
    people = people_of(case, rows)
    if case.entity is not None and people is None:
        return
    smallest = smallest_class(rows.cells, quasi) if people is None else fewest_people(case, rows, quasi, people)
    possible = {smallest} if case.entity is not None else _by_pseudonyms(case, rows, quasi) or {smallest}
    if manifest["guaranteed"] is not True or manifest["audit"]["k"] not in possible:
        yield Problem("manifest", f"The manifest says k = {manifest['audit']['k']}, the file k = {sorted(possible)}.")


def _by_pseudonyms(case: Case, rows: Rows, quasi: Sequence[str]) -> set[int]:
    """The k of people, by each column of pseudonyms that stand in several rows; rows without one are one person."""
    found = set()
    for column in case.of_role("pseudonymize"):
        people = [_reading(case, column, cell, rows.text) for cell in rows.cells[column.name]]
        named = [one for one in people if one is not None]
        if len(set(named)) < len(named):
            found.add(fewest_people(case, rows, quasi, people))
    return found


def _proportions(case: Case, told: dict[str, Any], rows: Rows) -> Iterator[Problem]:
    """Each share is of at least k people, no value of fewer is named, and nothing of fewer follows."""
    ks = [one["k"] for one in case.requirements if "k" in one and not one.get("shield")]
    smallest = min(_records(told), default=0)
    if smallest < max(ks, default=1):
        yield Problem("proportions", f"The proportions tell of {smallest} people where k = {max(ks)}.")

    least = told.get("min_support", 1)
    if least < 2 or case.rows > _SMALL:
        return
    whose = range(case.rows) if case.entity is None else case.column(case.entity).cells
    kept = sorted(_published(case, rows))
    for one in told["columns"]:
        column = case.column(one["name"])
        published = replace(column, cells=tuple(column.cells[row] for row in kept))
        people = [whose[row] for row in kept]
        for sentence in named_by_few(case, published, one, least, rows.cells[column.name], people):
            yield Problem("named", f"{sentence}.")
        for sentence in fixed_counts(case, column, one, told["sizes"], least):
            yield Problem("fixed", f"It follows from the proportions {sentence}.")


_SMALL = 100
"""Where a table has more rows, the programs of the attacker take long."""


def _published(case: Case, rows: Rows) -> set[int]:
    """The original rows that are published, as far as that can be found out; else all of them."""
    if not any(column.name == "row" for column in case.columns):
        return set(range(case.rows))
    place = {f"row-{row}": row for row in range(case.rows)}
    return {place[str(cell)] for cell in rows.cells["row"]}


def _records(stored: Any) -> Iterator[int]:
    """Every number of people that is told, wherever it stands."""
    if isinstance(stored, dict):
        for name, inside in stored.items():
            if name == "records" and isinstance(inside, list):
                yield from (number for number in _flat(inside) if number is not None)
            else:
                yield from _records(inside)
    elif isinstance(stored, list):
        for inside in stored:
            yield from _records(inside)


def _flat(nested: Any) -> Iterator[Any]:
    if isinstance(nested, list):
        for inside in nested:
            yield from _flat(inside)
    else:
        yield nested
