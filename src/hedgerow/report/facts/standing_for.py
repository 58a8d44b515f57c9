"""What the published cells of a column may stand for, as rows that are spread over values or along a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.proportions import Spread
from hedgerow.published import (
    Interval,
    PublishedColumn,
    Reach,
    Suppressed,
    ValueSet,
    kind_of_texts,
    number_in,
    parse,
    read,
)
from hedgerow.report.facts.ranges import Spans

__all__ = ["Standing", "kind_of_cells", "standing_as_told", "standing_for", "standing_for_published"]

_SOME: Final = 50


class Standing(NamedTuple):
    """How the rows of a column are spread.

    Attributes
    ----------
    codes : float array (codes,)
        Over the values of the column, where these are known.
    spans : Spans
        Along the line of numbers or days; nothing for text.
    missing, hidden, several : float
        Rows without a value, with ``*``, and with a cell that names several values of which nothing else is known.
    plain : bool array (cells,)
        Which published cells are one value or label.
    """

    codes: Floats
    spans: Spans
    missing: float
    hidden: float
    several: float
    plain: Bools

    @property
    def everybody(self) -> float:
        """All of them."""
        shown = self.spans.rows if len(self.spans.rows) else self.codes
        return float(shown.sum()) + self.missing + self.hidden + self.several

    @classmethod
    def of_codes(cls, domain: Domain, rows: Longs) -> Standing:
        """Rows that tell their value."""
        weight = rows.astype(np.float64)
        known = np.arange(domain.size) < len(domain.labels)
        numbers = np.empty(0) if domain.numbers is None else domain.numbers
        spans = Spans(numbers, numbers, weight[: len(numbers)])
        return cls(weight, spans, float(weight[~known].sum()), 0.0, 0.0, known)


def standing_for(published: PublishedColumn, rows: Longs) -> Standing:
    """What cells stand for whose original values are known: ranges as they are written, others by what they cover."""
    domain = published.domain
    weight = rows.astype(np.float64)
    kinds = np.array(published.kinds, dtype=np.str_)
    hidden = float(weight[kinds == "suppressed"].sum())
    width = published.widths.astype(np.float64)
    shown = (kinds != "suppressed") & (width > 0)
    of_code = np.divide(weight, width, out=np.zeros(len(weight)), where=shown)
    codes = published.covered.spread(of_code, domain.size)
    if domain.numbers is None:
        nothing = np.empty(0)
        return Standing(codes, Spans(nothing, nothing, nothing), 0.0, hidden, 0.0, kinds == "value")
    written = _written(published, domain)
    others = np.setdiff1d(np.arange(len(weight)), list(written))
    on_line = published.covered.only(others).spread(of_code[others], domain.size)
    numbers = domain.values
    ends = np.array(list(written.values()), dtype=np.float64).reshape(-1, 2)
    spans = Spans(
        np.concatenate([numbers, ends[:, 0]]),
        np.concatenate([numbers, ends[:, 1]]),
        np.concatenate([on_line[: len(numbers)], weight[list(written)]]),
    )
    return Standing(codes, spans, float(on_line[len(numbers) :].sum()), hidden, 0.0, kinds == "value")


def standing_as_told(domain: Domain, spread: Spread) -> Standing:
    """What published proportions tell: how many people hold each value, or are in a piece of a range."""
    people = np.asarray(spread.matrix.sum(axis=0), dtype=np.float64).ravel()
    known = spread.domain
    held, missing = people[: len(known.labels)], float(people[len(known.labels) :].sum())
    codes, nothing = np.zeros(domain.size), np.empty(0)
    if domain.numbers is not None:
        spans = Spans(spread.low[: len(held)], spread.high[: len(held)], held)
        return Standing(codes, spans, missing, 0.0, 0.0, nothing.astype(bool))
    place = {label: code for code, label in enumerate(domain.labels.tolist())}
    at = np.array([place.get(label, -1) for label in known.labels.tolist()], dtype=np.int64)
    np.add.at(codes, at[at >= 0], held[at >= 0])
    if missing:
        codes[domain.missing_code] += missing
    return Standing(codes, Spans(nothing, nothing, nothing), 0.0, float(held[at < 0].sum()), 0.0, nothing.astype(bool))


def _written(published: PublishedColumn, domain: Domain) -> dict[int, tuple[float, float]]:
    """The published values that read as a range, or are a number that stands for a group: from where to where."""
    found = {}
    first, last = float(domain.values[0]), float(domain.values[-1])
    for at, (kind, text) in enumerate(zip(published.kinds, published.texts, strict=True)):
        if kind == "number" and text is not None:
            number = number_in(text, domain.kind)
            found[at] = (number, number) if number is not None else (first, last)
        elif kind in ("interval", "label"):
            said = read(text, domain.kind)
            if isinstance(said, Interval):
                high = max(min(said.high, last), first)
                found[at] = (min(max(said.low, first), high), high)
    return found


def standing_for_published(labels: Sequence[str | None], rows: Longs, kind: Kind) -> Standing:
    """What cells stand for of which only the text is known."""
    meanings = [_meaning(label, kind) for label in labels]
    plain = np.array([isinstance(one, str) for one in meanings], dtype=bool)
    missing = hidden = several = 0.0
    low, high, weight = [], [], []
    intervals = [one for one in meanings if isinstance(one, Interval)]
    points = [number for one in meanings if isinstance(one, str) and (number := number_in(one, kind)) is not None]
    reach = Reach.of(intervals, points)
    for one, held in zip(meanings, rows.tolist(), strict=True):
        if one is None:
            missing += held
        elif isinstance(one, Suppressed):
            hidden += held
        elif isinstance(one, Interval):
            ended = reach.ended(one)
            low.append(ended.low)
            high.append(ended.high)
            weight.append(held)
        elif kind == "text":
            several += 0.0 if isinstance(one, str) else held
        else:
            members = (one,) if isinstance(one, str) else one.members
            for member in members:
                number = number_in(member, kind)
                if number is None:
                    several += held / len(members)
                else:
                    low.append(number)
                    high.append(number)
                    weight.append(held / len(members))
    spans = Spans(np.array(low, dtype=float), np.array(high, dtype=float), np.array(weight, dtype=float))
    return Standing(np.empty(0), spans, missing, hidden, several, plain)


def _meaning(label: str | None, kind: Kind) -> str | ValueSet | Interval | Suppressed | None:
    """What a cell says; one value or label is its text."""
    if label is None:
        return None
    said = read(label, kind)
    if isinstance(said, ValueSet):
        if len(said.members) == 1:
            (alone,) = said.members
            return alone
        return said
    return said if isinstance(said, Interval | Suppressed) else label


def kind_of_cells(labels: Sequence[str | None]) -> Kind:
    """What a published column holds: numbers or dates if all that it says are some, else text.

    >>> kind_of_cells(["[20,30)", "35", "{20|21}", "*", None]), kind_of_cells(["02139", "021**"])
    ('number', 'text')
    >>> kind_of_cells(["[2020-01-01,2021-01-01)", "2021-05-01"]), kind_of_cells(["*"])
    ('date', 'text')
    """
    values: list[str] = []
    intervals = calendars = 0
    looked = False
    for label in labels:
        if len(values) >= _SOME and not looked:
            # Most columns of text are known by their first cells.
            looked = True
            if kind_of_texts(values) == "text":
                return "text"
        said = None if label is None else parse(label)
        if isinstance(said, ValueSet):
            values += [one for one in said.members if one is not None]
        elif isinstance(said, Interval):
            intervals += 1
        elif isinstance(said, str):
            if isinstance(read(said, "date"), Interval):
                calendars += 1
            else:
                values.append(said)
    kind = kind_of_texts(values) if values else None
    if intervals and not calendars and kind in (None, "number"):
        return "number"
    if calendars and not intervals and kind in (None, "date"):
        return "date"
    return "text" if intervals or calendars or kind is None else kind
