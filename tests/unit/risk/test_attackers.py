"""The three attackers of a table small enough to do by hand."""

from __future__ import annotations

import polars as pl
import pytest

from hedgerow.risk import audit

# Classes: (young, F) 1 record, (young, M) 2, (old, F) 5.
TABLE = pl.DataFrame({"age": ["young"] * 3 + ["old"] * 5, "sex": ["F"] + ["M"] * 2 + ["F"] * 5})
QUASI = ["age", "sex"]


def test_prosecutor_risk() -> None:
    risk = audit(TABLE, quasi=QUASI).risks.prosecutor
    # One over the size of the class: 1 once, 1/2 twice, 1/5 five times.
    assert (risk.highest, risk.threshold) == (1.0, 0.2)
    assert risk.average == pytest.approx(3 / 8)
    assert (risk.records_at_risk, risk.share_at_risk) == (3, 3 / 8)
    assert audit(TABLE, quasi=QUASI, k=2).risks.prosecutor.records_at_risk == 1
    assert audit(TABLE, quasi=QUASI, k=2, threshold=0.1).risks.prosecutor.records_at_risk == 8


def test_without_a_population_the_journalist_is_the_prosecutor() -> None:
    risks = audit(TABLE, quasi=QUASI).risks
    assert (risks.journalist.highest, risks.journalist.records_at_risk) == (1.0, 3)
    assert "no population" in risks.journalist.note
    assert risks.marketer.average == risks.marketer.highest == pytest.approx(3 / 8)
    assert (risks.marketer.records_at_risk, risks.marketer.share_at_risk) == (8, 1.0)
    assert audit(TABLE, quasi=QUASI, threshold=0.5).risks.marketer.records_at_risk == 0


def test_the_journalist_searches_the_population() -> None:
    people = [("young", "F")] * 4 + [("young", "M")] * 10 + [("old", "F")] * 3 + [("old", "M")] * 50
    population = pl.DataFrame(people, schema=QUASI, orient="row")
    result = audit(TABLE, quasi=QUASI, population=population)
    # Four fit the first class, ten the second; the third lacks people, so its records stand.
    assert result.risks.journalist.highest == 0.25
    assert result.risks.journalist.records_at_risk == 1
    assert result.risks.marketer.average == pytest.approx((1 / 4 + 2 / 10 + 5 / 5) / 8)
    assert any("In 1 of 3 classes the population has fewer people" in text for text in result.warnings)
