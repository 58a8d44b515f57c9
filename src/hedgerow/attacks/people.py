"""What an attacker knows: the original values of people, what is published, and labels to judge him by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow.anonymizers.registry import all_methods
from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.attacks.given import Given, Rows
from hedgerow.counts import Asked, BadValues, EncodedColumn, encode_column, tabulate
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, amount, translated
from hedgerow.frames import as_arrow, open_frame
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.proportions import published_texts
from hedgerow.published import NO_LABELS, Leaves, covered_values, domain_of, leaves_below, number_in
from hedgerow.release import Release
from hedgerow.risk import KnownColumn, LabelPosterior, Labels, PublishedClasses
from hedgerow.risk.covering import covering_classes
from hedgerow.risk.likelihoods import cells_of_texts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Attacked",
    "Classes",
    "People",
    "Target",
    "Valued",
    "kind_of",
    "people_of",
    "read_labelled",
    "read_people",
    "read_valued",
]

_MOST_LABELS: Final = 256


@dataclass(frozen=True, eq=False)
class Target:
    """The label of a release, or another column that it publishes as it is: its values."""

    domain: Domain

    @classmethod
    def of(cls, release: Release) -> Target:
        """Read it, or say that there is none to tell."""
        name = release.target
        if name is None:
            raise BadInput("The release has no target, so there are no labels to tell. Name the target in the schema.")
        domain = cls.of_column(release, name).domain
        if domain.size > _MOST_LABELS:
            raise BadInput(
                f"The target {name!r} has {domain.size:,} values; labels are told apart up to {_MOST_LABELS}. Publish "
                "it in classes."
            )
        return cls(domain)

    @classmethod
    def of_column(cls, release: Release, name: str) -> Target:
        """Read another column, however many values it has."""
        column = as_arrow(open_frame(release.table).frame[name])
        return cls(_encoded(name, column, release.guarantee.missing, "derived").domain)

    @property
    def labels(self) -> Labels:
        """The labels as text, in the order of their codes."""
        return Labels(self.domain.name, (*self.domain.labels.tolist(), *[None] * self.domain.has_missing))

    def codes(self, column: nw.Series[Any], missing: tuple[str, ...]) -> Longs:
        """The label of each row, -1 where it is none that the release publishes."""
        kind: Asked = "text" if self.domain.kind == "text" else "derived"
        found = _encoded(self.domain.name, as_arrow(column), missing, kind)
        code_of = {label: code for code, label in enumerate(self.domain.labels.tolist())}
        known = [code_of.get(label, -1) for label in found.domain.labels.tolist()]
        return np.array([*known, self.domain.missing_code], dtype=np.int64)[found.codes]


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a release, as everybody can count them.

    Attributes
    ----------
    texts : tuple of tuples of str or None
        What each quasi-identifier publishes, each value once; ``None`` is an empty cell.
    codes : int array (classes, quasi-identifiers)
        Which of them each class publishes.
    of_row : int array (rows,)
        The class of each published row.
    """

    texts: tuple[tuple[str | None, ...], ...]
    codes: Ints
    of_row: Ints

    @cached_property
    def sizes(self) -> Longs:
        """The rows of each class."""
        return np.bincount(self.of_row, minlength=len(self.codes))


@dataclass(frozen=True, eq=False)
class People:
    """People who are in a table, and after them others who are not, as an attacker knows them from elsewhere.

    Attributes
    ----------
    release : Release
    domains : tuple of Domain
        The values of each quasi-identifier that they hold.
    tuples : int array (people, quasi-identifiers)
        The codes of their values.
    members : int
        How many of them are in the table.
    counted : bool array (people,)
        Which of them are judged: one row of each person, where one may have several.
    """

    release: Release
    domains: tuple[Domain, ...]
    tuples: Ints
    members: int
    counted: Bools

    @property
    def judged(self) -> tuple[Bools, Bools]:
        """Which rows are judged: those of members, and of others."""
        inside = np.arange(len(self.counted)) < self.members
        return self.counted & inside, self.counted & ~inside

    @cached_property
    def distinct(self) -> tuple[Ints, Ints]:
        """Their distinct tuples, and which of them each person has."""
        columns = [self.tuples[:, at] for at in range(len(self.domains))]
        return tabulate(columns, [domain.size for domain in self.domains], len(self.tuples))

    @cached_property
    def classes(self) -> Classes:
        """The classes that the release publishes."""
        release, frame = self.release, open_frame(self.release.table).frame
        texts, codes = [], []
        for domain in self.domains:
            cells, index = published_texts(frame[domain.name], domain.kind, release.guarantee.missing)
            code_of = {text: code for code, text in enumerate(dict.fromkeys(cells))}
            texts.append(tuple(code_of))
            codes.append(np.array([code_of[text] for text in cells], dtype=np.int32)[index])
        classes, class_of_row = tabulate(codes, [len(one) for one in texts], len(frame))
        return Classes(tuple(texts), classes, class_of_row)

    @cached_property
    def fitting(self) -> csr_array:
        """Which classes each distinct tuple may be in, by their cells alone, (distinct tuples, classes)."""
        classes = self.classes
        covers = [cells_of_texts(texts, self.known(at)) for at, texts in enumerate(classes.texts)]
        return covering_classes(covers, classes.codes, self.distinct[0])

    def known(self, at: int) -> KnownColumn:
        """What an attacker knows of a quasi-identifier."""
        domain = self.domains[at]
        records = np.bincount(self.tuples[:, at], minlength=domain.size)
        below, vague = self._labels(domain)
        return KnownColumn(domain, records, below, vague | self._saying_nothing(at))

    def _saying_nothing(self, at: int) -> set[str | None]:
        """Numbers that stand for a group, and empty cells that are suppressed ones."""
        release = self.release
        if release.private is not None:
            # Which methods publish them is no secret.
            column = release.private.columns[at]
            said = zip(column.texts, column.kinds, strict=True)
            return {text for text, kind in said if kind in ("number", "suppressed")}
        if release.proportions is None:
            texts, kind = self.classes.texts[at], self.domains[at].kind
        else:
            texts, kind = release.proportions.columns[at].texts, release.proportions.columns[at].kind
        numbers = {text for text in texts if text is not None and number_in(text, kind) is not None}
        if kind == "text" or len(numbers) < len({text for text in texts if text is not None}):
            return set()
        # In a column that publishes nothing but numbers an empty cell is a suppressed one. Of a method that suppresses
        # each number may be that of a group; where there are proportions, the bins tell.
        method = all_methods().get(str(release.facts["method"]))
        of_groups = method is not None and method.family == "suppression" and release.proportions is None
        return {None, *numbers} if of_groups else ({None} if kind == "number" else set())

    def _labels(self, domain: Domain) -> tuple[Leaves, frozenset[str | None]]:
        """What the labels of a hierarchy stand for, of the values that are known or told; its root.

        How columns generalize is no secret, such as what a year is; the values that they had are.
        """
        given = {**self.release.hierarchies, **self.release.given_hierarchies}.get(domain.name)
        hierarchy = given.source if isinstance(given, EncodedHierarchy) else given
        if hierarchy is None:
            return NO_LABELS, frozenset()
        values = set(domain.labels.tolist())
        if self.release.proportions is not None:
            pools = self.release.proportions.column(domain.name).pools
            values |= {value for members in pools.members for value in members if value is not None}
        covered = covered_values(hierarchy, domain_of(domain.name, values))
        if not len(covered.labels):
            return NO_LABELS, frozenset()
        encoded = hierarchy.encode(covered)
        return leaves_below(encoded), frozenset({str(encoded.labels[encoded.root])} - values)


@dataclass(frozen=True, eq=False)
class Attacked(People):
    """People whose labels are known, to judge by them what an attacker says.

    Attributes
    ----------
    target : Target
    labels : int array (people,)
        The codes of their labels.
    """

    target: Target
    labels: Longs

    @property
    def posterior(self) -> LabelPosterior:
        """What the release tells of labels."""
        known = [self.known(at) for at in range(len(self.domains))]
        return LabelPosterior.of_classes(self._published(), known, self.release.proportions)

    def _published(self) -> PublishedClasses:
        classes, labels = self.classes, self.target.domain.size
        column = open_frame(self.release.table).frame[self.target.domain.name]
        label = self.target.codes(column, self.release.guarantee.missing)
        key = classes.of_row.astype(np.int64) * labels + label
        people = np.bincount(key, minlength=len(classes.codes) * labels).reshape(-1, labels)
        return PublishedClasses(classes.texts, classes.codes, people, self.target.labels)


@dataclass(frozen=True, eq=False)
class Valued(People):
    """People of whom more is known than the quasi-identifiers: columns that are published as they are.

    Attributes
    ----------
    columns : tuple of Target
        What is known, or judged by.
    values : int array (people, columns)
        The codes of their values; -1 for one that the release does not publish.
    """

    columns: tuple[Target, ...]
    values: Longs

    @cached_property
    def published(self) -> Longs:
        """The codes of the published rows, (rows, columns)."""
        frame, missing = open_frame(self.release.table).frame, self.release.guarantee.missing
        codes = [one.codes(frame[one.domain.name], missing) for one in self.columns]
        return np.stack(codes, axis=1) if codes else np.zeros((len(frame), 0), dtype=np.int64)


def people_of(given: Given) -> People:
    """The people who were given, with all quasi-identifiers."""
    return People(given.release, *_tuples(given), len(given.members.frame), given.counted)


def read_people(release: Release, members: Any, non_members: Any) -> People:
    """Read the people who are in the table of a release, and others, with all quasi-identifiers."""
    return people_of(Given.of(release, members, non_members))


def read_labelled(release: Release, members: Any, non_members: Any) -> Attacked:
    """Read the people who are in the table of a release, and others, with all quasi-identifiers and the target.

    Of a person with several rows only the one that is judged is read.
    """
    target = Target.of(release)
    given = Given.of(release, members, non_members, needed=(target.domain.name,))
    labels = np.concatenate([_labels(rows.frame, who, target, release) for who, rows in given.sides])
    domains, tuples = _tuples(given)
    kept = given.counted
    inside = int(kept[: len(given.members.frame)].sum())
    return Attacked(release, domains, tuples[kept], inside, kept[kept], target, labels[kept])


def read_valued(release: Release, members: Any, non_members: Any, columns: Sequence[str]) -> Valued:
    """Read the people who are in the table of a release, and others, with further columns that it publishes."""
    clear = [name for name in open_frame(release.table).frame.columns if name not in release.quasi]
    for name in columns:
        if name not in clear:
            raise BadInput.unknown("column", str(name), clear, "Only what is published as it is can be known so.")
    given = Given.of(release, members, non_members, needed=columns)
    targets = tuple(Target.of_column(release, name) for name in columns)
    values = np.zeros((len(given.counted), len(targets)), dtype=np.int64)
    for at, one in enumerate(targets):
        codes = [one.codes(rows.frame[one.domain.name], given.missing) for _, rows in given.sides]
        values[:, at] = np.concatenate(codes)
    return Valued(release, *_tuples(given), len(given.members.frame), given.counted, targets, values)


def _tuples(given: Given) -> tuple[tuple[Domain, ...], Ints]:
    encoded = [_together(given, at) for at in range(len(given.release.quasi))]
    return tuple(one.domain for one in encoded), np.stack([one.codes for one in encoded], axis=1)


def _labels(frame: nw.DataFrame[Any], who: str, target: Target, release: Release) -> Longs:
    labels = target.codes(frame[target.domain.name], release.guarantee.missing)
    unknown = labels < 0
    if unknown.any():
        raise BadInput(
            f"The {who} have labels that the release does not publish, in {amount(int(unknown.sum()), 'rows')}, first "
            f"in row {int(unknown.argmax()) + 1}. Leave these rows out."
        )
    return labels


def _together(given: Given, at: int) -> EncodedColumn:
    """A column of all people by one domain, however each table stores it."""
    name = given.release.quasi[at]
    kind = given.kinds.get(name, kind_of(given.release, at))
    parts = []
    for who, rows in given.sides:
        one = _read(given, who, rows, name, kind)
        texts = pa.array([*one.domain.labels.tolist(), *[None] * one.domain.has_missing], pa.large_string())
        parts.append(texts.take(pa.array(one.codes)))
    return _encoded(name, pa.chunked_array(parts), (), kind)


def _read(given: Given, who: str, rows: Rows, name: str, kind: Asked) -> EncodedColumn:
    """A column of one side, or how to read it where its values are not what the release was made of."""
    values = as_arrow(rows.frame[name])

    def explained(bad: BadValues) -> BadInput:
        return BadInput(
            f"The {who} do not look like the rows that this release was made of. {bad.in_rows(values)} Or the table "
            "has to be read in another way: check --decimal, --missing, --encoding and --kind, or name the job file."
        )

    with translated(BadValues, into=explained):
        return encode_column(name, values, missing=given.missing, kind=kind, decimal_point=rows.decimal)


def kind_of(release: Release, at: int) -> Asked:
    """What a quasi-identifier held before it was published, as far as the release tells."""
    if release.proportions is not None:
        return release.proportions.columns[at].kind
    return "derived" if release.private is None else release.private.columns[at].domain.kind


def _encoded(name: str, values: pa.ChunkedArray, missing: tuple[str, ...], kind: Asked) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=missing, kind=kind)
