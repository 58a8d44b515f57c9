"""k, l and the method."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hedgerow.advice._profiles import Profile
from hedgerow.advice._requirements import choose_k, choose_method, diversity, few_groups, least_people
from hedgerow.anonymizers.registry import METHODS
from hedgerow.errors import BadInput


def test_k_has_a_precedent() -> None:
    assert choose_k(None, ["age", "Diagnose"])[0] == 11
    assert "CMS" in choose_k(None, ["patient_id"])[1]
    assert choose_k(None, ["age", "party"])[0] == 5
    assert choose_k(7, ["disease"])[0] == 7
    for wrong in (1, 2.5, "5"):
        with pytest.raises(BadInput, match="'k' parameter of advise"):
            choose_k(wrong, [])  # type: ignore[arg-type]  # wrong on purpose


def test_small_tables_are_told() -> None:
    assert few_groups(1000, 5, "rows") is None
    assert "at most 6 groups are possible" in (few_groups(30, 5, "rows") or "")
    assert "9 people and k = 5 at most one group is" in (few_groups(9, 5, "people") or "")


@pytest.mark.parametrize(
    ("cells", "l"),
    [
        (["a", "b", "c"] * 5, 3),
        (["a", "b"] * 5, 2),
        (["a"] * 17 + ["b", "c", "d"], 2),
        (["a"] * 99 + ["b"], None),
        (["a"] * 5, None),
        (["a"] * 5 + [None] * 5, 2),
    ],
)
def test_diversity(cells: list[str], l: int | None, profile: Callable[..., Profile]) -> None:  # noqa: E741 - the paper's letter
    assert diversity(profile("disease", cells))[0] == l


def test_methods(profiles: Callable[..., dict[str, Profile]]) -> None:
    quasi = profiles(age=list(range(50)), sex=["M", "F"] * 25, town=[f"town {n}" for n in range(50)])
    words = {"age": "intervals:5,10", "sex": "flat"}
    few = {name: quasi[name] for name in ("age", "sex")}
    chosen = [
        choose_method("ill", quasi, words, 5000),
        choose_method("ill", quasi, words, 500),
        choose_method(None, quasi, words, 5000),
        choose_method(None, few, words, 5000),
    ]
    assert [one.value for one in chosen] == ["hedge", "kactus", "mondrian", "optimal"]
    assert {one.value for one in chosen} <= set(METHODS)


def test_health_data_show_no_small_counts(profiles: Callable[..., dict[str, Profile]]) -> None:
    clear = profiles(disease=["flu", "gout"] * 20, weight=list(range(40)), visits=[1, 2] * 20)
    least = least_people(clear, list(clear), of_people=False)
    assert least is not None
    assert (least.number, least.recode) == (11, {"weight": "microaggregate:11"})
    assert "CMS" in least.reason
    of_people = least_people(clear, list(clear), of_people=True)
    assert of_people is not None
    assert set(of_people.recode) == {"weight", "visits"}, "fewer people than rows may hold a number"
    assert least_people(clear, ["age", "party"], of_people=False) is None
