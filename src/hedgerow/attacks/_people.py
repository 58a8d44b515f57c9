"""What an attacker knows: the original values of people, what is published, and labels to judge him by."""

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
# The people that an attack is made on: read once, as the released table was read, and checked before any claim.
#
# A wrong table makes an attack fail, and an attack that fails is taken for good news. So three mistakes are errors.
# The members do not fit the release: then they were read in another way, or are not its people. The same person is on
# both sides. The two sides are more alike than two independent samples are: then the ones are among the others.
#
# How alike two samples are follows from their equal rows. Put both together, and let :math:`c` rows be equal,
# :math:`a` of them on the one side. Given the rows, whoever draws the sides at random draws :math:`a` from a
# multivariate hypergeometric distribution. The sides are too alike if :math:`\sum a^2 / c`, which is the statistic of
# the test of homogeneity, is smaller than in almost all such draws. This holds for any population: where few rows
# differ, many are equal by chance, and the draws have as many.


_MEMBERS, _OTHERS = "members", "non-members"
_MUST_FIT: Final = 0.95
"""Members fit a class as often as rows were published, times this: less is no rounding, but another table."""
_DRAWS: Final = 2_000
"""So many random sides; all of them must be less alike."""
_FEWEST_DRAWS: Final = 200
_CELLS: Final = 2**23
"""So many numbers are drawn; of large tables fewer sides, whose mean and deviation tell the rest."""
_FAR: Final = 3.5
"""So many standard deviations below the mean: as rare as one of the draws."""
_HOW_READ: Final = (
    "Read both tables as the one that was anonymized: check --decimal, --missing, --encoding, --delimiter, --kind and "
    "--hierarchies, or name its job file (--job); in Python hr.File, missing=, kinds= and Release.load(hierarchies=)."
)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of some people, and what stands before decimals in their text."""

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
        """A column as text, a value each."""
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
        What columns hold, as a :class:`~hedgerow.Schema` takes it.
    missing : tuple of str
        Texts that mean "no value", those of the release among them.
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
        """Read both tables and check them; people who were read before are taken as they are.

        Columns that are ``needed`` besides the quasi-identifiers are refused where they lack.
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
        """The same people, who are in the table of another release too."""
        missing = tuple(dict.fromkeys((*release.guarantee.missing, *self.missing)))
        given = replace(self, release=release, missing=missing)
        given.refuse_lacking(release.quasi)
        check_people(given)
        return given

    @property
    def sides(self) -> tuple[tuple[str, Rows], tuple[str, Rows]]:
        """Both, with what they are called."""
        return (_MEMBERS, self.members), (_OTHERS, self.others)

    @property
    def entity(self) -> str | None:
        """The column that tells people apart, where the release was made for people and not for rows."""
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
                people = f", and {self.entity!r}, which tells people apart" if self.entity in absent else ""
                raise BadInput(
                    f"The {who} lack columns of the release: {listing(absent)}. Give all quasi-identifiers{wanted}"
                    f"{people}, as they were before the table was anonymized. If the columns were not told apart, name "
                    "the delimiter (--delimiter)."
                )

    @cached_property
    def counted(self) -> Bools:
        """One row of each person, drawn at random, members first: people are counted, not their visits."""
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
        """The person of each row, on both sides."""
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
        """Refuse sides of which the one is, or holds, people of the other."""
        published = [name for name in self.shared if name in self.release.guarantee.columns]
        for columns in dict.fromkeys((tuple(self.shared), tuple(published))):
            first, second, equal = self._equal_rows(columns)
            if _too_alike(first, second):
                raise BadInput(
                    f"The non-members are too much like the members: {share_told(equal, len(self.others.frame)):.0%} "
                    f"of their rows are rows of members too, by {plural(len(columns), 'columns')}, and the two tables "
                    "are more alike than two random samples of any population are. Do not give members, or the whole "
                    "table, as non-members: hold a random part of the rows back, and anonymize the others."
                )

    def _equal_rows(self, columns: Sequence[str]) -> tuple[Longs, Longs, float]:
        """How many rows of each side are equal, for each row that differs; the share of others' that members have."""
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
    """Refuse people of whom nothing that an attack finds, or does not find, would mean anything."""
    _refuse_one_table(members, non_members)
    given.refuse_people_twice()
    given.refuse_alike()
    _refuse_strangers(given)


def _refuse_strangers(given: Given) -> None:
    """Refuse members who fit fewer classes than the manifest's published rows make certain."""

    people = people_of(given)
    fits = people.fitting.sum(axis=1)[people.distinct[1][: people.members]] > 0
    facts = given.release.facts
    rows = int(facts["rows_in"])
    published = 1 - int(facts["rows_lost"]) / max(1, rows)
    share = Risk.share(int(fits.sum()), len(fits))
    # Of a part of the members fewer may fit by chance; of all of them none.
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
            {path.resolve() for path in (one if isinstance(one, File) else File(one)).found.reads}
            for one in (members, non_members)
        ]
        same = same or bool(read[0] & read[1])
    if same:
        raise BadInput(
            "Members and non-members are the same table, so that nothing can be told apart. Give other people of the "
            "same population as non-members: hold a random part of the rows back, and anonymize the others."
        )


def _too_alike(first: Longs, second: Longs) -> bool:
    """Whether two samples are more alike than nearly all ways to divide their rows at random.

    >>> once, never = np.ones(40, dtype=np.int64), np.zeros(40, dtype=np.int64)
    >>> _too_alike(once, once), _too_alike(np.concatenate([once, never]), np.concatenate([never, once]))
    (True, False)
    """
    together = first + second
    several = together > 1
    if not several.any():
        return False
    # Rows that occur once are drawn as one kind: what counts is only how many of them there are.
    colours = np.append(together[several], int((~several).sum()))

    def alike(drawn: Longs) -> Any:
        return (drawn[..., :-1] ** 2 / colours[:-1]).sum(axis=-1) + drawn[..., -1]

    number = int(np.clip(_CELLS // len(colours), _FEWEST_DRAWS, _DRAWS))
    generator = np.random.default_rng(0)
    drawn = generator.multivariate_hypergeometric(colours, int(first.sum()), size=number, method="marginals")
    found, chance = float(alike(np.append(first[several], int(first[~several].sum())))), alike(drawn)
    # Sums of fractions are rounded.
    below = bool((found < chance - 1e-6).all())
    return below and (number == _DRAWS or found < chance.mean() - _FAR * chance.std())


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
            f"The {who} have labels that the release does not publish, in {plural(int(unknown.sum()), 'rows')}, first "
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


# --------------------------------------------------------------------------------------------------
# What every attack is asked with: a release, how sure the attacker must be, and a seed.


def released(release: Release | str | Path, owner: str, name: str = "release") -> Release:
    """The release, read from its files if a path is given."""
    if isinstance(release, str | Path):
        return Release.load(release)
    if not isinstance(release, Release):
        raise BadInput.parameter(name, owner, "a Release or the path of a saved one", type(release).__name__)
    return release


def check_sure(sure: object, owner: str) -> None:
    """Refuse what is no probability that somebody may be sure with."""
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 < sure <= 1:
        raise BadInput.parameter("sure", owner, "a number above 0 and up to 1", sure)


def generator_of(random_state: int | np.random.Generator | None, owner: str) -> np.random.Generator:
    """What draws, or a sentence on a seed that is none."""
    if not (random_state is None or isinstance(random_state, np.random.Generator) or is_int(random_state, 0)):
        must = "None, a numpy Generator or an int >= 0"
        raise BadInput.parameter("random_state", owner, must, random_state)
    return np.random.default_rng(random_state)
