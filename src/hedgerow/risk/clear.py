"""Columns in clear: what they disclose, and when that is too much.

k-anonymity concerns the quasi-identifiers only. A column beside them may undo it, whatever its role: a number that
nobody else has identifies its person, a year of birth reveals the age that the release hides, and year, month and day
together reveal the date. If a quasi-identifier determines a column, an attacker who knows the one knows the other: an
insensitive column of this kind counts as a quasi-identifier when the release is verified.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.counts import BadValues, Counted, FrequencyTable, encode_column, tabulate
from hedgerow.core.recoding import Recoding
from hedgerow.engines import SAMPLE_ROWS, CountedSource, InClear, coded, thinned
from hedgerow.errors import BadInput, Disclosing, listing
from hedgerow.io.domains import Domain
from hedgerow.risk._leakage import Coded, JointLeakage, joint_leakage, leakage
from hedgerow.risk.dependencies import Values, determines
from hedgerow.schema import Roles
from hedgerow.verifier import ClassCounts

__all__ = [
    "MOST_ALONE",
    "MOST_BY_PROTECTED",
    "MOST_GIVEN_AWAY",
    "MOST_TOGETHER",
    "ClearColumn",
    "ClearRole",
    "Examined",
    "Seen",
    "examine",
    "judge",
    "refuse_determined",
    "refuse_disclosing",
]

# From these shares on, a column in clear is refused.
MOST_ALONE: Final = 0.05  # of the people have a value that nobody else has
MOST_GIVEN_AWAY: Final = 0.5  # of what is hidden of a quasi-identifier is revealed
MOST_BY_PROTECTED: Final = 0.9  # the same for the target and sensitive columns: nearly a copy of the quasi-identifier
MOST_TOGETHER: Final = 0.75  # the same for several columns, which are chosen among many to reveal most

ClearRole = Literal["insensitive", "target", "sensitive", "entity"]

_FEWEST_ALONE: Final = 10  # people with a value of their own: fewer do not make text or a code disclosive
_FEWEST_SHARED: Final = 28  # pairs of people who share a number by chance: that a quarter do is then no chance
_LONG_CODE: Final = 1e7  # a code of eight digits
_OF_ONE_LENGTH: Final = 0.85  # of the numbers


@dataclass(frozen=True)
class ClearColumn:
    """What a column in clear discloses.

    Parameters
    ----------
    role : {"insensitive", "target", "sensitive", "entity"}
        The column of the person ("entity") links rows, and is judged by that.
    alone : float
        The share of people whose value nobody else has.
    k : int
        The fewest records that share a class and a value of this column.
    gives_away : mapping of quasi-identifier to float
        The share of what the release hides of the quasi-identifier that this column reveals.
    accepted : bool
        Whether the schema accepts what it discloses.
    judged_alone : bool
        Whether values that nobody else has count against the column. For the target and sensitive columns they do if
        the column holds text or a code, and at least ten people have such values: a salary is not refused for being
        continuous.
    determined_by : tuple of str
        The quasi-identifiers that determine it: an attacker who knows one of them for a person knows this column too.
    """

    role: ClearRole
    alone: float
    k: int
    gives_away: Mapping[str, float] = field(default_factory=dict)
    accepted: bool = False
    judged_alone: bool = True
    determined_by: tuple[str, ...] = ()

    @property
    def singles_out(self) -> bool:
        """Whether too many people have a value that nobody else has."""
        return self.judged_alone and self.alone >= MOST_ALONE

    @property
    def known(self) -> bool:
        """Whether it counts as a quasi-identifier when the release is verified."""
        return self.role == "insensitive" and bool(self.determined_by) and not self.accepted

    @property
    def excused(self) -> bool:
        """Whether it would be refused, or count as a quasi-identifier, had the publisher not accepted it."""
        return self.accepted and (self.discloses or (self.role == "insensitive" and bool(self.determined_by)))

    @property
    def most(self) -> tuple[str, float]:
        """The quasi-identifier about which it reveals most, and how much."""
        name = max(self.gives_away, key=self.gives_away.__getitem__, default="")
        return name, self.gives_away.get(name, 0.0)

    @property
    def discloses(self) -> bool:
        """Whether it may be published only if the publisher accepts it."""
        return self.role != "entity" and (self.singles_out or max(self.gives_away.values(), default=0.0) >= self.limit)

    @property
    def limit(self) -> float:
        """From which share on it reveals too much; target and sensitive columns are protected, and may reveal more."""
        return MOST_GIVEN_AWAY if self.role == "insensitive" else MOST_BY_PROTECTED

    @property
    def reason(self) -> str:
        """Why it is refused, as the end of a sentence that begins with its name."""
        parts = []
        if self.singles_out:
            parts.append(f"holds a value that nobody else has for {self.alone:.0%} of the people")
        shares = [f"{share:.0%} of {name!r}" for name, share in self.gives_away.items() if share >= self.limit]
        if shares:
            parts.append(f"reveals what the release hides: {', '.join(shares)}")
        return " and ".join(parts)


class Seen(NamedTuple):
    """What was measured of the columns in clear.

    Attributes
    ----------
    leakage : mapping of column to mapping
        How much each column in clear reveals about each quasi-identifier.
    together : mapping of quasi-identifier to JointLeakage
        What columns that are not accepted reveal together, if it is more than each of them reveals alone.
    determined : mapping of column to tuple of str
        The quasi-identifiers that determine each column, if any do.
    in_clear : InClear or None
        What the engine counted, if anything.
    """

    leakage: dict[str, dict[str, float]]
    together: dict[str, JointLeakage]
    determined: dict[str, tuple[str, ...]]
    in_clear: InClear | None

    def known(self, roles: Roles, accepted: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The columns that the verifier counts as quasi-identifiers, each with those that determine it."""
        names = [name for name in roles.insensitive if name in self.determined and name not in accepted]
        return {name: self.determined[name] for name in names}


class Examined(NamedTuple):
    """What each column in clear discloses, and the fewest rows or people that share the values of all columns."""

    columns: dict[str, ClearColumn]
    k_all: int


def examine(
    source: CountedSource,
    counts: Counted,
    recoding: Recoding,
    *,
    random_state: int | None = None,
    accepted: Collection[str] = (),
    missing: Sequence[str] = (),
) -> Seen:
    """Measure every column that is published but is not a quasi-identifier.

    Parameters
    ----------
    source : CountedSource
        The source that the recoding was applied to.
    counts : Counted
        The original table.
    recoding : Recoding
    random_state : int, optional
        Draws the classes that are examined.
    accepted : collection of str
        Columns that the publisher accepts as they are. They are not measured together with others.
    missing : sequence of str
        Texts that mean "no value".
    """
    roles = counts.roles
    random = np.random.default_rng(random_state)
    class_of_group, chosen = _draw_classes(recoding, random)
    sample = _Sample.of_counts(counts, recoding, class_of_group, chosen)
    leaked = sample.leakage(counts.cell_columns, random)
    determined = sample.determined(counts, counts.cell_columns)
    in_clear = None
    if roles.insensitive or roles.pseudonymized:
        in_clear = source.in_clear(class_of_group, chosen)
        sample = _Sample.of_rows(in_clear, counts, missing)
        leaked |= sample.leakage(tuple(in_clear.values), random)
        determined |= sample.determined(counts, tuple(in_clear.values))
    judged = [
        name
        for name in sample.columns
        if name not in accepted and name != roles.entity and max(leaked[name].values(), default=0.0) < MOST_TOGETHER
    ]
    together = {}
    if len(sample.classes) and len(judged) > 1:
        clear = {name: sample.columns[name].coded for name in judged}
        together = joint_leakage(
            sample.classes, sample.originals, clear, leaked, random, enough=MOST_TOGETHER, last=counts.cell_columns
        )
    return Seen(leaked, together, determined, in_clear)


def judge(seen: Seen, counts: Counted, published: ClassCounts, *, accepted: Collection[str] = ()) -> Examined:
    """Judge every column that was examined.

    Parameters
    ----------
    seen : Seen
    counts : Counted
        The original table.
    published : ClassCounts
        The published rows, counted with the target and the sensitive columns.
    accepted : collection of str
        Columns that the publisher accepts as they are.
    """
    roles = counts.roles
    columns = {}
    for name in counts.cell_columns:
        alone, values = _people_alone(published, name)
        columns[name] = ClearColumn(
            "sensitive" if name in roles.sensitive else "target",
            alone / published.people,
            int(published.histogram(name).counts.min()),
            seen.leakage[name],
            name in accepted,
            alone >= _FEWEST_ALONE and _is_code(counts.domains[name], published.people, values),
            seen.determined.get(name, ()),
        )
    if seen.in_clear is None:
        return Examined(columns, published.k_all)
    columns |= {
        name: ClearColumn(
            "entity" if name == roles.entity else "insensitive",
            seen.in_clear.alone[name] / published.people,
            seen.in_clear.fewest[name],
            seen.leakage[name],
            name in accepted,
            determined_by=seen.determined.get(name, ()),
        )
        for name in roles.insensitive
    }
    order = [name for name in roles.published if name in columns]
    return Examined({name: columns[name] for name in order}, seen.in_clear.fewest_of_all)


def _people_alone(published: ClassCounts, name: str) -> tuple[int, int]:
    """The number of people who have a value that nobody else has, and the number of different values."""
    overall = published.histogram(name).overall
    people = published.cells.people
    if people is None:
        return int((overall == 1).sum()), len(overall)
    values = published.cells.sensitive[name].codes
    pairs, _ = tabulate([values, people], [int(values.max()) + 1, int(people.max()) + 1], len(people))
    alone = np.bincount(pairs[:, 0])[pairs[:, 0]] == 1
    return len(np.unique(pairs[alone, 1])), len(overall)


def _is_code(domain: Domain, people: int, values: int) -> bool:
    """Whether single values identify people, as text does, and as whole numbers do that were assigned, not measured.

    Assigned numbers are long and nearly all of one length, as those of cards and insurances; some have lost leading
    zeros. Or far fewer people share a number than chance would bring together in their range, as with serial numbers.
    """
    if domain.kind != "number":
        return domain.kind == "text"
    numbers = domain.values
    if not len(numbers) or (numbers != np.floor(numbers)).any():
        return False
    low, high = float(numbers[0]), float(numbers[-1])
    # Of numbers that may begin with any digit, 90 % do not begin with a zero.
    longest = 10 ** np.floor(np.log10(max(high, 1)))
    if low >= 0 and longest >= _LONG_CODE and (numbers >= longest).mean() >= _OF_ONE_LENGTH:
        return True
    by_chance = people * (people - 1.0) / 2 / (high - low + 1)
    return by_chance >= _FEWEST_SHARED and people - values <= by_chance / 4


def _draw_classes(recoding: Recoding, random: np.random.Generator) -> tuple[Longs, Bools]:
    """Draw classes that hold enough rows together: the class of each group, and which classes are drawn.

    Groups that publish the same values are one class.
    """
    codes, sizes = [], []
    for at, column in enumerate(recoding.columns):
        known: dict[str | None, int] = {}
        code = np.array([known.setdefault(text, len(known)) for text in column.texts], dtype=np.int32)
        codes.append(code[recoding.groups[:, at]])
        sizes.append(len(known))
    class_of_group = tabulate(codes, sizes, len(recoding.groups))[1].astype(np.int64)
    records = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(len(recoding.groups))
    rows = np.bincount(class_of_group, records, int(class_of_group.max()) + 1)
    order = random.permutation(len(rows))
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[order[: np.searchsorted(np.cumsum(rows[order]), SAMPLE_ROWS) + 1]] = True
    return class_of_group, chosen


class _Column(NamedTuple):
    """A column of the sample: as its leakage is measured, and as it is compared with quasi-identifiers."""

    coded: Coded
    values: Values

    @classmethod
    def of(cls, codes: Ints, domain: Domain, missing: Sequence[str] = ()) -> _Column:
        return cls(Coded.of(codes, domain), Values.of(codes, domain, markers=missing))

    def only(self, rows: Longs) -> _Column:
        """Some of the rows."""
        return _Column(
            replace(self.coded, codes=self.coded.codes[rows]), replace(self.values, codes=self.values.codes[rows])
        )


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows of the drawn classes: the class and the original values of each, and its columns in clear.

    Where people are counted, it has one row of each person, the representative record: many rows of one person show
    nothing about others.

    Attributes
    ----------
    classes : int array (rows,)
        Numbered from 0 on.
    tuples : int array (rows, quasi-identifiers)
    originals : mapping of quasi-identifier to Coded
        The same, column by column.
    columns : mapping of column to _Column
    """

    classes: Ints
    tuples: Ints
    originals: Mapping[str, Coded]
    columns: Mapping[str, _Column]

    @classmethod
    def of(cls, classes: Ints, tuples: Ints, counts: Counted, columns: Mapping[str, _Column]) -> _Sample:
        originals = {name: Coded.of(tuples[:, at], counts.domains[name]) for at, name in enumerate(counts.quasi)}
        numbered = tabulate([classes], [int(classes.max()) + 1], len(classes))[1] if len(classes) else classes
        return cls(numbered, tuples, originals, columns)

    @classmethod
    def of_counts(cls, counts: Counted, recoding: Recoding, class_of_group: Longs, chosen: Bools) -> _Sample:
        """The rows behind the counts, with the columns that were counted."""
        classes, tuples, values = [], [], []
        for part, pieces in recoding.in_parts(counts):
            kept = np.flatnonzero(pieces.group >= 0)
            kept = kept[chosen[class_of_group[pieces.group[kept]]]]
            if part.is_representative is not None:
                kept = kept[part.is_representative[pieces.cell[kept]]]
            piece = thinned(np.repeat(kept, pieces.size[kept]))
            classes.append(class_of_group[pieces.group[piece]].astype(np.int32))
            tuples.append(part.quasi_codes(pieces.cell[piece]))
            values.append(part.cell_values[pieces.cell[piece]])
        rows = thinned(np.arange(sum(map(len, classes))))
        codes = np.concatenate(values)[rows].T
        columns = {
            name: _Column.of(own, counts.domains[name]) for name, own in zip(counts.cell_columns, codes, strict=False)
        }
        return cls.of(np.concatenate(classes)[rows], np.concatenate(tuples)[rows], counts, columns)

    @classmethod
    def of_rows(cls, seen: InClear, counts: Counted, missing: Sequence[str] = ()) -> _Sample:
        """The rows that the engine has read, with the target and the sensitive columns behind the others."""
        classes, cells = seen.classes, seen.cells
        columns = {name: _coded(name, values, missing) for name, values in seen.values.items()}
        if isinstance(counts, FrequencyTable) and counts.is_representative is not None:
            rows = np.flatnonzero(counts.is_representative[cells])
            classes, cells = classes[rows], cells[rows]
            columns = {name: column.only(rows) for name, column in columns.items()}
        codes = counts.value_codes(cells)
        columns |= {name: _Column.of(codes[:, at], counts.domains[name]) for at, name in enumerate(counts.cell_columns)}
        return cls.of(classes, counts.quasi_codes(cells), counts, columns)

    def leakage(self, names: Sequence[str], random: np.random.Generator) -> dict[str, dict[str, float]]:
        """How much each column reveals about each quasi-identifier."""
        if not len(self.classes) or not names:
            return {name: {} for name in names}
        return leakage(self.classes, self.originals, {name: self.columns[name].coded for name in names}, random)

    def determined(self, counts: Counted, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The quasi-identifiers that determine each column, if any do."""
        quasi = {
            name: Values.of(self.tuples[:, at], counts.domains[name], counts.hierarchies.get(name))
            for at, name in enumerate(counts.quasi)
        }
        determined = {}
        for name in names:
            if name == counts.roles.entity:
                continue
            by = tuple([other for other, values in quasi.items() if determines(values, self.columns[name].values)])
            if by:
                determined[name] = by
        return determined


def _coded(name: str, values: pa.ChunkedArray, missing: Sequence[str] = ()) -> _Column:
    """A column as codes, in the order of its values if they are numbers or dates."""
    try:
        encoded = encode_column(name, values, missing=(), kind="derived")
    except (BadInput, BadValues):
        codes = coded(values)
        absent = tuple(np.unique(codes[np.asarray(values.is_null())]).tolist())
        return _Column(Coded(codes, int(codes.max()) + 1, ordered=False), Values(codes, absent))
    return _Column.of(encoded.codes, encoded.domain, missing)


# --------------------------------------------------------------------------------------------------
# Refusals.


def refuse_disclosing(columns: Mapping[str, ClearColumn], together: Mapping[str, JointLeakage] | None = None) -> None:
    """Refuse to publish columns that disclose too much, alone or together, unless they are accepted."""
    refused = {name: column.reason for name, column in columns.items() if column.discloses and not column.accepted}
    sentences = [f"{name!r} {reason}" for name, reason in refused.items()]
    protected = [name for name in refused if columns[name].role in ("target", "sensitive")]
    jointly: dict[str, str] = {}
    for quasi, joint in (together or {}).items():
        if joint.share >= MOST_TOGETHER and not set(joint.columns) & set(refused):
            sentences.append(
                f"{listing(joint.columns)} together reveal {joint.share:.0%} of what the release hides of {quasi!r}"
            )
            jointly |= _joint_reasons(joint, quasi)
    if not sentences:
        return
    refused |= jointly
    raise Disclosing(
        "Columns that would be published unchanged disclose too much: "
        f"{'; '.join(sentences)}. {_ways_out(list(refused), protected)}",
        refused,
    )


def _joint_reasons(joint: JointLeakage, quasi: str) -> dict[str, str]:
    """Why each of several columns is refused together with the others."""
    others = {name: [other for other in joint.columns if other != name] for name in joint.columns}
    return {name: f"reveals too much of {quasi!r} together with {listing(others[name])}" for name in joint.columns}


def refuse_determined(by: Mapping[str, Sequence[str]], failing: str) -> None:
    """Refuse to publish insensitive columns that quasi-identifiers determine, if a requirement fails with them.

    Parameters
    ----------
    by : mapping of column to sequence of str
        The quasi-identifiers that determine each.
    failing : str
        The requirement that fails, as the end of a sentence.
    """
    known = {name: f"is known to anyone who knows {_either(quasi)}" for name, quasi in by.items()}
    sentences = "; ".join(f"{name!r} {reason}" for name, reason in known.items())
    raise Disclosing(
        f"Columns that would be published unchanged follow from quasi-identifiers: {sentences}. With "
        f"{listing(tuple(by))} {failing}. {_ways_out(tuple(by))}",
        known,
    )


def _either(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def _ways_out(names: Sequence[str], protected: Sequence[str] = ()) -> str:
    """Advise what to do about columns. Protected columns are never made quasi-identifiers."""
    each = "it" if len(names) == 1 else "each of them"
    quasi = "" if set(names) == set(protected) else f"make {each} a quasi-identifier (--quasi), "
    advice = f"{quasi}drop it (--drop), or accept it (accept=[…], --accept {','.join(names)})."
    return advice[0].upper() + advice[1:]
