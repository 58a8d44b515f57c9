"""Taxonomies: trees of named categories, from nested dicts and lists, and order-preserving groups.

Values are matched by exact text; in a column of numbers by value, so that ``"39"`` in a taxonomy is 39.0 in
the table. Entries may be cells of the input, so errors count them and never quote them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Ints
from hedgerow.errors import BadInput, plural
from hedgerow.hierarchies._coverage import Uncovered
from hedgerow.hierarchies.encoded import EncodedHierarchy, Tree, encode_tree
from hedgerow.hierarchies.entries import DEEPEST, entry_text, is_entry, number_or_nan, too_deep
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["Taxonomy", "groups", "misplaced_labels", "taxonomy", "taxonomy_tree"]


@dataclass(frozen=True)
class Taxonomy:
    """A tree of labels whose leaves are values; see :func:`taxonomy`, :func:`groups`, and the file readers.

    Parameters
    ----------
    tree : Tree
        The labels.
    description : str
        One phrase that names it in a report and in errors.
    """

    tree: Tree
    description: str = "taxonomy"

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Find every value of the domain among the leaves, or refuse with the number of missing values."""
        leaf_of = self._leaves_by_number(domain) if domain.kind == "number" else self._leaves_by_text(domain)
        uncovered = np.flatnonzero(leaf_of < 0)
        if len(uncovered):
            raise Uncovered(
                f"The {self.description} of the column {domain.name!r} does not cover {len(uncovered)} of its "
                f"{len(leaf_of):,} different values",
                "Add them to it, or name them in missing= (--missing) if they mean that there is no value.",
                domain,
                uncovered,
            )
        return encode_tree(self.tree, leaf_of, domain, self.description)

    def _leaves_by_text(self, domain: Domain) -> Ints:
        leaf_of = {self.tree.labels[leaf]: leaf for leaf in self.tree.leaves()}
        labels = domain.labels.tolist()
        return np.fromiter((leaf_of.get(label, -1) for label in labels), np.int32, len(labels))

    def _leaves_by_number(self, domain: Domain) -> Ints:
        leaf_of: dict[float, int] = {}
        twice = 0
        for leaf in self.tree.leaves():
            number = number_or_nan(self.tree.labels[leaf])
            if not math.isnan(number):
                twice += number in leaf_of
                leaf_of[number] = leaf
        if twice:
            raise BadInput(
                f"The {self.description} of the column {domain.name!r} lists {twice} numbers twice, "
                "written in different ways. List each value once."
            )
        numbers = [] if domain.numbers is None else domain.numbers.tolist()
        return np.fromiter((leaf_of.get(number, -1) for number in numbers), np.int32, len(numbers))


def taxonomy(tree: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> Taxonomy:
    """Build a hierarchy from nested dicts and lists.

    Keys are labels; lists and empty dicts end in values. One key at the top is the root; several, or a list,
    get the root ``*``. ``{"value": ..., "children": [...]}`` is understood as well. Branches may differ in
    depth.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"education": ["9th", "10th", "PhD", "MSc"]})
    >>> levels = {"Any": {"School": ["9th", "10th"], "University": ["BSc", "MSc", "PhD"]}}
    >>> schema = hr.Schema(quasi=["education"], hierarchies={"education": hr.hierarchies.taxonomy(levels)})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["education"].to_pylist())
    ['School', 'School', 'University', 'University']
    """
    return _checked(taxonomy_tree(tree), "taxonomy")


def groups(parts: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> Taxonomy:
    """Build a hierarchy from the values of an ordered category in their order, cut into groups.

    Unlike a taxonomy's, the keys at the top are groups, and the root is always ``*``. Groups may hold groups.

    Parameters
    ----------
    parts : mapping of label to group, or list of groups
        A group is a list of values or of groups. One without a label is called ``first..last`` after its
        values.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.hierarchies.groups([["low", "fair"], ["good", "high", "top"]]).tree.labels
    ('*', 'low..fair', 'good..top', 'low', 'fair', 'good', 'high', 'top')
    >>> hr.hierarchies.groups({"below": ["low", "fair"], "above": ["good", "high", "top"]}).tree.labels[:3]
    ('*', 'below', 'above')
    """
    _refuse_deep(parts)
    return _checked(taxonomy_tree(_labelled(parts), root=SUPPRESSED_TEXT), "ordered groups")


def taxonomy_tree(nested: Any, root: str | None = None) -> Tree:
    """Read nested dicts and lists as a tree; without a root given, the only key at the top is the root."""
    _refuse_deep(nested)
    top = list(_branches(nested))
    if not top:
        raise BadInput("The taxonomy is empty. Give it the values of the column.")
    if root is None and len(top) == 1 and (below := list(_branches(top[0][1]))):
        root, top = top[0][0], below
    labels, parent = [root or SUPPRESSED_TEXT], [-1]
    waiting = [(0, top)]
    for node, branches in waiting:  # grows while it is read: breadth first
        for label, inside in branches:
            if below := list(_branches(inside)):
                waiting.append((len(labels), below))
            labels.append(label)
            parent.append(node)
    return Tree(tuple(labels), tuple(parent))


def misplaced_labels(tree: Tree) -> list[tuple[int, int]]:
    """List the pairs of nodes with the same label, neither above the other.

    A label repeated on the way up (ARX files are padded like that) is legal: it means the same wherever it is
    published. Anywhere else it would be ambiguous to a reader. Shallow nodes must come first.
    """
    latest: dict[str, int] = {}
    pairs = []
    for node, label in enumerate(tree.labels):
        earlier = latest.get(label)
        if earlier is not None:
            above = tree.parent[node]
            while above > earlier:
                above = tree.parent[above]
            if above != earlier:
                pairs.append((earlier, node))
        latest[label] = node
    return pairs


def _refuse_deep(nested: Any) -> None:
    if too_deep(nested):
        raise BadInput(f"The taxonomy is nested more than {DEEPEST} levels deep. Give it fewer levels.")


def _checked(tree: Tree, description: str) -> Taxonomy:
    """Refuse a tree in which a value is listed twice or a label has two parents."""
    pairs = misplaced_labels(tree)
    leaves = set(tree.leaves()) if pairs else set()
    values = sum(earlier in leaves and node in leaves for earlier, node in pairs)
    if values:
        raise BadInput(f"The {description} lists {plural(values, 'values')} twice. List each value once.")
    if pairs:
        raise BadInput(
            f"The {description} has {len(pairs)} labels with two parents. Give each label one place, "
            "or different names to different groups."
        )
    return Taxonomy(tree, description)


def _branches(nested: Any) -> Iterator[tuple[str, Any]]:
    """Yield the labels directly inside a nested form, each with what is inside it."""
    if nested is None:
        return
    if isinstance(nested, Mapping):
        if set(nested) <= {"value", "children"} and is_entry(nested.get("value")):
            yield entry_text(nested["value"]), nested.get("children")
            return
        for label, inside in nested.items():
            yield _entry(label), inside
    elif isinstance(nested, list | tuple):
        for item in nested:
            if isinstance(item, Mapping):
                yield from _branches(item)
            else:
                yield _entry(item), None
    else:
        raise _malformed(nested)


def _entry(item: Any) -> str:
    """Write a value or label as the table writes it; refuse anything else."""
    if not is_entry(item):
        raise _malformed(item)
    return entry_text(item)


def _malformed(item: Any) -> BadInput:
    """The error for a malformed nested form; it names only the type of the wrong item."""
    return BadInput(
        "A taxonomy must be nested dicts of labels that end in lists of values (text or numbers). "
        f"Found {type(item).__name__} instead."
    )


def _labelled(parts: Any) -> Any:
    """Give every unnamed group its name, so that what remains is a nested dict."""
    if isinstance(parts, Mapping):
        return {label: _labelled(inside) for label, inside in parts.items()}
    if not isinstance(parts, list | tuple):
        return parts
    if not parts:
        raise BadInput("A group is empty. Give every group at least one value.")
    named = []
    for part in parts:
        inside = _labelled(part)
        named.append({_span(inside): inside} if isinstance(part, list | tuple) else inside)
    return named


def _span(group: Any) -> str:
    """Name a group after its first and its last value."""
    first, last = _end_value(group, 0), _end_value(group, -1)
    return first if first == last else f"{first}..{last}"


def _end_value(group: Any, end: int) -> str:
    """Go down to the first (0) or the last (-1) value of a group."""
    branches = list(_branches(group))
    label = ""
    while branches:
        label, inside = branches[end]
        branches = list(_branches(inside))
    return label
