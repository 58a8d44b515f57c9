"""How columns could generalize: only spellings that a job file accepts, and none that holds a value of the table.

Numbers get intervals whose ends are round; codes lose characters from the right; dates go up the calendar.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from hedgerow.advice.identifiers import whole_numbers
from hedgerow.advice.profiles import Profile
from hedgerow.advice.shapes import CODE, ICD, mostly
from hedgerow.advice.words import ZIP, topic_of, words_of
from hedgerow.domains import Domain

__all__ = ["MOST_CATEGORIES", "generalized", "keeps_more_without"]

MOST_CATEGORIES: Final = 30
_INTERVALS: Final = 16  # about so many of the finest ones
_MANY_CODES: Final = 5
_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
_GENERATION: Final = 20 * 365  # days
_OLDEST: Final = 90  # HIPAA's safe harbour: all ages over 89 are one
_WIDEST: Final = 1e12


def generalized(profile: Profile, *, as_text: bool = False) -> str | None:
    """The hierarchy of a column as a job file writes it; ``None`` if the automatic one is as good.

    Parameters
    ----------
    profile : Profile
    as_text : bool
        Whether its numbers are to be read as text.
    """
    domain = profile.domain
    if domain is None or profile.distinct < 2:
        return None
    if profile.kind == "date":
        return _calendar(domain)
    if profile.kind == "number" and not as_text:
        if topic_of(profile.name, ZIP) and whole_numbers(profile) and domain.values[0] >= 0:
            return _masking(max(2, *map(len, profile.labels)))
        return _intervals(profile, domain)
    if mostly(profile.labels, ICD, 1.0) and profile.distinct > _MANY_CODES:
        return "prefix:1,3"
    lengths = {len(label) for label in profile.labels}
    if len(lengths) == 1 and profile.distinct > _MANY_CODES and mostly(profile.labels, CODE, 1.0):
        # Of two characters at least: so codes are.
        return _masking(lengths.pop())
    return "flat" if profile.distinct <= MOST_CATEGORIES else None


def keeps_more_without(hierarchy: str) -> bool:
    """Whether methods that cut or merge tell more of a column without this hierarchy, and as readably."""
    return hierarchy == "flat" or hierarchy.startswith("intervals")


def _masking(length: int) -> str:
    """Mask one character after the other; of long codes a third, two thirds, and all but one.

    >>> _masking(5), _masking(2), _masking(9)
    ('masking:1,2,3,4', 'masking:1', 'masking:3,6,8')
    """
    levels = range(1, length) if length <= 5 else sorted({length // 3, 2 * length // 3, length - 1})
    return f"masking:{','.join(map(str, levels))}"


def _calendar(domain: Domain) -> str:
    """Years and decades where dates span a generation, as those of birth do; else months, quarters and years."""
    low, high = _middle(domain)
    return "dates:year,decade" if high - low > _GENERATION else "dates:month,quarter,year"


def _intervals(profile: Profile, domain: Domain) -> str | None:
    """Intervals of three widths, each 1, 2 or 5 times a power of ten, which most of the numbers decide."""
    low, high = _middle(domain)
    spread = high - low
    if spread <= 0 or not math.isfinite(spread) or len(domain.labels) <= _MANY_CODES:
        return None
    power = math.floor(math.log10(spread / _INTERVALS))
    lead = min(_STEPS, key=lambda one: abs(math.log10(spread / _INTERVALS) - power - math.log10(one)))
    finest = lead * 10.0**power
    if whole_numbers(profile):
        finest = max(finest, 1.0)
    # So far from zero that intervals of this width could not be told apart, or so fine that they are no round numbers.
    if abs(domain.values).max() > _WIDEST * finest or not 1e-9 < finest < _WIDEST:
        return None
    widths = [finest * factor / lead for factor in _STEPS[lead]] if finest != 1 else [1.0, 5.0, 10.0]
    written = [f"{width:.12g}" for width in widths]
    old = [f">={_OLDEST}"] if "age" in words_of(profile.name) and _is_age(domain) else []
    return f"intervals:{','.join([*written, *old])}"


def _is_age(domain: Domain) -> bool:
    """Whether numbers could be the years of people's lives."""
    return bool(domain.values[0] >= 0 and 60 <= domain.values[-1] <= 125)


def _middle(domain: Domain) -> tuple[float, float]:
    """Between which numbers nine of ten rows lie, so that no outlier decides."""
    records = np.ones(len(domain.labels), dtype=np.int64) if domain.records is None else domain.records
    share = np.cumsum(records) / max(int(records.sum()), 1)
    first, last = np.searchsorted(share, [0.05, 0.95])
    values = domain.values
    return float(values[min(first, len(values) - 1)]), float(values[min(last, len(values) - 1)])
