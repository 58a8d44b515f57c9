"""Weights of columns with which sums of losses are exact, so that ties are ties for a reference in fractions too."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

__all__ = ["even_weights"]


@st.composite
def even_weights(draw: st.DrawFn, columns: int) -> tuple[Fraction, ...]:
    """Weights that are multiples of a quarter and have the mean 1, mostly not all equal; some may be 0."""
    weights = [Fraction(1)] * columns
    place = st.integers(0, columns - 1)
    for _ in range(draw(st.integers(0, 3))):
        given, taken = draw(place), draw(place)
        some = min(weights[taken], Fraction(draw(st.sampled_from([1, 2, 4])), 4))
        weights[taken] -= some
        weights[given] += some
    return tuple(weights)
