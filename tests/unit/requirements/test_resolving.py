"""k= and require= become one list that fits the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.requirements import (
    AlphaK,
    Context,
    KAnonymity,
    LDiversity,
    PSensitive,
    Requirement,
    SensitiveColumn,
    TCloseness,
    check,
    reached_at_most,
    resolve,
    unreachable,
    with_trees,
)
from hedgerow.schema import Schema

ROLES = Schema(quasi=["age", "sex"], sensitive=["ill"], target="income", identifying=["name"]).resolve(
    ["name", "age", "sex", "ill", "income"]
)


def test_k_comes_first_and_texts_are_read() -> None:
    assert resolve(10, ["l=3@ill", KAnonymity(4, shield=["sex"])]) == (
        KAnonymity(10),
        LDiversity(3, "ill"),
        KAnonymity(4, shield=["sex"]),
    )
    assert resolve(None, [LDiversity(3, "ill")]) == (LDiversity(3, "ill"),)


def test_a_single_requirement_needs_no_list() -> None:
    assert resolve(require="k=4@sex") == (KAnonymity(4, shield=["sex"]),)
    assert resolve(require=KAnonymity(4)) == (KAnonymity(4),)


@pytest.mark.parametrize("require", [["k=4"], [KAnonymity(10)], "k=4"])
def test_k_given_twice_is_an_error(require: Any) -> None:
    with pytest.raises(BadInput, match="given twice"):
        resolve(10, require)


def test_k_given_twice_as_requirements_is_an_error() -> None:
    with pytest.raises(BadInput, match="given twice"):
        resolve(None, [KAnonymity(4), "k=5"])


def test_nothing_asked_for_is_an_error() -> None:
    with pytest.raises(BadInput, match="No requirement is given"):
        resolve()


@pytest.mark.parametrize("require", [4, [4], [None]])
def test_something_else_is_refused(require: Any) -> None:
    with pytest.raises(BadInput, match="'require' parameter of anonymize must be"):
        resolve(3, require)


@pytest.mark.parametrize(
    ("requirement", "sentence"),
    [
        (KAnonymity(2, shield=["agee"]), "There is no column 'agee'. Did you mean 'age'?"),
        (
            KAnonymity(2, shield=["ill"]),
            "'ill' in the shield of 2-anonymity of ill is not a quasi-identifier",
        ),
        (LDiversity(2, "il"), "There is no column 'il'. Did you mean 'ill'?"),
        (
            LDiversity(2, "age"),
            "is not sensitive. Name it in sensitive (--sensitive); sensitive now: 'ill', 'income'.",
        ),
        (LDiversity(2, "name"), "is not sensitive"),
        (KAnonymity(7), "7-anonymity needs at least 7 rows, and the table has 6"),
        (AlphaK(0.1, 1, "ill"), "needs at least 10 rows, and the table has 6"),
    ],
)
def test_a_requirement_that_does_not_fit(requirement: Requirement, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        check([KAnonymity(2), requirement], ROLES, rows=6)
    assert sentence in str(caught.value)


def test_requirements_that_fit() -> None:
    check([KAnonymity(6), LDiversity(2, "ill"), LDiversity(2, "income", shield=["sex"])], ROLES, rows=6)


def test_without_sensitive_columns_the_error_does_not_list_them() -> None:
    roles = Schema(quasi=["age"], others="drop").resolve(["age", "ill"])
    with pytest.raises(BadInput, match=r"Name it in sensitive \(--sensitive\)\.$"):
        check([LDiversity(2, "ill")], roles, rows=6)


def test_trees_reach_only_the_requirement_that_lacks_one() -> None:
    tree = {"any": ["a", "b"]}
    own = TCloseness(0.2, "ill", "hierarchical", tree={"all": ["a", "b"]})
    given = (TCloseness(0.2, "ill", "hierarchical"), own, TCloseness(0.2, "ill"), KAnonymity(3))
    assert with_trees(given, {"ill": tree}) == (TCloseness(0.2, "ill", "hierarchical", tree=tree), *given[1:])
    assert with_trees(given, {}) == given


def test_what_even_one_class_of_all_rows_fails() -> None:
    column = SensitiveColumn(Domain("ill", "text", np.array(["a", "b", "c"])), np.array([4, 1, 1], dtype=np.int64))
    context = Context((column,), rows=6)
    reachable = [KAnonymity(6), LDiversity(3, "ill"), TCloseness(0, "ill"), AlphaK(0.7, 2, "ill")]
    hopeless = [KAnonymity(7), LDiversity(4, "ill"), LDiversity(3, "ill", "entropy"), AlphaK(0.6, 2, "ill")]
    assert unreachable(reachable, context) == ()
    assert unreachable([*reachable, *hopeless], context) == tuple(hopeless)


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        (KAnonymity(7), "6 records"),
        (AlphaK(0.5, 7, "ill"), "6 records"),
        (LDiversity(4, "ill"), "3 distinct values"),
        (PSensitive(4, 4, "ill"), "3 distinct values"),
        (LDiversity(3, "ill", "entropy"), "an entropy l of 2.381"),
        (LDiversity(2, "ill", "recursive", c=1), "a c of 2"),
        (LDiversity(4, "ill", "recursive", c=1), "3 distinct values"),
        (AlphaK(0.6, 2, "ill"), "a share of 0.6667"),
        (AlphaK(0.1, 2, "ill", value="b"), "a share of 0.1667"),
        (TCloseness(0, "ill"), "a distance of 0"),
    ],
    ids=str,
)
def test_what_one_class_of_all_rows_reaches(requirement: Requirement, words: str) -> None:
    """Counts 4, 1, 1: the entropy is (2 log 1.5 + log 6) / 3 = 0.8676 nats, and exp of it 2.381."""
    column = SensitiveColumn(Domain("ill", "text", np.array(["a", "b", "c"])), np.array([4, 1, 1], dtype=np.int64))
    assert reached_at_most(requirement, Context((column,), rows=6)) == words
