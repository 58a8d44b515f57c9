"""What is measured for ID3: trees from the original rows and from releases, and how they answer the test rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.anonymizers.partition.mondrian import Mondrian
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.core.cells import ValueSet, parse
from hedgerow.release import Release
from hedgerow.schema import Schema
from reproductions.tables import ADULT, adult

__all__ = [
    "CATEGORIES",
    "NUMBERS",
    "PARTITIONS",
    "QUASI",
    "WAYS",
    "Partition",
    "Way",
    "describe_release",
    "gain_of",
    "learn_from_original",
    "learn_from_release",
    "mondrian",
    "reached",
]

Partition = Literal["strict", "relaxed", "loss"]

QUASI: Final = (
    "age",
    "education",
    "hours-per-week",
    "native-country",
    "capital-gain",
    "workclass",
    "occupation",
    "marital-status",
    "relationship",
    "race",
    "sex",
    "capital-loss",
)
"""Adult's columns in the order in which the paper makes them quasi-identifiers (sections V-A and V-B)."""

NUMBERS: Final = ("age", "hours-per-week", "capital-gain", "capital-loss")
CATEGORIES: Final = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
"""In the order of the file: of two columns that tell as much, the first is asked."""

PARTITIONS: Final[Mapping[Partition, Mapping[str, Any]]] = {
    "strict": {"relaxed": False},
    "relaxed": {"relaxed": True},
    "loss": {"cut": "loss", "relaxed": False},
}
"""Mondrian as the paper has it, the other kind that it names, and as it is in Hedgerow by default."""

_SEED: Final = 0
_SMALL: Final = 3  # a value "with one or two other values"


@dataclass(frozen=True)
class Way:
    """How a tree is learnt from generalized cells.

    Parameters
    ----------
    entropy, assign, fractional
        See :class:`hedgerow.learning.GeneralizedID3Classifier`.
    told : bool
        Whether the release publishes proportions, without which the original distribution cannot be replicated.
    learner : {"id3", "c45"}
    """

    entropy: Literal["shared", "own", "random"] = "shared"
    assign: Literal["random", "frequent", "distribution"] = "random"
    fractional: bool = False
    told: bool = False
    learner: Literal["id3", "c45"] = "id3"

    @property
    def drawn(self) -> bool:
        """Whether it differs between runs."""
        return not self.fractional and self.entropy != "own" and self.assign != "frequent"


WAYS: Final[Mapping[str, Way]] = {
    "shared, random": Way("shared", "random"),
    "shared, frequent": Way("shared", "frequent"),
    "shared, distribution": Way("shared", "distribution", told=True),
    "random, random": Way("random", "random"),
    "random, frequent": Way("random", "frequent"),
    "random, distribution": Way("random", "distribution", told=True),
    "own": Way("own"),
    "fractional": Way(fractional=True),
    "fractional, told": Way(fractional=True, told=True),
    "C4.5, fractional": Way(fractional=True, learner="c45"),
    "C4.5, fractional, told": Way(fractional=True, told=True, learner="c45"),
}
"""Entropy and conversion. With sets as values of their own nothing is converted, so that "own" is three of the nine."""


def learn_from_original(numbers: Literal["ignore", "thresholds", "categories"]) -> dict[str, Any]:
    """ID3 from the original training rows: its accuracy on the test rows, and by other ways to answer.

    Parameters
    ----------
    numbers : {"ignore", "thresholds", "categories"}
        Columns of numbers are left out as in the paper, split by thresholds, or every number is a category.
    """
    from hedgerow.learning import GeneralizedID3Classifier

    used = CATEGORIES if numbers == "ignore" else QUASI
    names = [name for name in adult("train").column_names if name in used]
    train, test = (_spelled(adult(part)) if numbers == "categories" else adult(part) for part in ("train", "test"))
    truth = _labels("train")
    model = GeneralizedID3Classifier(random_state=_SEED).fit(train.select(names), truth)
    found: dict[str, Any] = {
        "accuracy": _accuracy(model, test),
        "leaves": model.n_leaves_,
        "root": _root(model.tree_),
    }
    if numbers == "thresholds":
        return found
    tree: ClassificationTree = model.tree_
    at, began = reached(tree, test), reached(tree, train)
    first = np.full(len(tree.nodes), -1)
    first[began[::-1]] = np.searchsorted(model.classes_, truth)[::-1]
    ties: dict[str, Longs | int] = {"first record": first, "<=50K": 0, ">50K": 1}
    found["readings"] = {
        f"{tie}, {unseen}": _answered(tree, at, given, within=unseen == "node")
        for tie, given in ties.items()
        for unseen in ("node", "table")
    }
    found["untied"] = found["readings"]["first record, node"]
    found["unseen"] = int((tree.column[at] >= 0).sum())
    return found


def learn_from_release(k: int, quasi: int, partition: Partition, way: str, run: int) -> dict[str, Any]:
    """A tree from a release of the training rows, tested on the test rows as they are.

    Parameters
    ----------
    k : int
    quasi : int
        So many of ``QUASI`` are quasi-identifiers; the others are published in clear.
    partition : {"strict", "relaxed", "loss"}
    way : str
        Of ``WAYS``.
    run : int
        The seed of all that is drawn; nothing of the release is.
    """
    from hedgerow.learning import C45Classifier, GeneralizedID3Classifier

    how = WAYS[way]
    release = _released(k, quasi, partition, how.told)
    began = time.perf_counter()
    if how.learner == "c45":
        model = C45Classifier(fractional=True).fit(release)
    else:
        model = GeneralizedID3Classifier(
            preset="paper", entropy=how.entropy, assign=how.assign, fractional=how.fractional, random_state=run
        ).fit(release)
    seconds = round(time.perf_counter() - began, 4)
    test = adult("test").select(list(QUASI))
    found = {"accuracy": _accuracy(model, test), "root": _root(model.tree_), "leaves": model.n_leaves_}
    if how.learner == "id3" and how.entropy != "own" and not how.fractional:
        coin = np.random.default_rng([_SEED, run]).integers(2, size=len(model.tree_.nodes))
        found["untied"] = _answered(model.tree_, reached(model.tree_, test), coin, within=True)
    return {**found, "seconds": seconds}


def describe_release(k: int, quasi: int, partition: Partition) -> dict[str, Any]:
    """How general a release is: its classes, how many values its sets have, what columns tell at the root."""
    release = _released(k, quasi, partition, False)
    positive = np.array([label == ">50K" for label in release.table[ADULT].to_pylist()])
    few = generalized = 0
    gains = {}
    for name in CATEGORIES:
        texts = Counter(zip(release.table[name].to_pylist(), positive.tolist(), strict=True))
        sizes = {text: len(_members(text)) for text, _ in texts}
        generalized += sum(number for (text, _), number in texts.items() if sizes[text] > 1)
        few += sum(number for (text, _), number in texts.items() if 1 < sizes[text] <= _SMALL)
        gains[name] = gain_of(texts)
    cells = release.table.num_rows * len(set(CATEGORIES) & set(QUASI[:quasi]))
    return {
        "classes": release.audit.classes.number,
        "generalized": generalized / cells,
        "few": few / generalized if generalized else None,
        "gains": gains,
        "ncp_published": release.audit.losses.get("ncp_published"),
    }


def reached(tree: ClassificationTree, rows: pa.Table) -> Longs:
    """The node at which each row of plain categories stops: a leaf, or where its value has no branch."""
    codes = []
    for attribute in tree.attributes:
        found = pc.index_in(rows[attribute.name].cast(pa.string()), pa.array(attribute.labels, pa.string()))
        codes.append(pc.fill_null(found, -1).to_numpy())
    code = np.stack(codes)
    nodes = tree.nodes
    width = int(code.max()) + 2
    # Branches follow each other by parent and by code, so that one key finds them.
    keys = nodes.parent[1:].astype(np.int64) * width + nodes.code[1:] + 1
    at = np.zeros(rows.num_rows, dtype=np.int64)
    going = np.arange(rows.num_rows)
    while len(going := going[nodes.column[at[going]] >= 0]):
        key = at[going] * width + code[nodes.column[at[going]], going] + 1
        branch = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        found_one = keys[branch] == key
        going, branch = going[found_one], branch[found_one]
        at[going] = branch + 1
    return at


def mondrian(partition: Partition) -> Mondrian:
    """The method that makes a partition."""
    return Mondrian(preset="paper", **PARTITIONS[partition])


@cache
def _labels(part: str) -> list[str]:
    labels: list[str] = adult(part)[ADULT].to_pylist()
    return labels


@lru_cache(maxsize=4)
def _released(k: int, quasi: int, partition: Partition, told: bool) -> Release:
    hidden, clear = QUASI[:quasi], QUASI[quasi:]
    schema = Schema(quasi=hidden, target=ADULT, insensitive=clear, accept=[*clear, ADULT], others="drop")
    return mondrian(partition).anonymize(adult("train"), schema, k=k, random_state=_SEED, publish_proportions=told)


def _spelled(table: pa.Table) -> pa.Table:
    """The numbers as categories, written so that nobody takes them for numbers."""
    for name in NUMBERS:
        at = table.column_names.index(name)
        table = table.set_column(at, name, pc.binary_join_element_wise("is", table[name].cast(pa.string()), " "))
    return table


def _accuracy(model: Any, test: pa.Table) -> float:
    return float((np.asarray(model.predict(test)) == np.array(_labels("test"))).mean() * 100)


def _root(tree: ClassificationTree) -> str | None:
    return None if tree.column[0] < 0 else tree.attributes[tree.column[0]].name


def _answered(tree: ClassificationTree, at: Longs, ties: Longs | int, *, within: bool) -> float:
    """The accuracy where ties of a node go to given labels, and values without a branch to the node or to the table."""
    counts = tree.nodes.counts
    label = np.where(_tied(counts), ties, counts.argmax(axis=1))
    inside = tree.column[at] >= 0
    table = counts[0].argmax()
    said = label[at] if within else np.where(inside, table, label[at])
    return float((np.array(tree.classes)[said] == np.array(_labels("test"))).mean() * 100)


def _tied(counts: Floats) -> Bools:
    highest = np.sort(counts, axis=1)
    return np.asarray(np.isclose(highest[:, -1], highest[:, -2]))


def _members(text: str) -> Sequence[str | None]:
    said = parse(text)
    return sorted(map(str, said.members)) if isinstance(said, ValueSet) else [text]


def gain_of(texts: Mapping[tuple[str, bool], int]) -> float:
    """What a column tells of the label in bits, each member of a set counted equally.

    >>> round(gain_of({("F", False): 3, ("F", True): 1, ("M", True): 1, ("{F|M}", False): 2, ("{F|M}", True): 1}), 4)
    0.0698
    """
    counts: dict[str | None, Floats] = {}
    for (text, positive), number in texts.items():
        members = _members(text)
        for member in members:
            counts.setdefault(member, np.zeros(2))[int(positive)] += number / len(members)
    of_value = np.stack(list(counts.values()))
    shares = of_value.sum(axis=1) / of_value.sum()
    return float(_entropy(of_value.sum(axis=0)[np.newaxis])[0] - shares @ _entropy(of_value))


def _entropy(counts: Floats) -> Floats:
    shares = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))
