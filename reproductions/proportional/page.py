"""The page on the proportional representation."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from reproductions.base import Claim, Page, Result
from reproductions.estimates import signed
from reproductions.judging import judged
from reproductions.proportional.claims import MARGIN, claims_of
from reproductions.proportional.found import NOT_ANONYMOUS, Found
from reproductions.proportional.measuring import (
    AFTER,
    BEFORE,
    POOLED,
    RAW,
    REPRESENTATIONS,
    SCORES,
    TRAINED_K,
    TRAININGS,
)

__all__ = ["write"]

_TITLES: Final = {"adult": "Adult", "voters": "Voters (synthetic)"}
_SCORES: Final = {"auc": "AUC", "accuracy": "accuracy"}
_FIGURES: Final = {"adult": "4", "voters": "5"}
_COLORS: Final = {
    **dict(zip(REPRESENTATIONS, ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728"), strict=True)),  # the paper's
    POOLED: "#9467bd",
}
_WIDTH, _HEIGHT = 260, 200

_PRINTED_NODES: Final[Mapping[str, Mapping[str, int]]] = {
    "adult": {
        "age": 105,
        "sex": 3,
        "race": 6,
        "marital-status": 10,
        "education": 22,
        "native-country": 45,
        "workclass": 12,
        "occupation": 17,
    },
    "voters": {"zip": 1165, "gender": 3, "race": 9, "birth_year": 106},
}
"""Section IV-A."""


def write(page: Page, results: Sequence[Result]) -> None:
    """Say what was found, from whatever cells are finished."""
    every = {(table, order): Found.of(results, table, order) for table in SCORES for order in (BEFORE, AFTER)}
    page.text(
        "The paper trains small networks on raw rows (figure 3) or on 100-anonymous ones (figures 4 and 5), and tests "
        "them on rows of growing k, written in four representations. Its figures are lost: what its text says of them "
        "is compared. **Anonymized before the split** is the paper's order: test rows share classes and proportions "
        "with training rows. **Anonymized after the split** anonymizes both apart; a third of the rows is tested, for "
        "which the same k is coarser. The register of Florida's voters is replaced by a synthetic table of its shape: "
        "what holds there says nothing about real voters.",
    )
    for (table, order), claims in _judged(every).items():
        page.section(f"Claims: {_TITLES[table]}, {order}")
        page.claims(claims)
    for table, score in SCORES.items():
        _figures(page, table, score, {order: every[table, order] for order in (BEFORE, AFTER)})
    _pooled(page, every)
    _networks(page, results, every)
    _settings(page, results, every)


def _judged(every: Mapping[tuple[str, str], Found]) -> dict[tuple[str, str], list[Claim]]:
    """The claims about each table and order; all tests of the page are corrected together."""
    drafts = {(table, order): claims_of(found, SCORES[table]) for (table, order), found in every.items()}
    whole = iter(judged([draft for some in drafts.values() for draft in some]))
    return {place: list(islice(whole, len(some))) for place, some in drafts.items()}


def _figures(page: Page, table: str, score: str, orders: Mapping[str, Found]) -> None:
    page.section(f"Figures 3 and {_FIGURES[table]}: {_TITLES[table]}")
    known = {order: found for order, found in orders.items() if found.scores}
    if any(found.ks and found.trained[RAW] for found in known.values()):
        panels = [(order, found, RAW) for order, found in known.items()]
        says = f"{_SCORES[score]} of networks trained on raw rows by k and test representation, in both orders"
        page.chart(f"figure-3-{table}", _chart(panels, score), says)
    for order, found in known.items():
        name = f"figure-{_FIGURES[table]}-{table}-{'before' if order == BEFORE else 'after'}"
        panels = [(f"trained with {training}", found, training) for training in REPRESENTATIONS]
        says = f"{_SCORES[score]} of networks trained on 100-anonymous rows by k and test representation; {order}"
        page.chart(name, _chart(panels, score), says)
    for order, found in orders.items():
        page.text(f"Mean {_SCORES[score]} over seeds (standard deviation), {order}.")
        tests = (*REPRESENTATIONS, *((POOLED,) if order == AFTER else ()))
        rows = [
            (training, test, *(_shown(found.score(training, test, k)) for k in (NOT_ANONYMOUS, *found.ks)))
            for training in TRAININGS
            for test in tests
        ]
        page.table(("trained with", "tested with", "raw", *(f"k={k:,}" for k in found.ks)), rows)


def _pooled(page: Page, every: Mapping[tuple[str, str], Found]) -> None:
    page.section(
        "What safe proportions cost",
        "The paper publishes exact proportions, which can single people out. By default Hedgerow pools them until "
        f"every count has at least k people. Tested with both, {AFTER}, trained with proportional: pooled less exact, "
        "with the 95 % interval over seeds.",
    )
    rows = []
    for table in SCORES:
        found = every[table, AFTER]
        for k in found.ks:
            gap = found.gap((REPRESENTATIONS[0], POOLED, k), (REPRESENTATIONS[0], REPRESENTATIONS[0], k))
            exact, pooled = (found.score(REPRESENTATIONS[0], one, k) for one in (REPRESENTATIONS[0], POOLED))
            interval = None if gap is None or gap.half is None else f"{signed(gap.low, 3)} to {signed(gap.high, 3)}"
            told = None if gap is None else signed(gap.mean, 3)
            rows.append((_TITLES[table], f"{k:,}", _shown(exact), _shown(pooled), told, interval))
    page.table(("table", "k", "exact", "pooled", "difference", "interval"), rows)


def _networks(page: Page, results: Sequence[Result], every: Mapping[tuple[str, str], Found]) -> None:
    page.section(
        "Networks that learnt nothing",
        "With two neurons in its last layer a network often starts, or ends, with both of them silent: it gives every "
        "row the same probabilities. The paper does not speak of it. Such networks are left out of all figures above.",
    )
    rows = [
        (_TITLES[table], order, *(f"{found.dead[name]} of {found.trained[name]}" for name in TRAININGS))
        for (table, order), found in every.items()
    ]
    page.table(("table", "order", *TRAININGS), rows)
    others, number = [], 0
    with_dead = _judged({(table, order): Found.of(results, table, order, dead=True) for table, order in every})
    for (table, order), claims in _judged(every).items():
        for whole, without in zip(with_dead[table, order], claims, strict=True):
            number += 1
            if whole.verdict != without.verdict:
                others.append((_TITLES[table], order, without.says, without.verdict, whole.verdict))
    page.text(f"With them, {len(others)} of {number} verdicts are others.")
    if others:
        page.table(("table", "order", "the paper says", "without them", "with them"), others)


def _settings(page: Page, results: Sequence[Result], every: Mapping[tuple[str, str], Found]) -> None:
    seeds = sorted({one["seed"] for one in results})
    rows = sorted({one["rows"] for one in results})
    majority = {table: every[table, BEFORE].last("majority") for table in SCORES}
    shares = ", ".join(f"{share:.3f} of {_TITLES[table]}" for table, share in majority.items() if share is not None)
    page.section(
        "Settings",
        "Greedy k-anonymization guided by the normalized lost leaves metric (`greedy` with labels). Networks: "
        "scikit-learn's `MLPClassifier` with layers of 5 and 2, ReLU, Adam at 0.001, batches of 200, at most 500 "
        "epochs, stopped after 10 without gain; features of single precision, one for each node, not standardized. "
        f"Trained on two thirds of {', '.join(f'{one:,}' for one in rows) or '–'} rows; seeds "
        f"{', '.join(map(str, seeds)) or '–'}, each for a split and a network. What is trained on anonymous rows has k "
        f"= {TRAINED_K}. Two scores are on the same level if they differ by no more than {MARGIN}. A third of the rows "
        "cannot be 15,000-anonymous, so that the largest k is not tested there.",
        f"The most frequent class of the test rows of one seed has a share of {shares}." if shares else "",
        "Hierarchies of Adult are ARX's; nodes of all hierarchies beside those that the paper counts:",
    )
    header = ("table", "column", "nodes in the paper", "nodes here")
    counted = []
    for table, printed in _PRINTED_NODES.items():
        nodes = every[table, BEFORE].last("nodes") or {}
        counted += [(_TITLES[table], column, number, nodes.get(column)) for column, number in printed.items()]
    page.table(header, counted)


def _shown(own: Mapping[int, float]) -> str | None:
    if not own:
        return None
    deviation = f" ({statistics.stdev(own.values()):.3f})" if len(own) > 1 else ""
    return f"{statistics.fmean(own.values()):.3f}{deviation}"


def _chart(panels: Sequence[tuple[str, Found, str]], score: str) -> Any:
    import altair as alt

    tested = {test for _, found, training in panels for one, test, _ in found.scores if one == training}
    order = [one for one in (*REPRESENTATIONS, POOLED) if one in tested]
    scale = alt.Scale(domain=order, range=[_COLORS[one] for one in order])
    color = alt.Color("test:N", title="Tested with", sort=order, scale=scale)
    height = alt.Y("mean:Q", title=f"Mean {_SCORES[score]}", scale=alt.Scale(zero=False))
    at_k = alt.X(
        "k:Q", title="k", scale=alt.Scale(type="log"), axis=alt.Axis(values=[10**digits for digits in range(6)])
    )

    def panel(title: str, found: Found, training: str) -> Any:
        lines = [
            {"test": test, "k": k, "mean": statistics.fmean(own.values())}
            for test in order
            for k in found.ks
            if (own := found.score(training, test, k))
        ]
        drawn = alt.Chart(alt.InlineData(lines)).mark_line(point=True).encode(x=at_k, y=height, color=color)
        return drawn.properties(title=title, width=_WIDTH, height=_HEIGHT)

    return alt.concat(*(panel(*one) for one in panels), columns=2).resolve_scale(color="shared", y="shared")
