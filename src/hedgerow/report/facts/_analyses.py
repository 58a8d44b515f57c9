"""The section about analyses: what recipients will find, beside the original rows or by a word alone.

The public edition is made from the release's own figures. Of the original it has a word for each analysis, and nothing
where few stand behind it: a word that depends on few people could reveal one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hedgerow._internal.rounding import significant
from hedgerow.errors import BadInput
from hedgerow.evaluation.estimates.agreement import THRESHOLDS
from hedgerow.evaluation.estimates.results import SHOWN, Analyses, AnalysisResult, Estimate, estimate_name
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import Judgement
from hedgerow.report.facts.sections import AnalysesFacts, AnalysisFacts, EstimateFacts

__all__ = ["FEWEST_OF_WORD", "MOST_WORDS", "analyses"]

MOST_WORDS: Final = 20
"""How many analyses have a word in the public edition: each word is a function of the original rows."""

FEWEST_OF_WORD: Final = 100
"""The fewest rows or people of the original behind a word in the public edition."""

_MOST_ESTIMATES: Final = 30
_DIGITS: Final = 4  # of figures of the release, which everybody can compute
_FEWEST_DIGITS: Final = 2
_JUDGEMENTS: Final[dict[str | None, Judgement]] = {"good": "good", "fair": "note", "poor": "bad", None: "unknown"}
_READINGS: Final = {"published": "as published", "redrawn": "on redrawn rows"}
_READ: Final = (
    "Intervals are read as midpoints, sets by the published proportions or else in equal shares, and * as missing."
)


def analyses(subject: Subject, found: Any) -> AnalysesFacts | None:
    """The analyses, if there are any."""
    if found is None:
        return None
    if not isinstance(found, Analyses):
        raise BadInput.parameter("analyses", "report", "what hr.analyses returned", type(found).__name__)
    public = subject.edition == "public"
    worded = list(dict.fromkeys(result.analysis for result in found.results))[:MOST_WORDS]
    make = _public if public else _internal
    rows = tuple(make(subject, result, worded=result.analysis in worded) for result in found.results)
    return AnalysesFacts(rows, _meaning(public=public), _thresholds(), bool(found.draws), public)


def _meaning(*, public: bool) -> str:
    if public:
        return (
            f"What these analyses find in the published table. {_READ} The word says how far that agrees with the "
            "original rows, of which no figure is shown."
        )
    return (
        f"The same analyses on the original rows and on what is published. {_READ} Figures of the original rows, and "
        "all that follows from them, are for the publisher only."
    )


def _thresholds() -> str:
    (good, good_error), (fair, fair_error) = THRESHOLDS["good"], THRESHOLDS["fair"]
    return (
        f"An estimate is good if the 95 % intervals of both tables overlap by {good:.0%} or more (the shared part as a "
        f"share of each, averaged), or if it differs by {good_error:.0%} at most; fair from {fair:.0%}, or to "
        f"{fair_error:.0%}. An analysis has the best word that four in five of its estimates reach."
    )


def _notes(result: AnalysisResult, *, public: bool) -> Iterator[str]:
    if result.reason:
        yield f"It cannot be run: {result.reason}."
    elif result.original_reason and not public:
        yield f"It cannot be run on the original rows: {result.original_reason}."
    if result.explained:
        yield f"It explains the value {result.explained}."
    if result.references:
        named = ", ".join(f"{column} = {value}" for column, value in result.references.items())
        yield f"Coefficients are differences from {named}, the most frequent in the release."
    if result.counted == result.release_counted:
        yield f"Intervals count {result.counted}."
    elif public:
        yield f"Intervals count {result.release_counted}, for the release tells no people apart."
    else:
        yield f"Intervals count {result.counted} of the original, and {result.release_counted} of the release."


def _internal(subject: Subject, result: AnalysisResult, *, worded: bool) -> AnalysisFacts:  # noqa: ARG001
    digits = max(_FEWEST_DIGITS, subject.digits)
    # A value that the release does not show, or that few have, has no place in a report.
    shown = [estimate for estimate in result.estimates if estimate.release_support > 0]
    listed = sorted(shown, key=lambda estimate: -estimate.release_support)[:_MOST_ESTIMATES]
    kept = [estimate for estimate in shown if estimate in listed]
    estimates = tuple(_compared(result, estimate, digits, subject.fewest) for estimate in kept)
    word = result.agreement
    return AnalysisFacts(
        analysis=result.analysis,
        reading=_READINGS[result.reading],
        shows=SHOWN[result.kind],
        agreement=word,
        judgement=_JUDGEMENTS[word],
        overlap=_rounded(result.overlap, digits),
        error=_rounded(result.error, digits),
        notes=tuple(_notes(result, public=False)),
        estimates=estimates,
        hidden=len(result.estimates) - len(kept),
    )


def _compared(result: AnalysisResult, estimate: Estimate, digits: int, fewest: int) -> EstimateFacts:
    """An estimate of both tables; what few original records have is left out."""
    few = estimate.original_support < fewest
    bounds = None if few else estimate.original_bounds
    return EstimateFacts(
        name=estimate_name(result, estimate),
        release=_rounded(estimate.release, _DIGITS),
        release_low=_rounded(None if estimate.release_bounds is None else estimate.release_bounds.low, _DIGITS),
        release_high=_rounded(None if estimate.release_bounds is None else estimate.release_bounds.high, _DIGITS),
        original=None if few else _rounded(estimate.original, digits),
        original_low=_rounded(None if bounds is None else bounds.low, digits),
        original_high=_rounded(None if bounds is None else bounds.high, digits),
        overlap=None if few else _rounded(estimate.overlap, digits),
    )


def _public(_subject: Subject, result: AnalysisResult, *, worded: bool) -> AnalysisFacts:
    """The release's own figures and a word: nothing else of the original may come in here."""
    own = [estimate for estimate in result.estimates if estimate.release is not None and estimate.release_support > 0]
    listed = sorted(own, key=lambda estimate: -estimate.release_support)[:_MOST_ESTIMATES]
    kept = [estimate for estimate in own if estimate in listed]
    word = result.agreement if worded and result.original_units >= FEWEST_OF_WORD else None
    return AnalysisFacts(
        analysis=result.analysis,
        reading=_READINGS[result.reading],
        shows=SHOWN[result.kind],
        agreement=word,
        judgement=_JUDGEMENTS[word],
        overlap=None,
        error=None,
        notes=tuple(_notes(result, public=True)),
        estimates=tuple(
            EstimateFacts(
                name=estimate_name(result, estimate),
                release=_rounded(estimate.release, _DIGITS),
                release_low=_rounded(None if estimate.release_bounds is None else estimate.release_bounds.low, _DIGITS),
                release_high=_rounded(
                    None if estimate.release_bounds is None else estimate.release_bounds.high, _DIGITS
                ),
            )
            for estimate in kept
        ),
        hidden=len(own) - len(kept),
    )


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else significant(value, digits)
