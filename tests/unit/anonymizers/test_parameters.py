"""Parameters of methods: what they accept, how they are read, what they say they must be."""

from __future__ import annotations

import pytest

from hedgerow.anonymizers.parameters import Choice, Flag, Named, Number


def test_choice() -> None:
    choice = Choice("cut", ("loss", "widest"), "how to cut")
    assert choice.must == "'loss' or 'widest'"
    assert Choice("order", ("a", "b", "c"), "").must == "'a', 'b' or 'c'"
    assert choice.accepts("loss")
    assert not choice.accepts("Loss")
    assert not choice.accepts(None)
    assert not choice.accepts(["loss"])
    assert choice.read("widest") == "widest"


@pytest.mark.parametrize(
    ("text", "read"), [("true", True), ("False", False), ("YES", True), ("no", False), ("maybe", "maybe")]
)
def test_flag_reads_words(text: str, read: object) -> None:
    flag = Flag("relaxed", "whether to relax")
    assert flag.read(text) == read
    assert flag.accepts(flag.read(text)) is isinstance(read, bool)


def test_flag_is_no_number() -> None:
    assert not Flag("relaxed", "").accepts(1)


def test_a_weak_flag_is_not_tried_by_the_contract() -> None:
    assert Flag("relaxed", "").trials == (True,)
    assert Flag("as_published", "", weak=True).trials == ()


def test_named_takes_words_and_objects() -> None:
    inducer = Named("inducer", ("c45", "cart"), "what grows the tree", extras=("j48",), objects="a function")
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
    number = Number("min_objects", "", "k", 1, whole=True, words=("k",))
    assert number.must == "'k' or an int >= 1"
    assert number.values == "k | N"
    assert number.accepts(value) is accepted


@pytest.mark.parametrize(("value", "accepted"), [(0, True), (0.5, True), (1.0, True), (1.01, False), (None, True)])
def test_a_share_that_may_be_left_out(value: object, accepted: bool) -> None:
    number = Number("limit", "", None, 0, most=1)
    assert number.must == "None or a number from 0 to 1"
    assert number.values == "NUMBER"
    assert number.accepts(value) is accepted


def test_numbers_are_read_as_typed() -> None:
    whole, share = Number("n", "", 1, 1, whole=True), Number("s", "", 0.0, 0)
    assert whole.read("12") == 12
    assert whole.read("1.5") == "1.5"
    assert share.read("0.25") == 0.25
    assert share.read("half") == "half"
