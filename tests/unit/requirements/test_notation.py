"""The command-line forms of requirements, both ways."""

from __future__ import annotations

import pytest

from hedgerow.errors import BadInput
from hedgerow.requirements import AlphaK, KAnonymity, LDiversity, PSensitive, Requirement, TCloseness, parse_requirement

FORMS: list[tuple[str, Requirement]] = [
    ("k=4", KAnonymity(4)),
    ("k=4@education,sex", KAnonymity(4, shield=["education", "sex"])),
    ("l=3@disease", LDiversity(3, "disease")),
    ("l=3:entropy@disease", LDiversity(3, "disease", "entropy")),
    ("l=2.5:entropy@disease", LDiversity(2.5, "disease", "entropy")),
    ("l=3:recursive:c=2@disease", LDiversity(3, "disease", "recursive", c=2)),
    ("l=3:shield=age,sex@disease", LDiversity(3, "disease", shield=["age", "sex"])),
    ("t=0.2@disease", TCloseness(0.2, "disease")),
    ("t=0.2:ordered@disease", TCloseness(0.2, "disease", "ordered")),
    (
        "t=0.2:ordered:order=low,middle,high@wage",
        TCloseness(0.2, "wage", "ordered", order=["low", "middle", "high"]),
    ),
    ("t=0.2:hierarchical@disease", TCloseness(0.2, "disease", "hierarchical")),
    ("p=2:k=5@disease", PSensitive(2, 5, "disease")),
    ("alpha=0.5:k=3@disease", AlphaK(0.5, 3, "disease")),
    ("alpha=0.5:k=3:value=flu@disease", AlphaK(0.5, 3, "disease", value="flu")),
]


@pytest.mark.parametrize(("text", "requirement"), FORMS)
def test_a_form_is_read_and_written(text: str, requirement: Requirement) -> None:
    assert parse_requirement(text) == requirement
    assert requirement.notation == text


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        (" k = 4 @ education , sex ", KAnonymity(4, shield=["education", "sex"])),
        ("l=3:distinct@disease", LDiversity(3, "disease")),
        ("l=3:c=2:recursive@disease", LDiversity(3, "disease", "recursive", c=2)),
        ("l=3@the column: no. 1, 2@x", LDiversity(3, "the column: no. 1, 2@x")),
    ],
)
def test_spaces_order_and_odd_names(text: str, requirement: Requirement) -> None:
    assert parse_requirement(text) == requirement


@pytest.mark.parametrize("text", ["", "4", "x=4", "K=4", "m=3@disease", "@disease", "=4"])
def test_an_unknown_form_lists_all(text: str) -> None:
    with pytest.raises(BadInput, match=r"is not understood\. Write one like k=4 .* alpha=0\.5:k=3@disease"):
        parse_requirement(text)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("k", "k=4@education,sex"),
        ("k=", "k=4@education,sex"),
        ("k=four", "k=4@education,sex"),
        ("k=4@", "k=4@education,sex"),
        ("k=4@age,,sex", "k=4@education,sex"),
        ("k=4:entropy", "k=4@education,sex"),
        ("l=3", "l=3@disease"),
        ("l=3@", "l=3@disease"),
        ("l=3:ordered@disease", "l=3@disease"),
        ("l=3:entropy:distinct@disease", "l=3@disease"),
        ("l=3:c=@disease", "l=3@disease"),
        ("l=3:recursive:c=2:c=3@disease", "l=3@disease"),
        ("l=3:recursive:c=two@disease", "l=3@disease"),
        ("t=0.2:k=3@disease", "t=0.2@disease"),
        ("t=0.2:ordered:order=a,,b@disease", "t=0.2@disease"),
        ("p=2@disease", "p=2:k=5@disease"),
        ("p=2:k=x@disease", "p=2:k=5@disease"),
        ("alpha=0.5@disease", "alpha=0.5:k=3@disease"),
    ],
)
def test_a_wrong_form_shows_the_right_one(text: str, form: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_requirement(text)
    assert f"The requirement {text!r} is not understood. Write it like " in str(caught.value)
    assert form in str(caught.value)


def test_a_number_out_of_range_is_the_requirements_own_error() -> None:
    with pytest.raises(BadInput, match=r"The 'k' parameter of KAnonymity must be an int >= 1\. Got 0 instead\."):
        parse_requirement("k=0")
    with pytest.raises(BadInput, match=r"'l' parameter of LDiversity must be an int >= 1\. Got 2\.5"):
        parse_requirement("l=2.5@disease")


def test_something_else_than_text_is_refused() -> None:
    with pytest.raises(BadInput, match="'require' parameter of anonymize must be requirements or texts"):
        parse_requirement(4)  # type: ignore[arg-type]  # the error that a caller without mypy meets
