"""Trees that your own inducer returns: leaves, questions by value, and questions by threshold.

A question asks one column, because methods that publish along a tree show the columns that a record's path asks. kACTUS
requires a univariate tree, too (Kisilevich, Rokach, Elovici, Shapira, IEEE TKDE 22(3), 2010). :func:`path_tree` checks
such a tree against a table and converts it to the arrays that methods read.

**Deviations.** The paper does not mention missing values. Here, "missing" is a separate value. If a tree has no branch
for it, a leaf is added, so that every record has exactly one path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np

from hedgerow._internal.arrays import Ints
from hedgerow.anonymizers.trees.nodes.arrays import NodeList
from hedgerow.anonymizers.trees.nodes.paths import PathTree, joined_lookups
from hedgerow.anonymizers.trees.training import Attribute
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.io.values import MISSING_TEXT

__all__ = ["ByThreshold", "ByValue", "Leaf", "Node", "category_name", "path_tree"]

# A tree that uses one question in many places may double with every level, so its size is limited.
_MOST_NODES = 2**22


@dataclass(frozen=True)
class Leaf:
    """The end of a path."""


@dataclass(frozen=True)
class ByValue:
    """Ask a column of categories.

    Attributes
    ----------
    attribute : str
        The column.
    branches : mapping of category to node
        A key is a category as text, None for the missing value, or a tuple of these.
    otherwise : node, optional
        The branch of all other categories, including the missing one.

    Examples
    --------
    >>> tree = ByValue("sky", {"grey": Leaf(), ("blue", "pink"): Leaf()})
    >>> sorted(map(str, tree.branches))
    ["('blue', 'pink')", 'grey']
    """

    attribute: str
    branches: Mapping[str | tuple[str | None, ...] | None, Node]
    otherwise: Node | None = None


@dataclass(frozen=True)
class ByThreshold:
    """Ask a column of numbers, or of dates as days since 1970-01-01.

    Attributes
    ----------
    attribute : str
        The column.
    at_most : float
        The threshold: a value up to it goes low, a larger value goes high.
    low, high : node
    missing : node, optional
        The branch of missing numbers; by default, a separate leaf.

    Examples
    --------
    >>> ByThreshold("age", 40, low=Leaf(), high=Leaf()).at_most
    40
    """

    attribute: str
    at_most: float
    low: Node
    high: Node
    missing: Node | None = None


Node: TypeAlias = Leaf | ByValue | ByThreshold


def path_tree(root: Node, counts: FrequencyTable, owner: str) -> PathTree:
    """Check a tree against the records that will go down it, and convert it to arrays.

    Parameters
    ----------
    root : Leaf, ByValue or ByThreshold
    counts : FrequencyTable
        Every record must have a branch at each question on its path.
    owner : str
        The name of the method, for messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.engines import open_source
    >>> schema = Schema(quasi=["age", "sex"])
    >>> source = open_source(pa.table({"age": [20, 30, 50], "sex": ["f", "m", "f"]}))
    >>> counts = source.count(schema, schema.resolve(source.columns)).counts
    >>> tree = path_tree(ByThreshold("age", 40, ByValue("sex", {"f": Leaf()}, Leaf()), Leaf()), counts, "KActus")
    >>> tree.n_leaves, tree.leaves_of(counts).tolist()
    (3, [3, 4, 2])
    """
    layout = _Layout(counts, owner)
    # The questions above the current one, by identity, since equal nodes may be below one another.
    above: set[int] = set()
    waiting: list[tuple[object, int, bool]] = [(root, 0, False)]
    while waiting:
        node, place, done = waiting.pop()
        if done:
            above.discard(id(node))
            continue
        if id(node) in above:
            raise BadInput(f"The tree for {owner} has a question that leads back to itself. A path must end in a leaf.")
        below = layout.ask(node, place)
        if below:
            above.add(id(node))
            waiting.append((node, place, True))
            waiting.extend((child, at, False) for child, at in below)
    tree = PathTree(layout.nodes.finished(), *joined_lookups(layout.lookups, len(layout.nodes)))
    _check_complete(tree, counts, owner)
    return tree


class _Layout:
    """A path tree while it is built."""

    def __init__(self, counts: FrequencyTable, owner: str) -> None:
        self.owner = owner
        self.columns = {name: at for at, name in enumerate(counts.quasi)}
        self.domains = [counts.domains[name] for name in counts.quasi]
        self.codes: dict[int, dict[str | None, int]] = {}
        self.nodes = NodeList()
        self.lookups: dict[int, Ints] = {}

    def ask(self, node: object, place: int) -> list[tuple[object, int]]:
        """Write the question of a node; return its branches and their places, none for a leaf."""
        if isinstance(node, Leaf):
            return []
        threshold = -1
        if isinstance(node, ByThreshold):
            column = self._column(node.attribute)
            threshold, below = self._numbers(node, column)
        elif isinstance(node, ByValue):
            column = self._column(node.attribute)
            below = self._categories(node, column, place)
        else:
            raise BadInput(
                f"The tree for {self.owner} must consist of Leaf, ByValue and ByThreshold. "
                f"It has an object of type {type(node).__name__!r}."
            )
        if len(self.nodes) + len(below) > _MOST_NODES:
            raise BadInput(
                f"The tree for {self.owner} has more than {_MOST_NODES:,} nodes. "
                "Does it use the same question in many places?"
            )
        return list(zip(below, self.nodes.ask(place, column, len(below), threshold), strict=True))

    def _column(self, attribute: object) -> int:
        if not isinstance(attribute, str):
            raise BadInput(
                "A question of the tree names several columns, or its column by something else than text. "
                f"{self.owner} needs trees that ask one column at a time."
            )
        if attribute not in self.columns:
            raise BadInput.unknown("quasi-identifier", attribute, self.columns, "The tree asks for it.")
        return self.columns[attribute]

    def _numbers(self, node: ByThreshold, column: int) -> tuple[int, list[object]]:
        domain = self.domains[column]
        if domain.numbers is None or domain.kind == "text":
            raise BadInput(f"The tree asks {domain.name!r} by a threshold, but it holds text. Use ByValue for it.")
        at_most = _finite(node.at_most)
        if at_most is None:
            raise BadInput(f"A threshold of the tree for {domain.name!r} is not a finite number. Make it one.")
        threshold = int(np.searchsorted(domain.numbers, at_most, side="right")) - 1
        missing = [Leaf() if node.missing is None else node.missing] if domain.has_missing else []
        return threshold, [node.low, node.high, *missing]

    def _categories(self, node: ByValue, column: int, place: int) -> list[object]:
        domain = self.domains[column]
        if domain.numbers is not None and domain.kind != "text":
            raise BadInput(
                f"The tree asks {domain.name!r} by its values, but it holds {domain.kind}s. Use ByThreshold for it."
            )
        given: object = node.branches
        if not isinstance(given, Mapping):
            raise BadInput(f"The branches of a question for {domain.name!r} must be a mapping of category to node.")
        lookup = self._branch_of_codes(given, column)
        below = list(given.values())
        if node.otherwise is not None:
            lookup[lookup < 0] = len(below)
            below.append(node.otherwise)
        elif domain.has_missing and lookup[domain.missing_code] < 0:
            lookup[domain.missing_code] = len(below)
            below.append(Leaf())
        self.lookups[place] = lookup
        return below

    def _branch_of_codes(self, branches: Mapping[object, object], column: int) -> Ints:
        """Return the branch of each category of a column, -1 for a category without a branch."""
        domain = self.domains[column]
        lookup = np.full(domain.size, -1, dtype=np.int32)
        seen: set[object] = set()
        for branch, key in enumerate(branches):
            for category in key if isinstance(key, tuple) else (key,):
                code = self._code(category, column)
                if category in seen or (code is not None and lookup[code] >= 0):
                    raise BadInput(
                        f"A question of the tree for {domain.name!r} has the same category in two branches. "
                        "A record can take only one."
                    )
                seen.add(category)
                if code is not None:
                    lookup[code] = branch
        return lookup

    def _code(self, category: object, column: int) -> int | None:
        """Return the code of a category; None if the column does not have it."""
        if category is not None and not isinstance(category, str):
            raise BadInput(
                f"A branch of the tree for {self.domains[column].name!r} is named by an object of type "
                f"{type(category).__name__!r}. Name it by a category as text, None or a tuple of these."
            )
        if column not in self.codes:
            self.codes[column] = _codes(self.domains[column])
        return self.codes[column].get(category)


def _finite(given: object) -> float | None:
    """Return a threshold as a float; None if it is not a finite number."""
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    try:
        number = float(given)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _codes(domain: Domain) -> dict[str | None, int]:
    codes: dict[str | None, int] = {label: code for code, label in enumerate(domain.labels.tolist())}
    if domain.has_missing:
        codes[None] = domain.missing_code
        # In the training table, a missing category has this name.
        codes.setdefault(MISSING_TEXT, domain.missing_code)
    return codes


def category_name(attribute: Attribute, code: int) -> str | None:
    r"""Return the key of a category of a training table in :class:`ByValue`.

    A training table calls the missing category ``\N``. If a text of the table is ``\N``, too, two labels are equal, and
    the last one is the missing category.

    >>> category_name(Attribute("sky", ("blue", "grey")), 1)
    'grey'
    >>> print(category_name(Attribute("sky", ("\\N", "blue", "\\N")), 2))
    None
    """
    label = attribute.labels[code]
    last = code == len(attribute.labels) - 1
    return None if last and label == MISSING_TEXT and MISSING_TEXT in attribute.labels[:-1] else label


def _check_complete(tree: PathTree, counts: FrequencyTable, owner: str) -> None:
    leaves = tree.leaves_of(counts)
    lost = leaves < 0
    if not lost.any():
        return
    asked = tree.column[-1 - leaves[lost]]
    column = asked.min()
    records = int(counts.tuple_sizes[lost][asked == column].sum())
    raise BadInput(
        f"The tree for {owner} has no branch for the value of {counts.quasi[column]!r} in {records:,} of "
        f"{counts.rows:,} records. Give the question a branch for every value, or use 'otherwise'."
    )
