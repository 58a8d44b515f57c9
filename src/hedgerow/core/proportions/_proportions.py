"""The proportions of a release: how many people of each class are in which bin of each column.

A class is the rows with the same published quasi-identifiers. Its people are counted in bins, each of at least as many
people as the support of the proportions: runs of neighbouring pools (see :mod:`hedgerow.core.proportions._pools`), and
pools of one value if enough people of the class hold it. The marginal of each column is published beside the classes;
by it the people of a bin are shared among its pools. No value is named that fewer people than the support hold; the
published table may name it.

The idea: k-anonymous data representation for neural networks, section III.

**Deviations**: the paper publishes exactly how many people hold each value. That is the original table again where a
class has several values in one column only, so values are pooled (:mod:`hedgerow.core.proportions._pooling` describes
how, and why that suffices).
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import narwhals as nw
import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.notebook import NotebookRepr, names_shown
from hedgerow.core.cells import NO_LABELS, Leaves, PublishedLabels, number_in, published_labels, spelled
from hedgerow.core.counts import tabulate
from hedgerow.core.proportions._margins import Lifts, published_texts
from hedgerow.core.proportions._pools import Pools
from hedgerow.core.proportions._spreading import Spread, spread_out
from hedgerow.errors import BadInput, plural, translated
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy, resolve
from hedgerow.io.atomic import write_json
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.readers.sizes import read_json
from hedgerow.io.values import MISSING_TEXT

__all__ = ["ColumnProportions", "Parts", "Proportions", "part_name", "parts_of", "shares_of_parts"]


_FORMAT: Final = "hedgerow proportions 3"
_LEAKING_FORMAT: Final = "hedgerow proportions 2"
_EXACT_FORMAT: Final = "hedgerow proportions 1"


@dataclass(frozen=True, eq=False)
class ColumnProportions:
    """One quasi-identifier: the published value of each class, and how many of its people are in which bin.

    Attributes
    ----------
    name : str
    kind : {"number", "text", "date"}
        The kind of the original values.
    step : Fraction
        The width of one cell of the column's grid; of dates in days.
    pools : Pools
    marginal : int array (pools,)
        How many people of the table are in each pool, rounded to multiples of the support. Classes with several values
        in this column only count only where a bin is one pool. If the last pool has fewer people than the support,
        perhaps none, half of the support stands for it.
    texts : tuple of str or None
        The published values, each once; ``None`` is an empty cell.
    published : int array (classes,)
        The published value of each class.
    starts : int array (classes + 1,)
        Class ``i`` has the bins ``starts[i]`` to before ``starts[i + 1]``.
    first, last : int arrays (bins,)
        The first and the last pool of a bin; pools with a bin of their own in the class are not in it.
    records : int array (bins,)
        How many people are in the bin.
    support : int
        The fewest people of a bin.
    plain : bool array (classes,), optional
        Which classes publish the one value that all their people have. It is not published: a file does not have it.
    """

    name: str
    kind: Kind
    step: Fraction
    pools: Pools
    marginal: Longs
    texts: tuple[str | None, ...]
    published: Ints
    starts: Longs
    first: Ints
    last: Ints
    records: Longs
    support: int = 1
    plain: Bools | None = None

    @cached_property
    def class_of_bin(self) -> Longs:
        """The class of each bin."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def code_of_text(self) -> dict[str | None, int]:
        """The code of each published value, in the spelling that all tables share."""
        return {spelled(text, self.kind): code for code, text in enumerate(self.texts)}

    @cached_property
    def own(self) -> Bools:
        """Which bins are one value, published with the number of its people."""
        return np.asarray((self.first == self.last) & self.pools.alone[self.first])

    @cached_property
    def varying(self) -> Bools:
        """Which classes may hold several pools as far as readers can see: they publish no number, and bins allow it.

        Only the people of these classes enter label margins.
        """
        reach = np.maximum.reduceat(self.last, self.starts[:-1]) > np.minimum.reduceat(self.first, self.starts[:-1])
        if self.kind == "text":
            return np.asarray(reach)
        number = [text is None or number_in(text, self.kind) is not None for text in self.texts]
        return np.asarray(reach & ~np.array(number, dtype=bool)[self.published])

    def labels(self, hierarchy: Hierarchy | None) -> PublishedLabels:
        """The labels of a hierarchy among the published cells and the pools that are its nodes."""
        nodes = (text for at, text in enumerate(self.pools.texts) if not self.pools.alone[at] and at != self.pools.rest)
        return published_labels(hierarchy, self.name, (*self.texts, *nodes) if self.kind == "text" else self.texts)

    def spread(self, below: Leaves = NO_LABELS, listed: Collection[str | None] = ()) -> Spread:
        """The values that each class may hold, with their shares; bins become values only here.

        Every bin is shared among its pools by the marginal, as far as the published cell allows, and a pool equally
        among its values: the numbers of a range, or the values that the table or a hierarchy names. If neither names
        any, the value is missing.

        Parameters
        ----------
        below : mapping of label to values
            What the labels of a hierarchy stand for; see :meth:`labels`.
        listed : collection of str or None
            All values that a hierarchy lists, or that are known to be possible.
        """
        return spread_out(self, below, listed)


@dataclass(frozen=True, eq=False, repr=False)
class Proportions(NotebookRepr):
    """How many people of every class of a release are in which bin of each column.

    Attributes
    ----------
    columns : tuple of ColumnProportions
        One for each quasi-identifier.
    sizes : int array (classes,)
        The people of each class.
    missing : tuple of str
        Texts that mean "no value" in the published table.
    min_support : int
        The fewest people of a bin; a class of fewer people has one bin over the whole column.
    lifts : Lifts, optional
        The label margins.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    >>> release = hr.anonymize(people, schema, method="datafly", k=3, publish_proportions=True)
    >>> release.proportions.shares("town")["*"]
    {'Bern': 0.25, 'Ulm': 0.5, '*': 0.25}
    """

    columns: tuple[ColumnProportions, ...]
    sizes: Longs
    missing: tuple[str, ...] = ("",)
    min_support: int = 1
    lifts: Lifts | None = None

    def __repr__(self) -> str:
        return (
            f"Proportions(of {plural(int(self.sizes.sum()), 'people')} in {plural(len(self.sizes), 'classes')}, each "
            f"of at least {self.min_support}; columns {names_shown(self.quasi)})"
        )

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> ColumnProportions:
        """The proportions of one quasi-identifier."""
        if name not in self.quasi:
            raise BadInput.unknown("column", name, self.quasi, "The proportions are those of the quasi-identifiers.")
        return self.columns[self.quasi.index(name)]

    def shares(self, name: str) -> dict[str | None, dict[str | None, float]]:
        """The shares of pools behind each published value of a column, over all classes that publish it."""
        column = self.column(name)
        spread = column.spread()
        starts, codes, people = spread.classes()
        pools = len(column.pools)
        of_class = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # A number that is published instead of a bin is in no pool.
        key = column.published[of_class].astype(np.int64) * (pools + 1) + spread.pool[codes] + 1
        counts = np.bincount(key, people, len(column.texts) * (pools + 1)).reshape(-1, pools + 1)[:, 1:]
        return {
            text: {column.pools.texts[at]: float(people[at] / people.sum()) for at in np.flatnonzero(people).tolist()}
            for text, people in zip(column.texts, counts, strict=True)
        }

    def classes_of(self, frame: nw.DataFrame[Any]) -> Longs:
        """The class of each row of a published table, -1 if no class publishes its quasi-identifiers.

        Rows recoded by ``recoding.transform`` have the class of their group.
        """
        absent = [name for name in self.quasi if name not in frame.columns]
        if absent:
            raise BadInput.unknown("column", absent[0], frame.columns, "The proportions need it.")
        codes = []
        for column in self.columns:
            texts, index = published_texts(frame[column.name], column.kind, self.missing)
            # The code beyond the last if no class publishes the text.
            code = [column.code_of_text.get(text, len(column.texts)) for text in texts]
            codes.append(np.array(code, dtype=np.int32)[index])
        distinct, row = tabulate(codes, [len(column.texts) + 1 for column in self.columns], len(frame))
        class_of = [self._class_of_codes.get(tuple(codes_of_row), -1) for codes_of_row in distinct.tolist()]
        return np.array(class_of, dtype=np.int64)[row]

    @cached_property
    def _class_of_codes(self) -> dict[tuple[int, ...], int]:
        """The classes by the codes of their published values."""
        classes = np.stack([column.published for column in self.columns], axis=1)
        return {tuple(published): at for at, published in enumerate(classes.tolist())}

    def to_dict(self) -> dict[str, Any]:
        """The proportions as JSON."""
        return {
            "format": _FORMAT,
            "missing": list(self.missing),
            "min_support": self.min_support,
            "sizes": self.sizes.tolist(),
            "columns": [_column_to_dict(column) for column in self.columns],
            **({} if self.lifts is None else {"lifts": self.lifts.to_dict()}),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Proportions:
        """Read what :meth:`to_dict` wrote."""
        if stored["format"] == _EXACT_FORMAT:
            raise BadInput(
                "These proportions are of an older version of Hedgerow and exact, so that they single people out. "
                "Anonymize the table again to get pooled proportions."
            )
        if stored["format"] == _LEAKING_FORMAT:
            warnings.warn(
                "These proportions were written by an earlier version of Hedgerow. Their pools name values that few "
                "people have, and the order of the pools may reveal labels. Do not publish them; anonymize the table "
                "again.",
                UserWarning,
                stacklevel=2,
            )
        elif stored["format"] != _FORMAT:
            raise ValueError(f"the format is not {_FORMAT!r}")
        support = int(stored["min_support"])
        columns = tuple(_column_from_dict(column, support) for column in stored["columns"])
        sizes = np.array(stored["sizes"], dtype=np.int64)
        lifts = None if "lifts" not in stored else Lifts.from_dict(stored["lifts"])
        return cls(columns, sizes, tuple(stored["missing"]), support, lifts)

    def save(self, path: str | Path) -> Path:
        """Write the proportions as JSON; :meth:`hedgerow.Release.save` does so beside its table."""
        return write_json(Path(path), self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Proportions:
        """Read proportions that :meth:`save` wrote."""
        foreign = BadInput(f"The file {str(path)!r} does not hold proportions that Hedgerow saved.")
        wrong = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
        with translated(*wrong, into=foreign):
            return cls.from_dict(read_json(Path(path)))


_ARRAYS: Final = {"published": np.int32, "starts": np.int64, "first": np.int32, "last": np.int32, "records": np.int64}


def _column_to_dict(column: ColumnProportions) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": column.kind,
        "step": str(column.step),
        "pools": column.pools.to_dict(),
        "marginal": column.marginal.tolist(),
        "texts": list(column.texts),
        **{name: getattr(column, name).tolist() for name in _ARRAYS},
    }


def _column_from_dict(stored: Mapping[str, Any], support: int) -> ColumnProportions:
    return ColumnProportions(
        stored["name"],
        stored["kind"],
        Fraction(stored["step"]),
        Pools.from_dict(stored["pools"]),
        np.array(stored["marginal"], dtype=np.int64),
        tuple(stored["texts"]),
        **{name: np.array(stored[name], dtype=kind) for name, kind in _ARRAYS.items()},
        support=support,
    )


# --------------------------------------------------------------------------------------------------
# Parts: a column of shares stands for each part of an original column.
#
# The parts of a category are its values; those of numbers and dates, which may have thousands of values, are the finest
# groups of their hierarchy. Every record is in one part, so that the shares of a class add up to 1.


class Parts(NamedTuple):
    """The parts of a column.

    Attributes
    ----------
    labels : tuple of str
    part_of_code : int array (codes,)
        The part of each value of the domain.
    low, high : float arrays (parts,), optional
        The ends of intervals; nan for the missing part.
    """

    labels: tuple[str, ...]
    part_of_code: Longs
    low: Floats | None = None
    high: Floats | None = None


def part_name(column: str, part: str) -> str:
    """The name of the column of a part.

    >>> part_name("age", "[20,30)")
    'age=[20,30)'
    """
    return f"{column}={part}"


def parts_of(domain: Domain, hierarchy: EncodedHierarchy | None) -> Parts:
    """Divide the values of a column.

    Parameters
    ----------
    domain : Domain
    hierarchy : EncodedHierarchy, optional
        Of these values; its finest groups are the parts of numbers and dates.

    Examples
    --------
    >>> from hedgerow.hierarchies import intervals
    >>> ages = Domain("age", "number", np.array(["21", "25", "34"]), np.array([21.0, 25, 34]))
    >>> parts_of(ages, intervals([20, 30, 40]).encode(ages)).labels
    ('[20,30)', '[30,40]')
    """
    if domain.kind == "text" or hierarchy is None or hierarchy.height < 2:
        labels = domain.labels.tolist() + ([MISSING_TEXT] if domain.has_missing else [])
        return Parts(tuple(labels), np.arange(domain.size, dtype=np.int64))
    nodes = hierarchy.at_level[1].copy()
    if domain.has_missing:
        nodes[domain.missing_code] = hierarchy.leaf_of[domain.missing_code]
    held, part = np.unique(nodes, return_inverse=True)
    texts = tuple(MISSING_TEXT if (text := hierarchy.labels[node]) is None else text for node in held.tolist())
    low = None if hierarchy.low is None else hierarchy.low[held]
    high = None if hierarchy.high is None else hierarchy.high[held]
    return Parts(texts, part.astype(np.int64), low, high)


def shares_of_parts(proportions: Proportions, hierarchies: Mapping[str, EncodedHierarchy]) -> tuple[list[str], Floats]:
    """The share of every part in each class, for all columns.

    Parameters
    ----------
    proportions : Proportions
    hierarchies : mapping of column to EncodedHierarchy
        How columns generalize; they are encoded anew for the values that published records hold. A column without a
        hierarchy gets an automatic one.

    Returns
    -------
    names : list of str
    shares : float array (classes, names)
    """
    from scipy.sparse import csr_array

    names: list[str] = []
    blocks = []
    for column in proportions.columns:
        spread = column.spread()
        domain = spread.domain
        given = hierarchies.get(column.name)
        # Where nodes are the values, the hierarchy of the original values does not know them.
        source = None if given is None or given.finest else given.source
        parts = parts_of(domain, _encoded(source, domain))
        vectors = csr_array(
            (np.ones(domain.size), parts.part_of_code, np.arange(domain.size + 1)),
            shape=(domain.size, len(parts.labels)),
        )
        blocks.append((spread.matrix @ vectors).toarray() / proportions.sizes[:, None])
        names += [part_name(column.name, label) for label in parts.labels]
    return names, np.concatenate(blocks, axis=1)


def _encoded(source: Hierarchy | None, domain: Domain) -> EncodedHierarchy:
    """A hierarchy for the values of proportions; a list of numbers may lack those that stand for a range."""
    try:
        return resolve(source, domain, domain.name)
    except BadInput:
        if domain.kind == "text":
            raise
    return resolve(None, domain, domain.name)
