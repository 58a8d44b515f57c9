"""Published tables for trees: the cells of every column, with the proportions of the classes.

Only the published table, the proportions, and the taxonomies of the release are used: hierarchies that are made from
the values themselves, such as masking, would reveal unpublished values. With proportions, a label stands for the values
that its classes hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.anonymizers.trees.sets import ClassShares, SetAttribute, SetColumn, read_training, read_unseen
from hedgerow.core.cells import NO_LABELS, Leaves, leaves_below, parse, published_labels
from hedgerow.core.counts import encode_column, number_of
from hedgerow.core.proportions import ColumnProportions, Proportions, Spread
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.io.domains import Domain
from hedgerow.io.frames import OpenFrame, as_arrow
from hedgerow.learning._inputs import refuse_unknown_columns
from hedgerow.release import Release

__all__ = [
    "part_columns",
    "part_labels",
    "part_shares",
    "proportions_given",
    "proportions_of",
    "published_columns",
    "share_columns",
    "unseen_columns",
]


# --------------------------------------------------------------------------------------------------
# Columns such as ``age=[20,30)``: shares of the parts of another column, which an anonymizer in a pipeline adds.


_ROUNDING: Final = 1e-6


def part_columns(frame: nw.DataFrame[Any]) -> dict[str, list[str]]:
    """The columns of shares, by the column that they divide.

    They are named after it, contain numbers from 0 to 1, and add up to 1 in every row that has them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["*", "F"], "sex=F": [0.5, 1.0], "sex=M": [0.5, 0.0], "sex=other": [7, 8]})
    >>> part_columns(nw.from_native(table, eager_only=True))
    {}
    >>> part_columns(nw.from_native(table.drop(["sex=other"]), eager_only=True))
    {'sex': ['sex=F', 'sex=M']}
    """
    found: dict[str, list[str]] = {}
    names = sorted(frame.columns, key=len)
    taken: set[str] = set()
    for owner in names:
        if owner in taken:
            continue
        parts = [name for name in frame.columns if name.startswith(f"{owner}=") and name not in taken]
        if parts and all(frame[name].dtype.is_numeric() for name in parts) and _are_shares(part_shares(frame, parts)):
            found[owner] = parts
            taken.update(parts)
    return found


def share_columns(frame: nw.DataFrame[Any]) -> list[str]:
    """All columns of shares."""
    return [name for names in part_columns(frame).values() for name in names]


def part_labels(owner: str, names: list[str]) -> list[str]:
    """The parts that columns of shares refer to.

    >>> part_labels("age", ["age=[20,30)", "age=[30,40]"])
    ['[20,30)', '[30,40]']
    """
    return [name[len(owner) + 1 :] for name in names]


def part_shares(frame: nw.DataFrame[Any], names: list[str]) -> Floats:
    """The shares of each row, nan if it has none, (rows, parts)."""
    shares = np.empty((len(frame), len(names)))
    for at, name in enumerate(names):
        shares[:, at] = as_arrow(frame[name].cast(nw.Float64())).to_numpy()
    return shares


def _are_shares(shares: Floats) -> bool:
    stated = shares[~np.isnan(shares).any(axis=1)]
    within = (stated >= -_ROUNDING).all() and (np.abs(stated.sum(axis=1) - 1.0) <= _ROUNDING * shares.shape[1]).all()
    return bool(len(stated)) and bool(within)


def proportions_of(X: Any, given: object, owner: str) -> Proportions | None:
    """The given proportions, by default those of the release."""
    read = proportions_given(given, owner)
    return X.proportions if read is None and isinstance(X, Release) else read


def proportions_given(given: object, owner: str) -> Proportions | None:
    """The proportions of a parameter, which may be the path of their file."""
    if isinstance(given, str | Path):
        return Proportions.load(given)
    if given is not None and not isinstance(given, Proportions):
        must = "None, the proportions of a release or the path of their file"
        raise BadInput.parameter("proportions", owner, must, type(given).__name__)
    return given


def published_columns(
    X: Any,
    opened: OpenFrame,
    *,
    missing: Sequence[str],
    own: bool = False,
    missing_is_value: bool = True,
    hierarchies: Mapping[str, Any] | None = None,
    proportions: Proportions | None = None,
) -> list[SetColumn]:
    """Read all columns of the training table, except the columns of shares.

    Parameters
    ----------
    X : dataframe, Release or array
        The input; ``opened`` is its table.
    opened : OpenFrame
    missing : sequence of str
        Texts that mean "no value".
    own, missing_is_value : bool
        See :func:`hedgerow.anonymizers.trees.sets.read_training`.
    hierarchies : mapping of column to hierarchy, optional
        The hierarchies of published labels, as in a schema. A release has its own taxonomies.
    proportions : Proportions, optional
        The proportions of the classes.

    Examples
    --------
    >>> from hedgerow.io.frames import open_frame
    >>> people = pa.table({"sex": ["F", "{F|M}"], "age": ["[20,30)", "40"]})
    >>> columns = published_columns(people, open_frame(people), missing=("",))
    >>> [column.attribute.labels for column in columns]
    [('F', 'M'), ('20', '29', '40')]
    >>> unseen = unseen_columns([column.attribute for column in columns], open_frame(people), ("",), None)
    >>> [column.index.tolist() for column in unseen]
    [[0, 3], [4, 2]]
    """
    frame = opened.frame
    refuse_unknown_columns(hierarchies or {}, frame.columns, "A hierarchy is given for it.")
    known = {} if proportions is None else {column.name: column for column in proportions.columns}
    classes = None if proportions is None else proportions.classes_of(frame)
    added = set(share_columns(frame))
    columns = []
    for name in frame.columns:
        if name in added:
            continue
        values = as_arrow(frame[name])
        leaves = _leaves(X, name, values, missing, hierarchies)
        spread = known[name].spread(leaves) if name in known else None
        if spread is not None:
            leaves = {**_published_leaves(known[name], spread), **leaves}
        columns.append(
            read_training(
                name,
                values,
                missing=missing,
                own=own,
                missing_is_value=missing_is_value,
                leaves=leaves,
                shares=_class_shares(spread, classes),
            )
        )
    return columns


def unseen_columns(
    attributes: Sequence[SetAttribute], opened: OpenFrame, missing: Sequence[str], proportions: Proportions | None
) -> list[SetColumn]:
    """Read the columns of another table; recoded rows have the proportions of their class."""
    frame = opened.frame
    known = {} if proportions is None else {column.name: column for column in proportions.columns}
    classes: Longs | None = None
    if proportions is not None and all(name in frame.columns for name in known):
        classes = proportions.classes_of(frame)
    return [
        read_unseen(
            attribute,
            as_arrow(frame[attribute.name]),
            missing=missing,
            shares=_class_shares(
                known[attribute.name].spread(attribute.leaves) if attribute.name in known else None, classes
            ),
        )
        for attribute in attributes
    ]


def _class_shares(spread: Spread | None, classes: Longs | None) -> ClassShares | None:
    return None if spread is None or classes is None else ClassShares(spread, classes)


def _published_leaves(column: ColumnProportions, spread: Spread) -> Leaves:
    """The values that the classes with each published label may hold."""
    values = spread.domain.labels.tolist()
    known, size = set(values), spread.domain.size
    starts, held, _ = spread.classes()
    published = np.repeat(column.published.astype(np.int64), np.diff(starts))
    texts, codes = np.divmod(np.unique(published * size + held), size)
    below: dict[str, list[str]] = {}
    for text, code in zip((column.texts[which] for which in texts.tolist()), codes.tolist(), strict=True):
        if text is not None and text not in known and number_of(text) is None and isinstance(parse(text), str):
            below.setdefault(text, []).extend(values[code : code + 1])  # none for the missing value
    return {text: tuple(some) for text, some in below.items()}


def _leaves(
    X: Any, name: str, values: pa.ChunkedArray, missing: Sequence[str], hierarchies: Mapping[str, Any] | None
) -> Leaves:
    given = (hierarchies or {}).get(name)
    if given is None and isinstance(X, Release):
        given = X.given_hierarchies.get(name)
        if not isinstance(given.source if isinstance(given, EncodedHierarchy) else given, Taxonomy):
            return NO_LABELS
    if given is None:
        return NO_LABELS
    if isinstance(given, EncodedHierarchy):
        return leaves_below(given)
    hierarchy = hierarchy_of(given, name)
    if isinstance(hierarchy, Taxonomy):
        return leaves_below(hierarchy.encode(Domain(name, "text", np.empty(0, dtype=np.str_))))
    cells = encode_column(name, values, missing=missing).domain
    return published_labels(hierarchy, name, cells.labels.tolist()).values_below
