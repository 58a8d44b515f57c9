"""Crosstabs, means and regressions against formulas, SciPy and scikit-learn; and people in the place of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from hedgerow.evaluation.estimates.models import Fit, mean_by_group, regress, shares_of_groups
from hedgerow.evaluation.estimates.notation import Grouping
from hedgerow.evaluation.estimates.reading import Categories, PlainRows, Unreadable

RANDOM = np.random.default_rng(5)
ROWS = 400
AGE = RANDOM.integers(20, 80, ROWS)
SEX = RANDOM.choice(["F", "M"], ROWS)
DAYS = RANDOM.poisson(2 + AGE / 20 + 2 * (SEX == "F"))
ILL = np.where(RANDOM.random(ROWS) < 1 / (1 + np.exp(3 - AGE / 20)), "yes", "no")
TABLE = PlainRows(pa.table({"age": AGE, "sex": SEX, "days": DAYS, "ill": ILL}))


def groups(table: PlainRows, name: str) -> Categories:
    return table.categories(Grouping(name))


def by_name(fit: Fit) -> dict[tuple[str, ...], tuple[float, float]]:
    pairs = zip(fit.values.tolist(), fit.variances.tolist(), strict=True)
    return dict(zip(fit.names, pairs, strict=True))


def ordinary(matrix: Any, outcome: Any) -> tuple[Any, Any]:
    """Least squares, as textbooks have it."""
    bread = np.linalg.inv(matrix.T @ matrix)
    coefficients = bread @ matrix.T @ outcome
    apart = outcome - matrix @ coefficients
    return coefficients, np.diag(bread) * (apart @ apart) / (len(outcome) - matrix.shape[1])


def test_a_crosstab_by_hand() -> None:
    table = PlainRows(pa.table({"sex": ["F", "F", "M", None], "town": ["Ulm", "Bonn", "Ulm", "Ulm"]}))
    fit = shares_of_groups([groups(table, "sex"), groups(table, "town")], None)
    assert fit.rows == 3, "a row without sex is left out"
    expected = {("F", "Bonn"): 1 / 3, ("F", "Ulm"): 1 / 3, ("M", "Bonn"): 0.0, ("M", "Ulm"): 1 / 3}
    assert by_name(fit) == {name: pytest.approx((p, p * (1 - p) / 3)) for name, p in expected.items()}


def test_a_mean_by_hand() -> None:
    table = PlainRows(pa.table({"days": [1, 2, 6, 5, None], "ward": ["a", "a", "a", "b", "b"]}))
    fit = mean_by_group(table.numbers("days"), [groups(table, "ward")], None)
    assert fit.names == (("a",), ("b",))
    assert fit.values.tolist() == [3.0, 5.0]
    assert fit.variances[0] == pytest.approx(7 / 3), "((1-3)² + (2-3)² + (6-3)²) / 2, over 3 rows"
    assert np.isnan(fit.variances[1]), "one row has no variance"
    assert fit.support.tolist() == [3, 1]
    everybody = mean_by_group(table.numbers("days"), [], None)
    assert (everybody.names, everybody.values.tolist()) == (((),), [3.5])


def test_least_squares_as_scipy_has_it() -> None:
    fit = regress(TABLE.numbers("days"), {"age": TABLE.numbers("age")}, {}, None, logistic=False)
    line = stats.linregress(AGE, DAYS)
    assert by_name(fit)["age",] == pytest.approx((line.slope, line.stderr**2))
    assert by_name(fit)["(intercept)",] == pytest.approx((line.intercept, line.intercept_stderr**2))
    assert fit.freedom.tolist() == [ROWS - 2] * 2


def test_least_squares_with_a_dummy() -> None:
    terms: dict[str, Any] = {"age": TABLE.numbers("age"), "sex": groups(TABLE, "sex")}
    fit = regress(TABLE.numbers("days"), terms, {"sex": "M"}, None, logistic=False)
    values, variances = ordinary(np.column_stack([np.ones(ROWS), AGE, SEX == "F"]), DAYS)
    assert fit.names == (("(intercept)",), ("age",), ("sex", "F"))
    assert fit.values == pytest.approx(values)
    assert fit.variances == pytest.approx(variances)


def test_a_term_that_others_determine_has_no_estimate() -> None:
    """As in other programs, the later of the two."""
    table = PlainRows(TABLE.table.append_column("months", pa.array(AGE * 12)))
    terms = {name: table.numbers(name) for name in ("age", "months")}
    fit = regress(table.numbers("days"), terms, {}, None, logistic=False)
    alone = regress(table.numbers("days"), {"age": table.numbers("age")}, {}, None, logistic=False)
    assert fit.values[:2] == pytest.approx(alone.values)
    assert np.isnan(fit.values[2])


def test_logistic_regression_of_two_groups_is_their_log_odds() -> None:
    """30 of 40 ill women, 10 of 40 men: log odds of ln 3 and -ln 3; the variance of a logit is 1/a + 1/b."""
    table = PlainRows(
        pa.table({"sex": ["F"] * 40 + ["M"] * 40, "ill": (["y"] * 30 + ["n"] * 10) + (["y"] * 10 + ["n"] * 30)})
    )
    fit = regress(groups(table, "ill"), {"sex": groups(table, "sex")}, {"sex": "M"}, None, logistic=True)
    assert fit.values == pytest.approx([-np.log(3), 2 * np.log(3)])
    assert fit.variances == pytest.approx([1 / 10 + 1 / 30, 2 * (1 / 10 + 1 / 30)])


def test_logistic_regression_as_scikit_learn_has_it() -> None:
    terms: dict[str, Any] = {"age": TABLE.numbers("age"), "sex": groups(TABLE, "sex")}
    fit = regress(groups(TABLE, "ill"), terms, {"sex": "M"}, None, logistic=True)
    matrix = np.column_stack([AGE, SEX == "F"])
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(matrix, ILL == "yes")
    assert fit.values[1:] == pytest.approx(theirs.coef_[0], rel=1e-4)
    assert fit.values[0] == pytest.approx(theirs.intercept_[0], rel=1e-4)


def test_an_outcome_that_is_separated_or_the_same_is_refused() -> None:
    table = PlainRows(pa.table({"age": list(range(40)), "ill": ["n"] * 20 + ["y"] * 20, "same": ["y"] * 40}))
    age = {"age": table.numbers("age")}
    with pytest.raises(Unreadable, match="separate the values of the outcome"):
        regress(groups(table, "ill"), age, {}, None, logistic=True)
    with pytest.raises(Unreadable, match="one value only"):
        regress(groups(table, "same"), age, {}, None, logistic=True)


def test_no_more_rows_than_terms_is_refused() -> None:
    table = PlainRows(pa.table({"age": [1, 2], "days": [3, 5]}))
    with pytest.raises(Unreadable, match="no more rows than terms"):
        regress(table.numbers("days"), {"age": table.numbers("age")}, {}, None, logistic=False)


# --------------------------------------------------------------------------------------------------
# People in the place of rows: every person three times, with the same values.

PEOPLE = np.repeat(np.arange(ROWS), 3)
TRIPLED = PlainRows(TABLE.table.take(pa.array(PEOPLE)))


def test_copies_of_rows_tell_nothing_more_of_people() -> None:
    """The corrections for few people differ by known factors; the rest is the variance of one row per person."""
    once = np.arange(ROWS)
    for logistic in (False, True):
        fits = [
            regress(
                groups(table, "ill") if logistic else table.numbers("days"),
                {"age": table.numbers("age")},
                {},
                people,
                logistic=logistic,
            )
            for table, people in ((TABLE, once), (TRIPLED, PEOPLE))
        ]
        assert fits[0].values == pytest.approx(fits[1].values)
        rows = 1 if logistic else (3 * ROWS - 1) / (3 * ROWS - 2) * (ROWS - 2) / (ROWS - 1)
        assert fits[1].variances == pytest.approx(fits[0].variances * rows)
        assert (fits[1].units, fits[1].rows) == (ROWS, 3 * ROWS)
        assert fits[1].freedom.tolist() == [ROWS - 1] * 2


def test_least_squares_by_people_is_the_sandwich_of_liang_and_zeger() -> None:
    people = RANDOM.integers(0, 50, ROWS)
    fit = regress(TABLE.numbers("days"), {"age": TABLE.numbers("age")}, {}, people, logistic=False)
    matrix = np.column_stack([np.ones(ROWS), AGE])
    values, _ = ordinary(matrix, DAYS)
    apart = DAYS - matrix @ values
    scores = np.array([matrix[people == one].T @ apart[people == one] for one in range(50)])
    bread = np.linalg.inv(matrix.T @ matrix)
    expected = bread @ (scores.T @ scores) @ bread * 50 / 49 * (ROWS - 1) / (ROWS - 2)
    assert fit.variances == pytest.approx(np.diag(expected))


def test_means_and_shares_by_people() -> None:
    """With one row a person, the variance of a mean is the usual one, and that of a share has n - 1 for n."""
    once = np.arange(ROWS)
    plain, by_people = (mean_by_group(TABLE.numbers("days"), [], people) for people in (None, once))
    assert by_people.variances == pytest.approx(plain.variances)
    tripled = mean_by_group(TRIPLED.numbers("days"), [groups(TRIPLED, "sex")], PEOPLE)
    assert tripled.variances == pytest.approx(
        mean_by_group(TABLE.numbers("days"), [groups(TABLE, "sex")], once).variances
    )
    shares = [shares_of_groups([groups(TABLE, "sex")], people) for people in (None, once)]
    assert shares[1].variances == pytest.approx(shares[0].variances * ROWS / (ROWS - 1))
    copies = shares_of_groups([groups(TRIPLED, "sex")], PEOPLE)
    assert copies.variances == pytest.approx(shares[1].variances)
    assert (copies.units, copies.rows) == (ROWS, 3 * ROWS)
