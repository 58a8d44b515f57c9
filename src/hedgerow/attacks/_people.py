"""The attacker's knowledge: original values of people, the published table, and labels to judge the claims by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow._internal.rounding import share_told
from hedgerow.anonymizers.registry import all_methods
from hedgerow.core.cells import NO_LABELS, Leaves, covered_values, domain_of, leaves_below, number_in
from hedgerow.core.counts import Asked, BadValues, EncodedColumn, encode_column, tabulate
from hedgerow.core.proportions import published_texts
from hedgerow.engines import File, FileSource, open_source
from hedgerow.errors import BadInput, is_int, listing, plural, translated
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.release import Release
from hedgerow.risk import KnownColumn, LabelPosterior, Labels, PublishedClasses, Risk
from hedgerow.risk.joining import covering_classes
from hedgerow.risk.likelihoods import cells_of_texts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Attacked",
    "Classes",
    "Given",
    "People",
    "Rows",
    "Target",
    "Valued",
    "check_people",
    "check_sure",
    "generator_of",
    "kind_of",
    "people_of",
    "read_labelled",
    "read_people",
    "read_valued",
    "released",
]


# --------------------------------------------------------------------------------------------------
# The attacked people: read once, in the same way as the released table, and checked before any claim.
#
# With a wrong table an attack fails, which looks like good news. So three mistakes are errors. First, the members do
# not fit the release: they were read in another way, or are not its people. Second, a person is on both sides. Third,
# the two sides are more alike than two independent samples: some members are among the non-members.
#
# The similarity of two samples follows from their equal rows. In both samples together, let :math:`c` rows be equal,
# :math:`a` of them on one side. If the sides are drawn at random, :math:`a` follows a multivariate hypergeometric
# distribution. The sides are too alike if :math:`\sum a^2 / c`, the statistic of the test of homogeneity, is smaller
# than in almost all such draws. This holds for any population: if there are few distinct rows, many are equal by
# chance, also in the draws.


_MEMBERS, _OTHERS = "members", "non-members"
_MUST_FIT: Final = 0.95
"""The share of members who fit a class, relative to that of published rows; less means another table, not rounding."""
_DRAWS: Final = 2_000
"""The number of random divisions; all of them must be less alike."""
_FEWEST_DRAWS: Final = 200
_CELLS: Final = 2**23
"""The most random numbers. For large tables there are fewer divisions, whose mean and deviation are used too."""
_FAR: Final = 3.5
"""Standard deviations below the mean that are as rare as one of the draws."""
_HOW_READ: Final = (
    "Read both tables as the one that was anonymized: check --decimal, --missing, --encoding, --delimiter, --kind and "
    "--hierarchies, or name its job file (--job); in Python hr.File, missing=, kinds= and Release.load(hierarchies=)."
)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of some people, and the decimal point of numbers in their text."""

    frame: nw.DataFrame[Any]
    decimal: str = "."

    @classmethod
    def of(cls, data: Any, who: str) -> Rows:
        """Read a dataframe, a path or a :class:`hedgerow.File`."""
        if isinstance(data, str | Path | File):
            source = open_source(data)
            if isinstance(source, FileSource):
                return cls(open_frame(source.rows()).frame, source.decimal)
        frame = open_frame(data).frame
        if not len(frame):
            raise BadInput(f"There are no {who}. Give at least one row.")
        return cls(frame)

    def texts(self, name: str) -> pa.Array:
        """A column as text."""
        values = as_arrow(self.frame[name])
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        return values.cast(pa.large_string()).combine_chunks()


@dataclass(frozen=True, eq=False)
class Given:
    """People who are in the table of a release, and others who are not.

    Attributes
    ----------
    release : Release
    members, others : Rows
    kinds : mapping of column to kind
        The kinds of columns, as in a :class:`~hedgerow.Schema`.
    missing : tuple of str
        Texts that mean "no value", including those of the release.
    """

    release: Release
    members: Rows
    others: Rows
    kinds: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)

    @classmethod
    def of(
        cls,
        release: Release,
        members: Any,
        non_members: Any,
        *,
        kinds: Mapping[str, str | Sequence[str]] | None = None,
        missing: Sequence[str] = (),
        needed: Sequence[str] = (),
    ) -> Given:
        """Read both tables and check them. People who were already read are reused.

        A table that lacks a ``needed`` column or a quasi-identifier is refused.
        """
        if isinstance(members, Given):
            given = members if members.release is release else members.of_release(release)
            given.refuse_lacking(needed)
            return given
        given = cls(
            release,
            Rows.of(members, _MEMBERS),
            Rows.of(non_members, _OTHERS),
            dict(kinds or {}),
            tuple(dict.fromkeys((*release.guarantee.missing, *missing))),
        )
        given.refuse_lacking((*release.quasi, *needed, *(() if given.entity is None else (given.entity,))))
        check_people(given, members, non_members)
        return given

    def of_release(self, release: Release) -> Given:
        """The same people for another release of their table."""
        missing = tuple(dict.fromkeys((*release.guarantee.missing, *self.missing)))
        given = replace(self, release=release, missing=missing)
        given.refuse_lacking(release.quasi)
        check_people(given)
        return given

    @property
    def sides(self) -> tuple[tuple[str, Rows], tuple[str, Rows]]:
        """Both tables with their names in messages."""
        return (_MEMBERS, self.members), (_OTHERS, self.others)

    @property
    def entity(self) -> str | None:
        """The column that identifies the person, if the release counts people instead of rows."""
        name: str | None = self.release.facts["columns"].get("entity")
        return name

    @property
    def shared(self) -> list[str]:
        """The columns of plain values that both tables have."""
        both = [rows.frame for _, rows in self.sides]
        plain = [{name for name, kind in frame.schema.items() if not kind.is_nested()} for frame in both]
        return [name for name in both[0].columns if name in plain[0] & plain[1]]

    def refuse_lacking(self, needed: Sequence[str]) -> None:
        """Refuse tables without some columns."""
        for who, rows in self.sides:
            absent = [name for name in needed if name not in rows.frame.columns]
            if absent:
                wanted = " and the target" if self.release.target in needed else ""
                people = f", and {self.entity!r}, which identifies people" if self.entity in absent else ""
                raise BadInput(
                    f"The {who} lack columns of the release: {listing(absent)}. Give all quasi-identifiers{wanted}"
                    f"{people}, with the values before the table was anonymized. If the text was not split into "
                    "columns, name the delimiter (--delimiter)."
                )

    @cached_property
    def counted(self) -> Bools:
        """One random row of each person, members first: people are counted, not their visits."""
        lengths = [len(rows.frame) for _, rows in self.sides]
        if self.entity is None:
            return np.ones(sum(lengths), dtype=bool)
        result, start = np.zeros(sum(lengths), dtype=bool), 0
        for number, people in zip(lengths, self._people, strict=True):
            order = np.random.default_rng(0).permutation(number)
            _, first = np.unique(people[order], return_index=True)
            result[start + order[first]] = True
            start += number
        return result

    @cached_property
    def _people(self) -> tuple[Longs, Longs]:
        """The code of the person of each row, on both sides."""
        texts = [rows.texts(str(self.entity)) for _, rows in self.sides]
        codes = pa.concat_arrays(texts).dictionary_encode(null_encoding="encode").indices.to_numpy().astype(np.int64)
        return codes[: len(texts[0])], codes[len(texts[0]) :]

    def refuse_people_twice(self) -> None:
        """Refuse a person with rows on both sides."""
        if self.entity is None:
            return
        both = np.intersect1d(*self._people)
        if len(both):
            raise BadInput(
                f"{plural(len(both), 'people')} of the members are among the non-members too, by the column "
                f"{self.entity!r}. Divide people between the two tables, not their rows."
            )

    def refuse_alike(self) -> None:
        """Refuse non-members who are, or include, members."""
        published = [name for name in self.shared if name in self.release.guarantee.columns]
        for columns in dict.fromkeys((tuple(self.shared), tuple(published))):
            first, second, equal = self._equal_rows(columns)
            if _too_alike(first, second):
                raise BadInput(
                    f"The non-members are too much like the members: {share_told(equal, len(self.others.frame)):.0%} "
                    f"of their rows equal rows of members in {plural(len(columns), 'columns')}, and the two tables "
                    "are more alike than two random samples of any population. Do not give members, or the whole "
                    "table, as non-members: hold a random part of the rows back, and anonymize the others."
                )

    def _equal_rows(self, columns: Sequence[str]) -> tuple[Longs, Longs, float]:
        """The number of rows on each side for each distinct row, and the share of others' rows that members have."""
        codes: list[Ints] = []
        sizes = []
        for name in columns:
            texts = pa.concat_arrays([rows.texts(name) for _, rows in self.sides])
            encoded = pc.dictionary_encode(texts, null_encoding="encode")
            codes.append(encoded.indices.to_numpy().astype(np.int32))
            sizes.append(len(encoded.dictionary))
        members = len(self.members.frame)
        distinct, index = tabulate(codes, sizes, members + len(self.others.frame))
        first = np.bincount(index[:members], minlength=len(distinct)).astype(np.int64)
        second = np.bincount(index[members:], minlength=len(distinct)).astype(np.int64)
        return first, second, float(second[first > 0].sum() / second.sum())


def check_people(given: Given, members: Any = None, non_members: Any = None) -> None:
    """Refuse people for whom the result of an attack would be meaningless."""
    _refuse_one_table(members, non_members)
    given.refuse_people_twice()
    given.refuse_alike()
    _refuse_nodes(given.release)
    _refuse_strangers(given)


def _refuse_nodes(release: Release) -> None:
    """Refuse proportions of nodes: people have values, which no pool names."""
    levels = release.facts.get("allowed_levels", {})
    columns = [name for name, one in levels.items() if one["finest"] > 0]
    if release.proportions is not None and columns:
        raise BadInput(
            f"The proportions of this release are those of hierarchy nodes in {listing(columns)}, where levels are "
            "limited, and attacks read only proportions of values. Without them attackers would find out less than "
            "they can. Make a release without proportions (publish_proportions=False, without --publish-proportions) "
            "or with levels from 0, and attack that."
        )


def _refuse_strangers(given: Given) -> None:
    """Refuse members of whom fewer fit a class than the manifest's number of published rows implies."""
    people = people_of(given)
    fits = people.fitting.sum(axis=1)[people.distinct[1][: people.members]] > 0
    facts = given.release.facts
    rows = int(facts["rows_in"])
    published = 1 - int(facts["rows_lost"]) / max(1, rows)
    share = Risk.share(int(fits.sum()), len(fits))
    # In a part of the members fewer may fit by chance, but not in all of them.
    if (share.value if len(fits) >= rows else share.high) < _MUST_FIT * published:
        raise BadInput(
            f"The members do not look like the rows that this release was made of: "
            f"{share_told(share.value, len(fits)):.0%} of them fit a class, and {share_told(published, rows):.0%} of "
            f"the rows were published. {_HOW_READ}"
        )


def _refuse_one_table(members: Any, non_members: Any) -> None:
    """Refuse the same table on both sides."""
    same = members is not None and members is non_members
    if isinstance(members, str | Path | File) and isinstance(non_members, str | Path | File):
        read = [
            {path.resolve() for path in (table if isinstance(table, File) else File(table)).found.reads}
            for table in (members, non_members)
        ]
        same = same or bool(read[0] & read[1])
    if same:
        raise BadInput(
            "Members and non-members are the same table, so there is no control. Give other people of the same "
            "population as non-members: hold a random part of the rows back, and anonymize the others."
        )


def _too_alike(first: Longs, second: Longs) -> bool:
    """Whether two samples are more alike than almost all random divisions of their rows.

    >>> once, never = np.ones(40, dtype=np.int64), np.zeros(40, dtype=np.int64)
    >>> _too_alike(once, once), _too_alike(np.concatenate([once, never]), np.concatenate([never, once]))
    (True, False)
    """
    together = first + second
    several = together > 1
    if not several.any():
        return False
    # Rows that occur once are drawn as one kind, since only their number counts.
    colours = np.append(together[several], int((~several).sum()))

    def alike(drawn: Longs) -> Any:
        return (drawn[..., :-1] ** 2 / colours[:-1]).sum(axis=-1) + drawn[..., -1]

    number = int(np.clip(_CELLS // len(colours), _FEWEST_DRAWS, _DRAWS))
    generator = np.random.default_rng(0)
    drawn = generator.multivariate_hypergeometric(colours, int(first.sum()), size=number, method="marginals")
    found, chance = float(alike(np.append(first[several], int(first[~several].sum())))), alike(drawn)
    # The margin allows for rounding in sums of fractions.
    below = bool((found < chance - 1e-6).all())
    return below and (number == _DRAWS or found < chance.mean() - _FAR * chance.std())


_MOST_LABELS: Final = 256


@dataclass(frozen=True, eq=False)
class Target:
    """The values of the label of a release, or of another column in clear."""

    domain: Domain

    @classmethod
    def of(cls, release: Release) -> Target:
        """Read the target of a release; a release without a target is refused."""
        name = release.target
        if name is None:
            raise BadInput("The release has no target, so there are no labels to guess. Name the target in the schema.")
        domain = cls.of_column(release, name).domain
        if domain.size > _MOST_LABELS:
            raise BadInput(
                f"The target {name!r} has {domain.size:,} values; at most {_MOST_LABELS} labels can be attacked. "
                "Publish it in classes."
            )
        return cls(domain)

    @classmethod
    def of_column(cls, release: Release, name: str) -> Target:
        """Read a column with any number of values."""
        column = as_arrow(open_frame(release.table).frame[name])
        return cls(_encoded(name, column, release.guarantee.missing, "derived").domain)

    @property
    def labels(self) -> Labels:
        """The labels as text, in the order of their codes."""
        return Labels(self.domain.name, (*self.domain.labels.tolist(), *[None] * self.domain.has_missing))

    def codes(self, column: nw.Series[Any], missing: tuple[str, ...]) -> Longs:
        """The label of each row, -1 if the release does not publish it."""
        kind: Asked = "text" if self.domain.kind == "text" else "derived"
        encoded = _encoded(self.domain.name, as_arrow(column), missing, kind)
        code_of = {label: code for code, label in enumerate(self.domain.labels.tolist())}
        known = [code_of.get(label, -1) for label in encoded.domain.labels.tolist()]
        return np.array([*known, self.domain.missing_code], dtype=np.int64)[encoded.codes]


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a release, counted in its published table.

    Attributes
    ----------
    texts : tuple of tuples of str or None
        The distinct cells of each quasi-identifier; ``None`` is an empty cell.
    codes : int array (classes, quasi-identifiers)
        The codes of each class's cells.
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
    """People who are in a table, followed by others who are not, as an attacker knows them from another source.

    Attributes
    ----------
    release : Release
    domains : tuple of Domain
        The values of each quasi-identifier.
    tuples : int array (people, quasi-identifiers)
        The codes of their values.
    members : int
        The number of people who are in the table.
    counted : bool array (people,)
        The rows that are judged: one row of each person.
    """

    release: Release
    domains: tuple[Domain, ...]
    tuples: Ints
    members: int
    counted: Bools

    @property
    def judged(self) -> tuple[Bools, Bools]:
        """The rows that are judged: those of members, and those of others."""
        inside = np.arange(len(self.counted)) < self.members
        return self.counted & inside, self.counted & ~inside

    @cached_property
    def distinct(self) -> tuple[Ints, Ints]:
        """The distinct tuples, and the tuple of each person."""
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
        classes, class_of_row = tabulate(codes, list(map(len, texts)), len(frame))
        return Classes(tuple(texts), classes, class_of_row)

    @cached_property
    def fitting(self) -> csr_array:
        """The classes that each distinct tuple fits by their cells, (distinct tuples, classes)."""
        classes = self.classes
        covers = [cells_of_texts(texts, self.known(at)) for at, texts in enumerate(classes.texts)]
        return covering_classes(covers, classes.codes, self.distinct[0])

    def known(self, at: int) -> KnownColumn:
        """The attacker's knowledge about a quasi-identifier."""
        domain = self.domains[at]
        records = np.bincount(self.tuples[:, at], minlength=domain.size)
        below, vague = self._labels(domain)
        return KnownColumn(domain, records, below, vague | self._vague(at))

    def _vague(self, at: int) -> set[str | None]:
        """Numbers that stand for a group, and empty cells that are suppressed."""
        release = self.release
        if release.private is None:
            return self._vague_by_table(at)
        # It is public which methods publish such cells.
        column = release.private.columns[at]
        cells = zip(column.texts, column.kinds, strict=True)
        return {text for text, kind in cells if kind in ("number", "suppressed")}

    def _vague_by_table(self, at: int) -> set[str | None]:
        """The same, concluded from the published files."""
        proportions = self.release.proportions
        if proportions is None:
            published, kind = self.classes.texts[at], self.domains[at].kind
        else:
            published, kind = proportions.columns[at].texts, proportions.columns[at].kind
        texts = {text for text in published if text is not None}
        numbers = {text for text in texts if number_in(text, kind) is not None}
        if kind == "text" or len(numbers) < len(texts):
            return set()
        # In a column that publishes only numbers an empty cell is suppressed. If the method suppresses, each number may
        # belong to a group, unless proportions show the original numbers.
        if proportions is None and _suppresses(self.release):
            return {None, *numbers}
        return {None} if kind == "number" else set()

    def _labels(self, domain: Domain) -> tuple[Leaves, frozenset[str | None]]:
        """The known or published values below each label of a hierarchy, and its root.

        The hierarchy itself is public, but not the values that occurred.
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


def _suppresses(release: Release) -> bool:
    method = all_methods().get(str(release.facts["method"]))
    return method is not None and method.family == "suppression"


@dataclass(frozen=True, eq=False)
class Attacked(People):
    """People with their labels, by which an attacker's claims are judged.

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
        """The release's posterior of the labels."""
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
    """People with further values beside the quasi-identifiers: those of columns in clear.

    Attributes
    ----------
    columns : tuple of Target
        The further columns, either known or used to judge claims.
    values : int array (people, columns)
        The codes of their values; -1 for one that the release does not publish.
    """

    columns: tuple[Target, ...]
    values: Longs

    @cached_property
    def published(self) -> Longs:
        """The codes of the published rows, (rows, columns)."""
        frame, missing = open_frame(self.release.table).frame, self.release.guarantee.missing
        codes = [column.codes(frame[column.domain.name], missing) for column in self.columns]
        return np.stack(codes, axis=1) if codes else np.zeros((len(frame), 0), dtype=np.int64)


def people_of(given: Given) -> People:
    """The members and others, with all quasi-identifiers."""
    return People(given.release, *_tuples(given), len(given.members.frame), given.counted)


def read_people(release: Release, members: Any, non_members: Any) -> People:
    """Read members and others with all quasi-identifiers."""
    return people_of(Given.of(release, members, non_members))


def read_labelled(release: Release, members: Any, non_members: Any) -> Attacked:
    """Read members and others with all quasi-identifiers and the target, one row of each person."""
    target = Target.of(release)
    given = Given.of(release, members, non_members, needed=(target.domain.name,))
    labels = np.concatenate([_labels(rows.frame, who, target, release) for who, rows in given.sides])
    domains, tuples = _tuples(given)
    kept = given.counted
    inside = int(kept[: len(given.members.frame)].sum())
    return Attacked(release, domains, tuples[kept], inside, kept[kept], target, labels[kept])


def read_valued(release: Release, members: Any, non_members: Any, columns: Sequence[str]) -> Valued:
    """Read members and others with all quasi-identifiers and further columns in clear."""
    clear = [name for name in open_frame(release.table).frame.columns if name not in release.quasi]
    for name in columns:
        if name not in clear:
            raise BadInput.unknown("column", str(name), clear, "Only a column that is published unchanged can be used.")
    given = Given.of(release, members, non_members, needed=columns)
    targets = tuple(Target.of_column(release, name) for name in columns)
    values = np.zeros((len(given.counted), len(targets)), dtype=np.int64)
    for at, target in enumerate(targets):
        codes = [target.codes(rows.frame[target.domain.name], given.missing) for _, rows in given.sides]
        values[:, at] = np.concatenate(codes)
    return Valued(release, *_tuples(given), len(given.members.frame), given.counted, targets, values)


def _tuples(given: Given) -> tuple[tuple[Domain, ...], Ints]:
    columns = [_together(given, at) for at in range(len(given.release.quasi))]
    return tuple(column.domain for column in columns), np.stack([column.codes for column in columns], axis=1)


def _labels(frame: nw.DataFrame[Any], who: str, target: Target, release: Release) -> Longs:
    labels = target.codes(frame[target.domain.name], release.guarantee.missing)
    unknown = labels < 0
    if unknown.any():
        raise BadInput(
            f"The {who} have labels that the release does not publish, in {plural(int(unknown.sum()), 'rows')}, first "
            f"in row {int(unknown.argmax()) + 1}. Leave these rows out."
        )
    return labels


def _together(given: Given, at: int) -> EncodedColumn:
    """A column of all people with a common domain, whatever the types in the tables."""
    name = given.release.quasi[at]
    kind = given.kinds.get(name, kind_of(given.release, at))
    parts = []
    for who, rows in given.sides:
        column = _read(given, who, rows, name, kind)
        texts = pa.array([*column.domain.labels.tolist(), *[None] * column.domain.has_missing], pa.large_string())
        parts.append(texts.take(pa.array(column.codes)))
    return _encoded(name, pa.chunked_array(parts), (), kind)


def _read(given: Given, who: str, rows: Rows, name: str, kind: Asked) -> EncodedColumn:
    """A column of one side; values of another kind than in the release are refused with advice on reading."""
    values = as_arrow(rows.frame[name])

    def explained(bad: BadValues) -> BadInput:
        return BadInput(
            f"The {who} do not look like the rows that this release was made of. {bad.in_rows(values)} Or the table "
            "has to be read in another way: check --decimal, --missing, --encoding and --kind, or name the job file."
        )

    with translated(BadValues, into=explained):
        return encode_column(name, values, missing=given.missing, kind=kind, decimal_point=rows.decimal)


def kind_of(release: Release, at: int) -> Asked:
    """The original kind of a quasi-identifier, as far as the release reveals it."""
    if release.proportions is not None:
        return release.proportions.columns[at].kind
    return "derived" if release.private is None else release.private.columns[at].domain.kind


def _encoded(name: str, values: pa.ChunkedArray, missing: tuple[str, ...], kind: Asked) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=missing, kind=kind)


# --------------------------------------------------------------------------------------------------
# Parameters of every attack: a release, the least certainty of a claim, and a seed.


def released(release: Release | str | Path, owner: str, name: str = "release") -> Release:
    """The release, loaded if it is a path."""
    if isinstance(release, str | Path):
        return Release.load(release)
    if not isinstance(release, Release):
        raise BadInput.parameter(name, owner, "a Release or the path of a saved one", type(release).__name__)
    return release


def check_sure(sure: object, owner: str) -> None:
    """Refuse a value of ``sure`` that is not a positive probability."""
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 < sure <= 1:
        raise BadInput.parameter("sure", owner, "a number above 0 and up to 1", sure)


def generator_of(random_state: int | np.random.Generator | None, owner: str) -> np.random.Generator:
    """The random generator of a seed."""
    if not (random_state is None or isinstance(random_state, np.random.Generator) or is_int(random_state, 0)):
        must = "None, a numpy Generator or an int >= 0"
        raise BadInput.parameter("random_state", owner, must, random_state)
    return np.random.default_rng(random_state)
