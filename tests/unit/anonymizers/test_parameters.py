"""Parameters of methods: what they accept, how they are read, what they say they must be."""

from __future__ import annotations

from typing import Literal

import pytest

from hedgerow.anonymizers.parameters import Parameter, choice, choice_or_object, flag, number


def test_choice() -> None:
    cut: Parameter = choice("How to cut.", options=("loss", "widest"))
    assert cut.must == "'loss' or 'widest'"
    assert choice("", options=("a", "b", "c")).must == "'a', 'b' or 'c'"
    assert cut.accepts("loss")
    assert not cut.accepts("Loss")
    assert not cut.accepts(None)
    assert not cut.accepts(["loss"])
    assert cut.read("widest") == "widest"
    assert (cut.default, cut.trials) == ("loss", ("widest",))
    assert choice("", options=("a", "b", "c"), default="b").trials == ("a", "c")


def test_the_words_of_a_choice_are_those_of_the_annotation() -> None:
    cut = choice("How to cut.").typed(Literal["loss", "widest"])
    assert (cut.options, cut.kind) == (("loss", "widest"), '{"loss", "widest"}')


@pytest.mark.parametrize(
    ("text", "read"), [("true", True), ("False", False), ("YES", True), ("no", False), ("maybe", "maybe")]
)
def test_flag_reads_words(text: str, read: object) -> None:
    relaxed: Parameter = flag("Whether to relax.")
    assert relaxed.read(text) == read
    assert relaxed.accepts(relaxed.read(text)) is isinstance(read, bool)


def test_flag_is_no_number() -> None:
    assert not flag("").accepts(1)


def test_a_weak_flag_is_not_tried_by_the_contract() -> None:
    assert flag("").trials == (True,)
    assert flag("", weak=True).trials == ()


def test_a_choice_or_object_takes_words_and_objects() -> None:
    inducer = choice_or_object("What grows the tree.", options=("c45", "cart"), extras=("j48",), objects="a function")
    assert inducer.must == "'c45', 'cart', 'j48' or a function"
    assert inducer.default == "c45"
    assert inducer.trials == ("cart",)
    assert inducer.values == "c45 | cart | j48"
    assert inducer.accepts("j48")
    assert inducer.accepts(len)
    assert not inducer.accepts("c50")
    assert not inducer.accepts(3)
    assert not inducer.accepts(int)  # a class, not an object


@pytest.mark.parametrize(
    ("value", "accepted"),
    [("k", True), (1, True), (0, False), (2.5, False), (True, False), (None, False), ("q", False)],
)
def test_a_whole_number_or_a_word(value: object, accepted: bool) -> None:
    least: Parameter = number("", default="k", least=1, whole=True, words=("k",))
    assert least.must == "'k' or an int >= 1"
    assert least.values == "k | N"
    assert least.accepts(value) is accepted


@pytest.mark.parametrize(("value", "accepted"), [(0, True), (0.5, True), (1.0, True), (1.01, False), (None, True)])
def test_a_share_that_may_be_left_out(value: object, accepted: bool) -> None:
    limit: Parameter = number("", default=None, least=0, most=1)
    assert limit.must == "None or a number from 0 to 1"
    assert limit.values == "NUMBER"
    assert limit.accepts(value) is accepted


def test_numbers_are_read_as_typed() -> None:
    whole, share = number("", default=1, least=1, whole=True), number("", default=0.0, least=0)
    assert whole.read("12") == 12
    assert whole.read("1.5") == "1.5"
    assert share.read("0.25") == 0.25
    assert share.read("half") == "half"
