"""Crosstabs, means and regressions: estimates with their variances, on counts of distinct rows.

Rows with the same cells in all columns of an analysis are one row with a weight, so that a million of them take the
time of grouping. Least squares has the usual variances of independent errors of one size, and logistic regression those
of maximum likelihood. Where the table tells people apart, all variances are those of people (K.-Y. Liang, S. L. Zeger,
"Longitudinal Data Analysis Using Generalized Linear Models", Biometrika 73, 1986), with the correction for few people
that Stata uses: G/(G − 1), and for least squares also (n − 1)/(n − p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from hedgerow._internal.arrays import Floats, Longs, tabulate
from hedgerow.errors import required
from hedgerow.evaluation.estimates.reading import Categories, Numbers, Unreadable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["INTERCEPT", "Fit", "combined", "mean_by_group", "regress", "shares_of_groups"]

INTERCEPT: Final = "(intercept)"
_ALIASED: Final = 1e-9
_ROUNDS: Final = 50
_CLOSE: Final = 1e-10
_STEEPEST: Final = 25.0
"""A change of the log odds by one standard deviation of a term beyond which the outcome counts as separated."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates of an analysis on one table.

    Attributes
    ----------
    names : tuple of tuple of str
        What each estimate is of: the values of a combination or group, or a term.
    values, variances : float arrays
        nan where there is no estimate, or no variance.
    freedom : float array
        The degrees of freedom of each interval.
    support : float array
        How many people or else rows stand behind each estimate, counting parts of rows.
    rows : float
        How many rows have all columns of the analysis.
    shares : bool
        Whether the estimates are shares, whose intervals stay between 0 and 1.
    units : int
        How many rows or people are counted.
    """

    names: tuple[tuple[str, ...], ...]
    values: Floats
    variances: Floats
    freedom: Floats
    support: Floats
    rows: float
    shares: bool = False
    units: int = 0
    place: Mapping[tuple[str, ...], int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {name: at for at, name in enumerate(self.names)})


@dataclass(frozen=True, eq=False)
class _Grouped:
    """The distinct rows of some columns, how many rows are alike, and how many of them each person has."""

    cells: Longs
    weight: Floats
    people: csr_array | None

    @classmethod
    def of(cls, columns: Sequence[Numbers | Categories], people: Longs | None) -> _Grouped:
        rows = len(columns[0].cell_of_row)
        sizes = [len(c.values) if isinstance(c, Numbers) else c.shares.shape[0] for c in columns]
        codes = [column.cell_of_row.astype(np.int32) for column in columns]
        cells, index = tabulate(codes, sizes, rows)
        weight = np.bincount(index, minlength=len(cells)).astype(np.float64)
        by_person = None
        if people is not None:
            from scipy.sparse import coo_array, csr_array

            shape = (int(people.max(initial=-1)) + 1, len(cells))
            by_person = csr_array(coo_array((np.ones(rows), (people, index)), shape=shape))
        return cls(cells.astype(np.int64), weight, by_person)

    def only(self, kept: np.ndarray) -> _Grouped:
        """Some of the distinct rows."""
        at = np.flatnonzero(kept)
        return _Grouped(self.cells[at], self.weight[at], None if self.people is None else self.people[:, at])

    @property
    def units(self) -> int:
        """The number of people, or else of rows."""
        if self.people is None:
            return int(self.weight.sum())
        return int((np.asarray(self.people.sum(axis=1)) > 0).sum())

    def support(self, parts: csr_array) -> Floats:
        """How many people, or else rows, have some part of each column."""
        if self.people is None:
            return np.asarray(self.weight @ parts, dtype=np.float64)
        return np.asarray(((self.people @ parts) > 0).sum(axis=0), dtype=np.float64).ravel()


def combined(columns: Sequence[Categories]) -> tuple[tuple[str, ...], ...]:
    """The names of all combinations of groups, those of the last column changing first."""
    names: list[tuple[str, ...]] = [()]
    for column in columns:
        names = [(*before, name) for before in names for name in column.names]
    return tuple(names)


def _combinations(columns: Sequence[Categories], cells: Longs) -> csr_array:
    """The part of each distinct row in each combination of groups."""
    from scipy.sparse import csc_array, csr_array

    parts = csr_array(np.ones((len(cells), 1)))
    for at, column in enumerate(columns):
        own = csr_array(column.shares[cells[:, at]])
        # Row by row the products of all pairs: a column of the left for each of the right.
        left, right = ranges_of_pairs(parts, own)
        row = np.repeat(np.arange(len(cells)), np.diff(parts.indptr) * np.diff(own.indptr))
        code = parts.indices[left].astype(np.int64) * own.shape[1] + own.indices[right]
        shape = (len(cells), parts.shape[1] * own.shape[1])
        parts = csr_array(csc_array((parts.data[left] * own.data[right], (row, code)), shape=shape))
    return parts


def ranges_of_pairs(left: csr_array, right: csr_array) -> tuple[Longs, Longs]:
    """The places of all pairs of entries in the same row of two matrices.

    >>> from scipy.sparse import csr_array
    >>> a, b = csr_array(np.array([[1, 1], [0, 1]])), csr_array(np.array([[1, 0, 1], [0, 1, 0]]))
    >>> [places.tolist() for places in ranges_of_pairs(a, b)]
    [[0, 0, 1, 1, 2], [0, 1, 0, 1, 2]]
    """
    wide = np.diff(right.indptr)
    row = np.repeat(np.arange(left.shape[0]), np.diff(left.indptr))
    first = np.repeat(np.arange(len(left.data)), wide[row])
    before = np.cumsum(wide[row]) - wide[row]
    second = np.arange(len(first)) - before[first] + right.indptr[row][first]
    return first.astype(np.int64), second.astype(np.int64)


def shares_of_groups(columns: Sequence[Categories], people: Longs | None) -> Fit:
    """The share of each combination of groups, of all rows that have all columns."""
    grouped = _Grouped.of(columns, people)
    parts = _combinations(columns, grouped.cells)
    held = np.asarray(grouped.weight @ parts, dtype=np.float64)
    rows = float(held.sum())
    if not rows:
        raise Unreadable("no row has all columns of the analysis")
    share = held / rows
    variance, freedom = share * (1 - share) / rows, np.inf
    kept = np.asarray(parts.sum(axis=1)).ravel() > 0
    grouped, parts = grouped.only(kept), parts[np.flatnonzero(kept)]
    if grouped.people is not None:
        own = grouped.people @ parts
        total = np.asarray(own.sum(axis=1)).ravel()
        squares, cross = np.asarray(own.multiply(own).sum(axis=0)).ravel(), np.asarray(own.T @ total)
        summed = squares - 2 * share * cross + share**2 * float((total**2).sum())
        variance = _of_few(grouped.units) * np.maximum(summed, 0.0) / rows**2
        freedom = grouped.units - 1
    every = np.full(len(share), float(freedom))
    support = grouped.support(parts)
    return Fit(combined(columns), share, variance, every, support, rows, shares=True, units=grouped.units)


def _of_few(people: int) -> float:
    """The correction of a variance for few people."""
    return people / (people - 1) if people > 1 else np.nan


def mean_by_group(column: Numbers, groups: Sequence[Categories], people: Longs | None) -> Fit:
    """The mean of a column in each group, or of all rows if there are no groups."""
    from scipy.sparse import csr_array

    grouped = _Grouped.of([*groups, column], people)
    grouped = grouped.only(~np.isnan(column.values[grouped.cells[:, -1]]))
    number = column.values[grouped.cells[:, -1]]
    parts = _combinations(groups, grouped.cells)
    held = np.asarray(grouped.weight @ parts, dtype=np.float64)
    if not held.sum():
        raise Unreadable("no row has all columns of the analysis")
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.asarray((grouped.weight * number) @ parts) / held
    row = np.repeat(np.arange(len(number)), np.diff(parts.indptr))
    apart = number[row] - mean[parts.indices]
    with np.errstate(invalid="ignore", divide="ignore"):
        if grouped.people is None:
            squares = np.bincount(parts.indices, grouped.weight[row] * parts.data * apart**2, parts.shape[1])
            freedom = held - 1
            variance = np.where(freedom > 0, squares / freedom / held, np.nan)
        else:
            own = grouped.people @ csr_array((parts.data * apart, parts.indices, parts.indptr), shape=parts.shape)
            in_group = (grouped.people @ parts) > 0
            counted = np.asarray(in_group.sum(axis=0)).ravel().astype(np.float64)
            squares = np.asarray(own.multiply(own).sum(axis=0)).ravel()
            freedom = counted - 1
            variance = np.where(freedom > 0, counted / freedom * squares / held**2, np.nan)
    support = grouped.support(parts)
    return Fit(combined(groups), mean, variance, freedom, support, float(held.sum()), units=grouped.units)


# --------------------------------------------------------------------------------------------------
# Regression.


@dataclass(frozen=True, eq=False)
class _Design:
    """The distinct rows of a regression: its terms with the intercept first, the outcome, and the weights."""

    terms: Floats
    outcome: Floats
    grouped: _Grouped

    @property
    def weight(self) -> Floats:
        return self.grouped.weight

    def meat(self, apart: Floats) -> Floats:
        """The sum over people of the squared sums of their rows' scores."""
        people = required(self.grouped.people, "the people of a regression")
        own = np.asarray(people @ (self.terms * apart[:, None]))
        return np.asarray(own.T @ own)


def regress(
    outcome: Numbers | Categories,
    terms: Mapping[str, Numbers | Categories],
    references: Mapping[str, str],
    people: Longs | None,
    *,
    logistic: bool,
) -> Fit:
    """A linear or logistic regression.

    Parameters
    ----------
    outcome : Numbers or Categories
        Numbers, or for a logistic regression groups, of which the last is explained.
    terms : mapping of column to Numbers or Categories
    references : mapping of column to str
        The group of each column of groups that has no dummy.
    people : int array, optional
        The person of each row.
    logistic : bool
    """
    from scipy.sparse import csr_array

    columns = [outcome, *terms.values()]
    grouped = _Grouped.of(columns, people)
    names: list[tuple[str, ...]] = [(INTERCEPT,)]
    parts = [np.ones((len(grouped.cells), 1))]
    for at, (name, column) in enumerate(terms.items(), 1):
        own = _dense(column, grouped.cells[:, at])
        if isinstance(column, Categories):
            kept = [place for place, group in enumerate(column.names) if group != references[name]]
            # A row of which no group is known has nan, which leaves it out.
            own = own[:, kept] if kept else own[:, :1] * 0
            names += [(name, column.names[place]) for place in kept] or [(name, references[name])]
        else:
            names.append((name,))
        parts.append(own)
    explained = _dense(outcome, grouped.cells[:, 0])[:, -1]
    matrix = np.concatenate(parts, axis=1)
    known = ~(np.isnan(matrix).any(axis=1) | np.isnan(explained))
    if not known.any():
        raise Unreadable("no row has all columns of the analysis")
    design = _Design(matrix[known], explained[known], grouped.only(known))
    # Behind a dummy stand those who have its value; behind any other term, everybody.
    dummies = np.array([len(name) > 1 for name in names])
    support = design.grouped.support(csr_array(np.where(dummies, design.terms, 1.0)))
    kept_terms = _independent(design)
    design = _Design(design.terms[:, kept_terms], design.outcome, design.grouped)
    solved = _logistic(design) if logistic else _linear(design)
    values, variances = np.full(len(names), np.nan), np.full(len(names), np.nan)
    values[kept_terms], variances[kept_terms] = solved[0], solved[1]
    rows = float(design.weight.sum())
    freedom = np.full(len(names), solved[2])
    return Fit(tuple(names), values, variances, freedom, support, rows, units=design.grouped.units)


def _dense(column: Numbers | Categories, cells: Longs) -> Floats:
    """A column of each distinct row: its number, or the part of it in each group; nan if it is missing."""
    if isinstance(column, Numbers):
        return np.asarray(column.values[cells][:, None])
    shares = column.shares.toarray()
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.full(shares.shape, np.nan), where=total > 0)
    return np.asarray(shares[cells])


def _independent(design: _Design) -> Longs:
    """The terms that are no combination of those before them."""
    scaled = design.terms * np.sqrt(design.weight)[:, None]
    length = np.sqrt((scaled**2).sum(axis=0))
    scaled = scaled / np.where(length > 0, length, 1.0)
    kept: list[int] = []
    basis = np.empty((len(scaled), 0))
    for at in range(scaled.shape[1]):
        rest = scaled[:, at].copy()
        for _ in range(2):  # the second time removes what rounding left
            rest -= basis @ (basis.T @ rest)
        size = float(np.sqrt((rest**2).sum()))
        if size > np.sqrt(_ALIASED):
            kept.append(at)
            basis = np.column_stack([basis, rest / size])
    return np.array(kept, dtype=np.int64)


def _linear(design: _Design) -> tuple[Floats, Floats, float]:
    """Coefficients by least squares, their variances, and the degrees of freedom."""
    weight, rows, width = design.weight, float(design.weight.sum()), design.terms.shape[1]
    if rows <= width:
        raise Unreadable("there are no more rows than terms")
    root = np.sqrt(weight)[:, None]
    upper = np.linalg.qr(design.terms * root, mode="r")
    inverse = np.linalg.inv(upper)
    bread = inverse @ inverse.T
    coefficients = bread @ (design.terms.T @ (weight * design.outcome))
    # Once more with what is left, against rounding.
    coefficients += bread @ (design.terms.T @ (weight * (design.outcome - design.terms @ coefficients)))
    apart = design.outcome - design.terms @ coefficients
    if design.grouped.people is None:
        size = float((weight * apart**2).sum()) / (rows - width)
        return coefficients, np.diag(bread) * size, rows - width
    people = design.grouped.units
    scale = _of_few(people) * (rows - 1) / (rows - width)
    return coefficients, scale * np.diag(bread @ design.meat(apart) @ bread), people - 1.0


def _logistic(design: _Design) -> tuple[Floats, Floats, float]:
    """Coefficients by maximum likelihood (iteratively reweighted least squares), their variances, and the freedom."""
    terms, outcome, weight = design.terms, design.outcome, design.weight
    reached = float((weight * outcome).sum()) / float(weight.sum())
    if not 0 < reached < 1:
        raise Unreadable("the outcome has one value only")
    coefficients = np.zeros(terms.shape[1])
    bread = np.empty((0, 0))
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(terms @ coefficients, -700, 700)))
        curved = weight * chance * (1 - chance)
        information = terms.T @ (terms * curved[:, None])
        scale = np.sqrt(np.diag(information))
        if not (scale > 0).all() or np.linalg.cond(information / np.outer(scale, scale)) > 1 / np.finfo(float).eps:
            raise Unreadable("the terms separate the values of the outcome, so that no finite coefficients fit")
        bread = np.linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale)
        step = bread @ (terms.T @ (weight * (outcome - chance)))
        coefficients += step
        if float(np.abs(step * scale).max()) < _CLOSE * max(1.0, float(np.sqrt(weight.sum()))):
            break
    spread = np.sqrt(np.maximum(np.average(terms**2, axis=0, weights=weight) - np.average(terms, 0, weight) ** 2, 0))
    if float(np.abs(coefficients * spread).max(initial=0.0)) > _STEEPEST or not np.isfinite(coefficients).all():
        raise Unreadable("the terms separate the values of the outcome, so that no finite coefficients fit")
    if design.grouped.people is None:
        return coefficients, np.diag(bread), np.inf
    chance = 1 / (1 + np.exp(-np.clip(terms @ coefficients, -700, 700)))
    people = design.grouped.units
    return coefficients, _of_few(people) * np.diag(bread @ design.meat(outcome - chance) @ bread), people - 1.0
