"""Examine the columns of a release that are published as they are, before anybody sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.counts import BadValues, Counted, FrequencyTable, encode_column, tabulate
from hedgerow.core.recoding import Recoding
from hedgerow.engines import SAMPLE_ROWS, CountedSource, InClear, coded, thinned
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.risk._leakage import Coded, Jointly, given_away, given_away_together
from hedgerow.risk.clear import MOST_TOGETHER, ClearColumn, ClearRole
from hedgerow.risk.dependencies import Values, determines
from hedgerow.schema import Roles
from hedgerow.verifier import ClassCounts

__all__ = ["Examined", "Seen", "examine", "judge"]

_FEWEST_ALONE: Final = 10  # people, from whom on a text or code of the target or a sensitive column is judged
_FEWEST_SHARED: Final = 28  # pairs of people who share a number by chance: that a quarter do is then no chance
_LONG_CODE: Final = 1e7  # a code of eight digits


class Seen(NamedTuple):
    """What was looked at.

    Attributes
    ----------
    told : mapping of column to mapping
        How much each column in clear tells of each quasi-identifier.
    together : mapping of quasi-identifier to Jointly
        What columns that are not accepted tell together, where that is more than any of them tells alone.
    determined : mapping of column to tuple of str
        The quasi-identifiers that determine each column, where some do.
    in_clear : InClear or None
        What the engine counted, if anything.
    """

    told: dict[str, dict[str, float]]
    together: dict[str, Jointly]
    determined: dict[str, tuple[str, ...]]
    in_clear: InClear | None

    def known(self, roles: Roles, accepted: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The columns that count as quasi-identifiers in what is verified, and by what they are determined."""
        return {
            name: self.determined[name]
            for name in roles.insensitive
            if name in self.determined and name not in accepted
        }


class Examined(NamedTuple):
    """What the columns in clear tell, each by itself, and how few share the values of all columns."""

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
    """Look at every column that is published but is no quasi-identifier.

    Parameters
    ----------
    source : CountedSource
        That the recoding was applied to.
    counts : Counted
        The original table.
    recoding : Recoding
    random_state : int, optional
        Chooses the classes that are looked at.
    accepted : collection of str
        The columns that somebody accepts as they are: they are not judged together with others.
    missing : sequence of str
        Texts that mean "no value".
    """
    roles = counts.roles
    random = np.random.default_rng(random_state)
    class_of_group = _class_of_group(recoding)
    chosen = _chosen(recoding, class_of_group, random)
    sample = _Sample.of_counts(counts, recoding, class_of_group, chosen)
    told = sample.told(counts, random)
    determined = sample.determined(counts)
    in_clear = None
    if roles.insensitive or roles.pseudonymized:
        in_clear = source.in_clear(class_of_group, chosen)
        sample = _Sample.of_rows(in_clear, counts, missing)
        told |= sample.told(counts, random)
        determined |= sample.determined(counts)
        sample = sample.with_counted(in_clear, counts)
    judged = [name for name in sample.columns if name not in accepted and name != roles.entity]
    return Seen(told, sample.told_together(counts, judged, told, random), determined, in_clear)


def judge(seen: Seen, counts: Counted, published: ClassCounts, *, accepted: Collection[str] = ()) -> Examined:
    """Judge every column that was looked at.

    Parameters
    ----------
    seen : Seen
    counts : Counted
        The original table.
    published : ClassCounts
        The published rows, counted with the target and the sensitive columns.
    accepted : collection of str
        The columns that somebody accepts as they are.
    """
    roles = counts.roles
    columns = {
        name: _protected(seen, counts, published, name, accepted=name in accepted) for name in counts.cell_columns
    }
    if seen.in_clear is None:
        return Examined(columns, published.k_all)
    columns |= {
        name: ClearColumn(
            "entity" if name == roles.entity else "insensitive",
            seen.in_clear.alone[name] / published.people,
            seen.in_clear.fewest[name],
            seen.told[name],
            name in accepted,
            determined_by=seen.determined.get(name, ()),
        )
        for name in roles.insensitive
    }
    order = [name for name in roles.published if name in columns]
    return Examined({name: columns[name] for name in order}, seen.in_clear.fewest_of_all)


def _protected(seen: Seen, counts: Counted, published: ClassCounts, name: str, *, accepted: bool) -> ClearColumn:
    """Judge the target or a sensitive column."""
    histogram = published.histogram(name)
    alone, values = _held_alone(published, name)
    return ClearColumn(
        _role(counts, name),
        alone / published.people,
        int(histogram.counts.min()),
        seen.told[name],
        accepted,
        alone >= _FEWEST_ALONE and _is_code(counts.domains[name], published.people, values),
        seen.determined.get(name, ()),
    )


def _held_alone(published: ClassCounts, name: str) -> tuple[int, int]:
    """How many people have a value that nobody else has, and how many different values there are."""
    overall = published.histogram(name).overall
    people = published.cells.people
    if people is None:
        return int((overall == 1).sum()), len(overall)
    values = published.cells.sensitive[name].codes
    pairs, _ = tabulate([values, people], [int(values.max()) + 1, int(people.max()) + 1], len(people))
    alone = np.bincount(pairs[:, 0])[pairs[:, 0]] == 1
    return len(np.unique(pairs[alone, 1])), len(overall)


def _is_code(domain: Domain, people: int, values: int) -> bool:
    """Whether single values name people: text does, and so do whole numbers that were given out, not measured.

    These are long and all of one length, as the numbers of cards and insurances; or far fewer people share one than
    chance would bring together in their range, as serial numbers.
    """
    if domain.kind != "number":
        return domain.kind == "text"
    numbers = domain.values
    if not len(numbers) or (numbers != np.floor(numbers)).any():
        return False
    low, high = float(numbers[0]), float(numbers[-1])
    if low >= _LONG_CODE and np.floor(np.log10(low)) == np.floor(np.log10(high)):
        return True
    by_chance = people * (people - 1.0) / 2 / (high - low + 1)
    return by_chance >= _FEWEST_SHARED and people - values <= by_chance / 4


def _role(counts: Counted, name: str) -> ClearRole:
    return "sensitive" if name in counts.roles.sensitive else "target"


def _class_of_group(recoding: Recoding) -> Longs:
    """Groups that publish the same are one class."""
    codes, sizes = [], []
    for at, column in enumerate(recoding.columns):
        known: dict[str | None, int] = {}
        code = np.array([known.setdefault(text, len(known)) for text in column.texts], dtype=np.int32)
        codes.append(code[recoding.groups[:, at]])
        sizes.append(len(known))
    _, index = tabulate(codes, sizes, len(recoding.groups))
    return index.astype(np.int64)


def _chosen(recoding: Recoding, class_of_group: Longs, random: np.random.Generator) -> Bools:
    """A random choice of classes that hold enough rows together."""
    records = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(len(recoding.groups))
    sizes = np.bincount(class_of_group, records, int(class_of_group.max()) + 1)
    order = random.permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[order[: np.searchsorted(np.cumsum(sizes[order]), SAMPLE_ROWS) + 1]] = True
    return chosen


class _Column(NamedTuple):
    """A column of the sample, as it is measured and as it is compared with quasi-identifiers."""

    coded: Coded
    values: Values

    @classmethod
    def of(cls, codes: Ints, domain: Domain, missing: Sequence[str] = ()) -> _Column:
        return cls(Coded.of(codes, domain), Values.of(codes, domain, markers=missing))


class _Sample(NamedTuple):
    """Rows of the chosen classes: the class and the tuple of each, and columns beside the quasi-identifiers.

    Where people are counted, it has one row of each, the one at home: many rows of one person say nothing of others.
    """

    classes: Ints
    tuples: Ints
    columns: Mapping[str, _Column]

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
        found = thinned(np.arange(sum(map(len, classes))))
        of_column = np.concatenate(values)[found].T
        columns = {
            name: _Column.of(codes, counts.domains[name])
            for name, codes in zip(counts.cell_columns, of_column, strict=False)
        }
        return cls(np.concatenate(classes)[found], np.concatenate(tuples)[found], columns)

    @classmethod
    def of_rows(cls, seen: InClear, counts: Counted, missing: Sequence[str] = ()) -> _Sample:
        """Rows that the engine has looked at; texts in ``missing`` mean "no value"."""
        columns = {name: _coded(name, values, missing) for name, values in seen.values.items()}
        sample = cls(seen.classes, counts.quasi_codes(seen.cells), columns)
        is_representative = _at_home(seen, counts)
        return sample if is_representative is None else sample._only(is_representative)

    def _only(self, rows: Bools) -> _Sample:
        """Some of the rows."""
        columns = {
            name: _Column(
                replace(one.coded, codes=one.coded.codes[rows]), replace(one.values, codes=one.values.codes[rows])
            )
            for name, one in self.columns.items()
        }
        return _Sample(self.classes[rows], self.tuples[rows], columns)

    def with_counted(self, seen: InClear, counts: Counted) -> _Sample:
        """The same rows with the target and the sensitive columns."""
        is_representative = _at_home(seen, counts)
        codes = counts.value_codes(seen.cells if is_representative is None else seen.cells[is_representative])
        counted = {name: _Column.of(codes[:, at], counts.domains[name]) for at, name in enumerate(counts.cell_columns)}
        return self._replace(columns={**self.columns, **counted})

    def told(self, counts: Counted, random: np.random.Generator) -> dict[str, dict[str, float]]:
        """What each column tells of each quasi-identifier."""
        if not len(self.classes) or not self.columns:
            return {name: {} for name in self.columns}
        columns = {name: one.coded for name, one in self.columns.items()}
        return given_away(self._numbered, self._originals(counts), columns, random)

    def told_together(
        self,
        counts: Counted,
        judged: Sequence[str],
        told: Mapping[str, Mapping[str, float]],
        random: np.random.Generator,
    ) -> dict[str, Jointly]:
        """What some columns tell together, of which none tells so much alone."""
        columns = {
            name: self.columns[name].coded for name in judged if max(told[name].values(), default=0.0) < MOST_TOGETHER
        }
        if not len(self.classes) or len(columns) < 2:
            return {}
        return given_away_together(
            self._numbered,
            self._originals(counts),
            columns,
            told,
            random,
            enough=MOST_TOGETHER,
            last=counts.cell_columns,
        )

    def determined(self, counts: Counted) -> dict[str, tuple[str, ...]]:
        """The quasi-identifiers that determine each column."""
        known = {
            name: Values.of(self.tuples[:, at], counts.domains[name], counts.hierarchies.get(name))
            for at, name in enumerate(counts.quasi)
        }
        found = {
            name: tuple(by for by, values in known.items() if determines(values, one.values))
            for name, one in self.columns.items()
            if name != counts.roles.entity
        }
        return {name: by for name, by in found.items() if by}

    @property
    def _numbered(self) -> Ints:
        return tabulate([self.classes], [int(self.classes.max()) + 1], len(self.classes))[1]

    def _originals(self, counts: Counted) -> dict[str, Coded]:
        return {name: Coded.of(self.tuples[:, at], counts.domains[name]) for at, name in enumerate(counts.quasi)}


def _at_home(seen: InClear, counts: Counted) -> Bools | None:
    """Which rows of a sample are at home; ``None`` where rows are counted."""
    if not isinstance(counts, FrequencyTable) or counts.is_representative is None:
        return None
    return counts.is_representative[seen.cells]


def _coded(name: str, values: pa.ChunkedArray, missing: Sequence[str] = ()) -> _Column:
    """A column as codes, in the order of its values if they are numbers or dates."""
    try:
        encoded = encode_column(name, values, missing=(), kind="derived")
    except (BadInput, BadValues):
        codes = coded(values)
        absent = tuple(np.unique(codes[np.asarray(values.is_null())]).tolist())
        return _Column(Coded(codes, int(codes.max()) + 1, ordered=False), Values(codes, absent))
    return _Column.of(encoded.codes, encoded.domain, missing)
