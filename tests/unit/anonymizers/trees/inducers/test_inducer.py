"""Which inducer a parameter means, and the one opened through which methods grow trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from hedgerow import BadInput, Schema
from hedgerow.anonymizers.trees import (
    ByThreshold,
    ByValue,
    ClassificationTree,
    Leaf,
    Node,
    TrainingTable,
    resolve_inducer,
)
from hedgerow.anonymizers.trees.inducers.inducer import _sound, grow
from hedgerow.anonymizers.trees.nodes.arrays import Nodes
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source
from hedgerow.learning import C45Classifier

# Ten records of each wind; the class is that of the wind in the middle, or not. The sky says nothing.
WEATHER = pa.table(
    {
        "wind": [1] * 10 + [2] * 10 + [3] * 10,
        "sky": ["blue", "grey"] * 15,
        "class": ["dry"] * 10 + ["rain"] * 10 + ["dry"] * 10,
    }
)


def counted(table: pa.Table, **schema: Any) -> FrequencyTable:
    roles = Schema(**{"quasi": [name for name in table.column_names if name != "class"], "target": "class", **schema})
    source = open_source(table)
    return source.count(roles, roles.resolve(source.columns)).counts


COUNTS = counted(WEATHER)


def parts(inducer: object, counts: FrequencyTable = COUNTS, min_objects: int = 2) -> int:
    """Into how many leaves the records go."""
    return len(set(grow(inducer, counts, min_objects, "KActus").leaves_of(counts).tolist()))


# Which inducer is meant


@pytest.mark.parametrize("word", ["c45", "cart"])
def test_words(word: str) -> None:
    assert parts(word) == 3
    assert parts(word, min_objects=10) == 3
    assert parts(word, min_objects=16) == 1  # 30 records are too few for two branches


@pytest.mark.parametrize("given", [DecisionTreeClassifier(max_depth=1), ExtraTreeClassifier(max_depth=1)])
def test_scikit_learns_trees(given: Any) -> None:
    assert parts(given, min_objects=16) == 2
    assert not hasattr(given, "tree_")
    assert parts(given.set_params(max_depth=None)) >= 3


def test_a_c45_classifier_gives_its_parameters() -> None:
    given = C45Classifier(min_objects=2)
    assert parts(given, min_objects=16) == 3
    assert not hasattr(given, "tree_")
    assert parts(C45Classifier(min_objects=16), min_objects=2) == 1
    # One error of 6 under blue, two of 5 under grey, against five of 11: worth a split only if it need not be sure.
    sky = ["blue"] * 6 + ["grey"] * 5
    slight = counted(pa.table({"sky": sky, "class": ["dry"] * 5 + ["rain"] + ["dry"] * 2 + ["rain"] * 3}))
    assert parts(C45Classifier(confidence=0.01), slight) == 1
    assert parts(C45Classifier(confidence=0.5), slight) == 2
    assert parts(C45Classifier(confidence=0.01, pruned=False), slight) == 2


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [("confidence", 0), ("confidence", True), ("min_objects", 0), ("min_objects", 2.5), ("pruned", 1)],
)
def test_a_wrong_parameter_of_a_c45_classifier_is_refused(parameter: str, wrong: Any) -> None:
    with pytest.raises(BadInput, match=f"The '{parameter}' parameter of C45Classifier"):
        resolve_inducer(C45Classifier(**{parameter: wrong}))


@pytest.mark.parametrize(
    "given",
    [
        "j49",
        None,
        3,
        DecisionTreeRegressor(),
        DecisionTreeClassifier,
        RandomForestClassifier(),
        LogisticRegression(),
        MultiOutputClassifier(DecisionTreeClassifier()),
    ],
)
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(BadInput, match="The 'inducer' parameter of HybridKActus must be 'c45', 'cart', 'j48', a "):
        resolve_inducer(given, "HybridKActus")


def test_a_table_in_place_of_an_inducer_does_not_show_its_rows() -> None:
    with pytest.raises(BadInput) as caught:
        resolve_inducer(pd.DataFrame({"name": ["Ada"]}))
    assert "Ada" not in str(caught.value)
    assert "DataFrame" in str(caught.value)


# A function of one's own


def test_a_function_sees_the_table_and_its_tree_is_used() -> None:
    seen: list[TrainingTable] = []

    def own(table: TrainingTable) -> Node:
        seen.append(table)
        return ByValue("sky", {"blue": Leaf(), "grey": ByThreshold("wind", 2, Leaf(), Leaf())})

    assert parts(own, min_objects=7) == 3
    assert seen[0].min_objects == 7
    assert seen[0].weights.tolist() == [5] * 6
    assert seen[0].to_arrow().column_names == ["wind", "sky"]


def test_an_object_that_can_be_called_is_a_function_too() -> None:
    class Own:
        def __call__(self, table: TrainingTable) -> Node:
            return Leaf()

    class OwnEstimator(LogisticRegression):  # type: ignore[misc]  # scikit-learn has no type hints
        def __call__(self, table: TrainingTable) -> Node:
            return Leaf()

    assert parts(Own()) == parts(OwnEstimator()) == 1


def test_a_function_may_return_a_classification_tree() -> None:
    c45 = resolve_inducer("c45")
    assert parts(lambda table: c45(table)) == 3


def test_a_classification_tree_over_other_columns_is_refused() -> None:
    c45 = resolve_inducer("c45")

    def renamed(table: TrainingTable) -> ClassificationTree:
        tree = c45(table)
        assert isinstance(tree, ClassificationTree)
        first, second = tree.attributes
        return replace(tree, attributes=(replace(first, name="gust"), second))

    def turned(table: TrainingTable) -> ClassificationTree | Node:
        return c45(replace(table, columns=table.columns[::-1]))

    def fewer(table: TrainingTable) -> ClassificationTree | Node:
        return c45(replace(table, columns=table.columns[:1]))

    for own in (renamed, turned, fewer):
        with pytest.raises(BadInput, match="whose columns or values differ"):
            grow(own, COUNTS, 2, "KActus")


@pytest.mark.parametrize(
    ("array", "values"),
    [
        ("column", [7, -1, -1]),  # there are two columns
        ("branches", [3, 0, 0]),  # the wind has two
        ("first", [0, -1, -1]),  # itself
        ("first", [2, -1, -1]),  # beyond the end
        ("column", [-1, -1, -1]),  # nobody's branches
        ("column", [1, 1, -1]),  # two parents
    ],
)
def test_a_classification_tree_that_does_not_fit_together_is_refused(array: str, values: list[int]) -> None:
    def own(table: TrainingTable) -> ClassificationTree:
        nodes = Nodes.leaves(3, 2)
        nodes.column[0], nodes.first[:2], nodes.branches[:2], nodes.threshold[0] = 0, 1, [2, 0], 0
        if values == [1, 1, -1]:
            nodes.branches[1] = 2
        sound = ClassificationTree(table.attributes, table.classes, nodes)
        assert _sound(sound)
        getattr(nodes, array)[:] = values
        return sound

    with pytest.raises(BadInput, match="do not fit together"):
        grow(own, COUNTS, 2, "KActus")


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(BadInput, match="type 'int'"):
        grow(lambda table: 3, COUNTS, 2, "KActus")


def test_what_a_function_raises_is_passed_on() -> None:
    def own(table: TrainingTable) -> Node:
        raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        grow(own, COUNTS, 2, "KActus")


def test_a_table_without_a_target_is_refused() -> None:
    with pytest.raises(BadInput, match="needs a target"):
        grow("c45", counted(WEATHER.drop_columns("class"), target=None), 2, "KActus")


@pytest.mark.parametrize("word", ["c45", "cart"])
def test_a_text_that_reads_like_the_missing_category_has_a_branch(word: str) -> None:
    # Upper case comes before the backslash, so the text is the last category, where the missing one would stand.
    sky = ["BLUE"] * 4 + ["\\N"] * 4
    classes = ["dry"] * 4 + ["rain"] * 4
    assert parts(word, counted(pa.table({"sky": sky, "class": classes}))) == 2
    beside = counted(pa.table({"sky": [*sky, *[None] * 4], "class": [*classes, *["snow"] * 4]}))
    assert parts(word, beside) == 3
