"""kADET as a scikit-learn classifier, whose model itself may be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.anonymizers.parameters import takes_presets
from hedgerow.anonymizers.trees.inducers.kadet import Criterion, People, Records, induce_kadet
from hedgerow.anonymizers.trees.nodes.classification import Prediction
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizedAttribute, GeneralizingTree, places_of
from hedgerow.core.counts import BadValues, EncodedColumn, encode_column, tabulate
from hedgerow.errors import BadInput, is_int, plural, translated
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.io.domains import Domain
from hedgerow.io.frames import OpenFrame, as_arrow
from hedgerow.learning._inputs import refuse_unknown_columns
from hedgerow.learning._tree_classifier import Training, TreeClassifier
from hedgerow.requirements import pack
from hedgerow.requirements.binding import BoundRequirement, Context

__all__ = ["KADETClassifier"]


@takes_presets
@dataclass(kw_only=True, eq=False, repr=False)
class KADETClassifier(TreeClassifier[GeneralizingTree]):
    """A k-anonymous decision tree (see :mod:`hedgerow.anonymizers.trees.inducers.kadet`).

    Parameters
    ----------
    k : int
        The least number of records in every span. A span consists of the records whose public values lead to the same
        leaves, however the private questions are answered. Weights of rows must be whole numbers, since k counts
        records.
    public : sequence of str, optional
        The quasi-identifiers, whose values others may know; by default all columns. The other columns are private, and
        so is the label.
    hierarchies : mapping of column to hierarchy, optional
        The hierarchies of public columns, as in a schema. A column without a hierarchy is split by its values, or by
        thresholds if it contains numbers or dates. Hierarchies of private columns are not used.
    criterion : {"gain_ratio", "gain"}
        The measure by which a node chooses its split.
    pruned : bool
        Whether to prune the tree.
    missing : sequence of str
        Texts that mean "no value", besides null; a missing value is a separate value.
    {preset}

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    tree_ : GeneralizingTree
        The tree as data.
    spans_ : int array
        The number of records of each span, in ascending order.
    n_leaves_, tree_size_ : int
        The number of leaves, and of all nodes.
    n_features_in_ : int
        The number of columns of the training table.
    feature_names_in_ : array of str
        Their names, unless it was an array; rows to predict are matched by name.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"town": ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice"]})
    >>> towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice", "Paris"]}}
    >>> model = hr.learning.KADETClassifier(k=3, hierarchies={"town": towns}).fit(people, ["beer"] * 3 + ["wine"] * 3)
    >>> print(model.export_text())
    town = Germany: beer (3)
    town = France: wine (3)
    >>> model.predict(pa.table({"town": ["Paris"]})).tolist(), model.spans_.tolist()
    (['wine'], [3, 3])
    """

    k: int = 10
    public: Sequence[str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    criterion: Criterion = "gain_ratio"
    pruned: bool = True
    missing: Sequence[str] = ("",)

    def _grown(self, X: Any, training: Training) -> GeneralizingTree:  # noqa: ARG002 - all is in the training
        opened = training.opened
        rows = len(opened.frame)
        public = self._public(opened.frame.columns)
        weights = _whole(training.weights, rows)
        records = int(weights.sum())
        if records < self.k:
            classes = plural(len(np.unique(training.labels[weights > 0])), "classes")
            raise BadInput(
                f"The table has {plural(records, 'records')} of {classes}, fewer than k = {self.k}. Lower k or use a "
                f"larger table than this one (n_samples = {rows})."
            )
        self._given = {name: self._hierarchy(opened, name, name in public) for name in opened.frame.columns}
        columns = [self._encode(opened, name) for name in opened.frame.columns]
        attributes = [
            GeneralizedAttribute(column.domain, self._given[column.domain.name].encode(column.domain), name in public)
            for name, column in zip(opened.frame.columns, columns, strict=True)
        ]
        people = _people(attributes, columns, weights)
        tree = induce_kadet(
            attributes,
            _records(attributes, columns, training.labels, len(training.classes), weights),
            people,
            pack([BoundRequirement(f"k = {self.k}", self.k)], Context((), records)),
            training.names,
            criterion=self.criterion,
            pruned=self.pruned,
        )
        places = np.stack([attribute.places(codes) for attribute, codes in zip(attributes, people.codes, strict=True)])
        self.spans_ = np.sort(np.bincount(tree.spans(places), people.weights).astype(np.int64))
        return tree

    def _answer(self, opened: OpenFrame) -> Prediction:
        """Send rows down the tree.

        An unknown value counts as the nearest known node above it. If a node has no branch for it, the labels of that
        node are the prediction.
        """
        places = np.empty((len(self.tree_.attributes), len(opened.frame)), dtype=np.int32)
        for at, attribute in enumerate(self.tree_.attributes):
            new = self._encode(opened, attribute.domain.name, like=attribute.domain)
            places[at] = places_of(attribute, new.domain, self._given[attribute.domain.name])[new.codes]
        deciding = self.tree_.deciding[self.tree_.reached(places)]
        return Prediction(deciding, deciding.argmax(axis=1))

    def _encode(self, opened: OpenFrame, name: str, like: Domain | None = None) -> EncodedColumn:
        """A column as codes of its own values; text is read as the kind of the training column."""
        values = as_arrow(opened.frame[name])
        derive = like is not None and like.kind != "text"
        with translated(BadValues, into=lambda bad: bad.in_rows(values)):
            return encode_column(name, values, missing=self.missing, kind="derived" if derive else "typed")

    def _hierarchy(self, opened: OpenFrame, name: str, public: bool) -> Hierarchy:
        """The hierarchy of a column; categories that look like numbers stay categories."""
        given = (self.hierarchies or {}).get(name) if public else None
        categories = pa.types.is_dictionary(as_arrow(opened.frame[name]).type)
        return hierarchy_of("flat" if given is None and categories else given, name)

    def _public(self, columns: Sequence[str]) -> set[str]:
        named = columns if self.public is None else self.public
        refuse_unknown_columns(named, columns, "It is named as public.")
        refuse_unknown_columns(self.hierarchies or {}, columns, "A hierarchy is given for it.")
        return set(named)

    def _check_parameters(self) -> None:
        public: object = self.public
        named = public is None or (not isinstance(public, str) and isinstance(public, Sequence | set))
        self._check("k", is_int(self.k, 1), "an int >= 1")
        self._check("public", named, "a list of column names")
        self._check_hierarchies(self.hierarchies, "a mapping of column to hierarchy")
        self._check_choice("criterion", get_args(Criterion))
        self._check("pruned", isinstance(self.pruned, bool), "True or False")
        self._check_missing()


def _whole(weights: Floats | None, rows: int) -> Longs:
    if weights is None:
        return np.ones(rows, dtype=np.int64)
    if not (weights == np.round(weights)).all():
        raise BadInput("sample_weight must hold whole numbers, because k counts records.")
    return weights.astype(np.int64)


def _records(
    attributes: Sequence[GeneralizedAttribute],
    columns: Sequence[EncodedColumn],
    labels: Longs,
    n_classes: int,
    weights: Longs,
) -> Records:
    """The distinct combinations of all columns and the label."""
    codes = [*(column.codes for column in columns), labels.astype(np.int32)]
    sizes = [*(attribute.domain.size for attribute in attributes), n_classes]
    distinct, index = tabulate(codes, sizes, len(labels))
    records = np.bincount(index, weights, len(distinct)).astype(np.float64)
    return Records(np.ascontiguousarray(distinct[:, :-1].T), np.ascontiguousarray(distinct[:, -1]), records)


def _people(attributes: Sequence[GeneralizedAttribute], columns: Sequence[EncodedColumn], weights: Longs) -> People:
    """The distinct combinations of the public columns. Private columns have the code 0, which is never read."""
    public = [at for at, attribute in enumerate(attributes) if attribute.public]
    sizes = [attributes[at].domain.size for at in public]
    distinct, index = tabulate([columns[at].codes for at in public], sizes, len(weights))
    codes = np.zeros((len(columns), len(distinct)), dtype=np.int32)
    codes[public] = distinct.T
    nothing = np.empty((len(distinct), 0), dtype=np.int32)
    return People(codes, nothing, np.bincount(index, weights, len(distinct)).astype(np.int64), 0)
