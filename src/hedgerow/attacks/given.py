r"""The people that an attack is made on: read once, as the released table was read, and checked before any claim.

A wrong table makes an attack fail, and an attack that fails is taken for good news. So three mistakes are errors. The
members do not fit the release: then they were read in another way, or are not its people. The same person is on both
sides. The two sides are more alike than two independent samples are: then the ones are among the others.

How alike two samples are follows from their equal rows. Put both together, and let :math:`c` rows be equal, :math:`a`
of them on the one side. Given the rows, whoever draws the sides at random draws :math:`a` from a multivariate
hypergeometric distribution. The sides are too alike if :math:`\sum a^2 / c`, which is the statistic of the test of
homogeneity, is smaller than in almost all such draws. This holds for any population: where few rows differ, many are
equal by chance, and the draws have as many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import tabulate
from hedgerow.engines import File, FileSource, open_source
from hedgerow.errors import BadInput, amount, listing
from hedgerow.frames import as_arrow, open_frame
from hedgerow.release import Release
from hedgerow.risk import Risk
from hedgerow.rounding import share_told

__all__ = ["Given", "Rows", "check_people"]

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
                f"{amount(len(both), 'people')} of the members are among the non-members too, by the column "
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
                    f"of their rows are rows of members too, by {amount(len(columns), 'columns')}, and the two tables "
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
    from hedgerow.attacks.people import people_of

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
