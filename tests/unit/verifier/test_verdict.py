"""Verdicts: what holds, what is reached, and that nothing unknown passes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.errors import BadInput, NotAnonymous
from hedgerow.verifier import Finding, Levels, Verdict, count_classes, enforce, outside_levels, verify


class Demand:
    """A requirement as the verifier sees it: a name and parameters."""

    def __init__(self, name: str, **parameters: Any) -> None:
        self.name = name
        self.__dict__.update(parameters)

    def __str__(self) -> str:
        return f"the {self.name} demanded"


# Class F: 4 records (3 × flu, 1 × cold), M: 2 records (flu, cold); by age: young 3, old 3.
TABLE = pa.table(
    {
        "sex": ["F", "F", "F", "F", "M", "M"],
        "age": ["young", "young", "old", "old", "young", "old"],
        "ill": ["flu", "flu", "flu", "cold", "flu", "cold"],
    }
)


def found(demand: Demand, *quasi: str) -> list[tuple[bool, float, float, int, int]]:
    verdict = verify(TABLE, [demand], list(quasi) or ["sex"])
    assert verdict.holds == all(one.holds for one in verdict.findings)
    return [
        (one.holds, one.reached, one.required, one.classes_violating, one.rows_violating) for one in verdict.findings
    ]


def diversity(l: float, kind: str, c: float | None = None) -> Demand:  # noqa: E741 - the paper's letter
    return Demand("l-diversity", l=l, column="ill", kind=kind, c=c)


def test_k_anonymity() -> None:
    assert found(Demand("k-anonymity", k=2)) == [(True, 2, 2, 0, 0)]
    assert found(Demand("k-anonymity", k=3)) == [(False, 2, 3, 1, 2)]


def test_a_shield_is_counted_by_itself() -> None:
    assert found(Demand("k-anonymity", k=3, shield=("age",)), "sex", "age") == [(True, 3, 3, 0, 0)]
    assert found(Demand("k-anonymity", k=3), "sex", "age") == [(False, 1, 3, 4, 6)]
    by_sex = Demand("l-diversity", l=2, column="ill", kind="distinct", shield=["sex"])
    assert found(by_sex, "sex", "age") == [(True, 2, 2, 0, 0)]


def test_l_diversity() -> None:
    assert found(diversity(2, "distinct")) == [(True, 2, 2, 0, 0)]
    assert found(diversity(3, "distinct")) == [(False, 2, 3, 2, 6)]
    assert found(diversity(2, "entropy"))[0][3:] == (1, 4)
    assert found(diversity(1.7, "entropy"))[0][0]


def test_recursive_diversity_is_a_strict_inequality() -> None:
    # In F the most frequent value has 3 records and the rest 1.
    assert found(diversity(2, "recursive", 3.01))[0][0]
    assert found(diversity(2, "recursive", 3)) == [(False, 3, 3, 1, 4)]
    assert found(diversity(3, "recursive", 100))[0][:2] == (False, float("inf"))


def test_t_closeness() -> None:
    # The table has flu 2/3; F has 3/4, M 1/2.
    for distance in ("equal", "ordered"):
        (one,) = found(Demand("t-closeness", t=0.1, column="ill", distance=distance))
        assert one[1] == pytest.approx(1 / 6)
        assert (one[0], *one[2:]) == (False, 0.1, 1, 2)
        assert found(Demand("t-closeness", t=1 / 6, column="ill", distance=distance))[0][0]
    tree = ("any", (("flu", ()), ("cold", ())))
    assert found(Demand("t-closeness", t=0.17, column="ill", distance="hierarchical", tree=tree))[0][0]
    order = ("flu", "measles", "cold")
    (one,) = found(Demand("t-closeness", t=0.1, column="ill", distance="ordered", order=order))
    assert one[1] == pytest.approx(1 / 6)


def test_p_sensitive() -> None:
    assert found(Demand("p-sensitive", p=2, k=2, column="ill")) == [(True, 2, 2, 0, 0)] * 2
    assert [one[0] for one in found(Demand("p-sensitive", p=2, k=3, column="ill"))] == [False, True]
    assert [one[0] for one in found(Demand("p-sensitive", p=3, k=2, column="ill"))] == [True, False]


def test_alpha_k() -> None:
    every = Demand("alpha-k", alpha=0.7, k=2, column="ill", value=None)
    assert found(every)[1] == (False, 0.75, 0.7, 1, 4)
    one_value = Demand("alpha-k", alpha=0.5, k=2, column="ill", value="cold")
    assert found(one_value)[1] == (True, 0.5, 0.5, 0, 0)
    assert found(Demand("alpha-k", alpha=0.4, k=2, column="ill", value="cold"))[1][3:] == (1, 2)
    assert found(Demand("alpha-k", alpha=0.1, k=2, column="ill", value="absent"))[1][:2] == (True, 0)
    assert not found(Demand("alpha-k", alpha=1, k=3, column="ill"))[0][0]


@pytest.mark.parametrize(
    "demand",
    [
        Demand("differential-privacy", epsilon=1),
        Demand("l-diversity", l=1, column="ill", kind="new"),
        Demand("t-closeness", t=1, column="ill", distance="new"),
        Demand("t-closeness", t=1, column="ill", distance="hierarchical"),
        Demand("l-diversity", l=1, column="ill", kind="recursive", c=None),
        Demand("k-anonymity", k=float("nan")),
        Demand("k-anonymity", k=0),
        Demand("k-anonymity", k=True),
        Demand("k-anonymity", k="2"),
        Demand("k-anonymity"),
        Demand("alpha-k", alpha=float("nan"), k=1, column="ill"),
        Demand("t-closeness", t=float("inf"), column="ill", distance="equal"),
        Demand("k-anonymity", k=1, shield=()),
        Demand("k-anonymity", k=1, shield=("ill",)),
        Demand("l-diversity", l=1, column="sex", kind="distinct"),
        object(),
    ],
)
def test_what_the_verifier_does_not_understand_never_passes(demand: Any) -> None:
    with pytest.raises(BadInput):
        verify(TABLE, [demand], ["sex"])


def test_nothing_to_verify_never_passes() -> None:
    with pytest.raises(BadInput, match="no requirement"):
        verify(TABLE, [], ["sex"])
    with pytest.raises(BadInput, match="No quasi-identifier"):
        verify(TABLE, [Demand("k-anonymity", k=1)])
    with pytest.raises(NotAnonymous):
        enforce(Verdict(True, ()))
    with pytest.raises(NotAnonymous):
        enforce(Verdict(False, (Finding("k", "k", True, 2, 2, 0, 0),)))


def test_counted_classes_are_not_counted_again() -> None:
    counts = count_classes(TABLE, ["sex", "age"], sensitive=["ill"])
    assert verify(counts, [Demand("k-anonymity", k=1)]).holds
    assert verify(counts, [Demand("k-anonymity", k=2)], ["sex"]).holds
    with pytest.raises(BadInput, match="sensitive"):
        verify(counts, [Demand("p-sensitive", p=1, k=1, column="other")])


def test_people_can_be_counted() -> None:
    table = pa.table({"sex": ["F", "F"], "who": ["ann", "ann"]})
    assert not verify(table, [Demand("k-anonymity", k=2)], ["sex"], entity="who").holds


def test_enforce_says_what_fails_without_a_value() -> None:
    verdict = verify(TABLE, [Demand("k-anonymity", k=2), Demand("k-anonymity", k=3)], ["sex"])
    with pytest.raises(NotAnonymous) as caught:
        enforce(verdict)
    assert str(caught.value) == (
        "The table does not meet the k-anonymity demanded: k is 2 where 3 is required, "
        "and 1 class with 2 records violate it."
    )
    enforce(verify(TABLE, [Demand("k-anonymity", k=2)], ["sex"]))


def test_an_infinite_figure_is_written_in_words() -> None:
    with pytest.raises(NotAnonymous, match="c is without bound where 2 is required"):
        enforce(verify(TABLE, [diversity(3, "recursive", 2)], ["sex"]))


def test_one_changed_cell_is_caught() -> None:
    rows = {"sex": ["F", "F", "M", "M"], "age": ["young"] * 4}
    demand = [Demand("k-anonymity", k=2)]
    assert verify(pa.table(rows), demand, ["sex", "age"]).holds
    for row in range(4):
        changed = dict(rows, age=[*rows["age"][:row], "old", *rows["age"][row + 1 :]])
        assert not verify(pa.table(changed), demand, ["sex", "age"]).holds


@dataclass(frozen=True)
class _Frozen:
    name: str = "k-anonymity"
    k: int = 2


def test_a_requirement_without_a_shield_means_all_columns() -> None:
    assert verify(TABLE, [_Frozen()], ["sex"]).holds


def limits(*cells: str | None, allowed: tuple[str | None, ...], escaped: bool = False) -> tuple[bool, float, int]:
    counts = count_classes(pa.table({"zip": pa.array(cells, pa.string())}), ["zip"])
    (finding,) = outside_levels(counts, {"zip": Levels(1, 2, allowed)}, escaped=escaped)
    return finding.holds, finding.reached, finding.classes_violating


def test_cells_outside_their_levels_are_counted() -> None:
    assert limits("13*", "13*", "1**", allowed=("13*", "1**")) == (True, 0, 0)
    assert limits("13*", "130", "130", "131", allowed=("13*", "1**")) == (False, 3, 2)
    assert limits("13*", "*", allowed=("13*", "1**")) == (False, 1, 1)


def test_a_missing_cell_is_a_label_of_its_own() -> None:
    assert limits("13*", None, allowed=("13*",)) == (False, 1, 1)
    assert limits("13*", None, allowed=("13*", None)) == (True, 0, 0)


def test_numbers_are_found_in_any_spelling_and_formulas_if_they_are_escaped() -> None:
    ages = count_classes(pa.table({"age": [20.0, 21.0]}), ["age"])
    assert outside_levels(ages, {"age": Levels(0, 1, ("20", "21"))})[0].holds
    assert limits("'-1", allowed=("-1",)) == (False, 1, 1)
    assert limits("'-1", allowed=("-1",), escaped=True) == (True, 0, 0)


def test_moments_are_found_in_any_spelling() -> None:
    born = pa.table({"born": pa.array([dt.datetime(2020, 1, 1, 5), dt.datetime(2021, 2, 2)])})
    labels = ("2020-01-01T05:00:00", "2021-02-02T00:00:00")
    assert outside_levels(count_classes(born, ["born"]), {"born": Levels(0, 1, labels)})[0].holds
    assert not outside_levels(count_classes(born, ["born"]), {"born": Levels(0, 1, labels[1:])})[0].holds


def test_cells_outside_their_levels_are_refused() -> None:
    counts = count_classes(pa.table({"zip": ["13*", "130"]}), ["zip"])
    findings = outside_levels(counts, {"zip": Levels(1, 2, ("13*",))})
    with pytest.raises(NotAnonymous, match="the levels 1 to 2 of 'zip': the number of cells outside is 1"):
        enforce(Verdict(False, findings))
