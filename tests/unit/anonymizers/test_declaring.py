"""Classes that are declared by their fields: what follows from these."""

from __future__ import annotations

import inspect
import pickle
from typing import Any, Literal

import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from hedgerow import BadInput, KActus
from hedgerow.anonymizers.parameters import Declared, choice, flag, number


class Plain(Declared):
    """A class.

    Examples
    --------
    >>> Plain().word
    'a'
    """

    word: Literal["a", "b"] = choice("Which word.")
    share: float = number("How much.", default=0.5, least=0, most=1)


class Wider(Plain):
    """One more."""

    sure: bool = flag("Whether it is sure. It rarely is.", weak=True)


class ByHand(Plain):
    """With an ``__init__`` of its own."""

    def __init__(self, *, word: Literal["a", "b"] = "b") -> None:
        self.word = word


def test_fields_of_the_base_come_first_and_have_their_defaults() -> None:
    signature = inspect.signature(Wider)
    assert {name: one.default for name, one in signature.parameters.items()} == {
        "word": "a",
        "share": 0.5,
        "sure": False,
    }
    assert all(one.kind is one.KEYWORD_ONLY for one in signature.parameters.values())
    assert vars(Wider(share=1)) == {"word": "a", "share": 1, "sure": False}
    assert repr(Wider(word="b", sure=True)) == "Wider(word='b', sure=True)"


def test_what_is_not_declared_is_no_keyword() -> None:
    wrong: dict[str, Any] = {"wrod": "a"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrod'"):
        Wider(**wrong)


def test_the_docstring_lists_the_parameters_before_the_examples() -> None:
    text = inspect.getdoc(Plain) or ""
    assert text.index('word : {"a", "b"}\n    Which word.') < text.index("share : float") < text.index("Examples")
    assert "sure : bool" in str(Wider.__doc__)


def test_an_own_init_is_kept_and_described() -> None:
    one = ByHand()
    assert one.get_params() == {"word": "b"}
    assert one.share == 0.5, "what it leaves out has its default"
    assert repr(ByHand(word="a")) == "ByHand(word='a')"


def test_parameters_are_checked_by_what_is_declared() -> None:
    Wider.check({"word": "b", "share": 0})
    with pytest.raises(BadInput, match="The 'share' parameter of Wider must be a number from 0 to 1"):
        Wider.check({"share": 2})
    with pytest.raises(BadInput, match="Did you mean 'word'"):
        Wider.check({"wrod": "a"})
    assert Wider.weak({"sure": True}) == "sure"
    assert Wider.weak({"sure": False}) is None


def test_estimators_inside_have_their_parameters_too() -> None:
    method = KActus(inducer=DecisionTreeClassifier(max_depth=2))
    assert method.get_params()["inducer__max_depth"] == 2
    assert "inducer__max_depth" not in method.get_params(deep=False)
    assert method.set_params(inducer__max_depth=5, k=3) is method
    assert (method.inducer.max_depth, method.k) == (5, 3)
    with pytest.raises(BadInput, match="There is no parameter of KActus called 'inducre'"):
        method.set_params(inducre="c45")


def test_scikit_learn_knows_it() -> None:
    method = KActus(k=4, inducer=DecisionTreeClassifier(max_depth=2))
    copy = clone(method)
    assert copy is not method
    assert copy.inducer is not method.inducer
    assert repr(copy) == repr(method) == repr(pickle.loads(pickle.dumps(method)))
    assert get_tags(method).target_tags.required is False
