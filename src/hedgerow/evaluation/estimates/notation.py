"""The notation of analyses: what a recipient will run on a release, in a line each.

=====================================  ==============================================================================
``crosstab sex, ward``                 the share of each combination of values
``mean days by ward, sex``             the mean of a column in each group; over all rows without ``by``
``linear days ~ age + sex``            linear regression, by least squares
``logistic readmitted ~ age + days``   logistic regression of two values; ``readmitted=yes`` names the one to explain
=====================================  ==============================================================================

A column of numbers is divided into groups by the numbers where they begin: ``age(30, 50)``. In a regression, numbers
enter as they are, and text by a dummy for each value but one; ``C(ward)`` takes numbers for text. Names with spaces or
signs stand between backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from hedgerow.errors import BadInput

__all__ = ["MOST_ANALYSES", "Analysed", "Crosstab", "Grouping", "Mean", "Regression", "Term", "parse", "parse_all"]

MOST_ANALYSES: Final = 50
"""How many analyses a run may have."""

_TOKEN: Final = re.compile(r"\s*(?:`([^`]+)`|([,~+()=])|([^\s,~+()=`]+))")
_KINDS: Final = ("crosstab", "mean", "linear", "logistic")
_LONGEST: Final = 500


@dataclass(frozen=True)
class Grouping:
    """A column whose values are groups; numbers may be divided at ``cuts``, where the second group and others begin."""

    column: str
    cuts: tuple[float, ...] = ()


@dataclass(frozen=True)
class Crosstab:
    """The share of each combination of values."""

    text: str
    groups: tuple[Grouping, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(group.column for group in self.groups)


@dataclass(frozen=True)
class Mean:
    """The mean of a column in each group."""

    text: str
    column: str
    groups: tuple[Grouping, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.column, *(group.column for group in self.groups))


@dataclass(frozen=True)
class Term:
    """A column that explains the outcome; ``categorical`` takes numbers for text."""

    column: str
    cuts: tuple[float, ...] = ()
    categorical: bool = False


@dataclass(frozen=True)
class Regression:
    """A regression of an outcome on terms; ``value`` is the value that a logistic regression explains, if named."""

    text: str
    kind: Literal["linear", "logistic"]
    outcome: str
    value: str | None
    terms: tuple[Term, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.outcome, *(term.column for term in self.terms))


Analysed = Crosstab | Mean | Regression


def parse_all(given: Iterable[object] | str, owner: str = "analyses") -> tuple[Analysed, ...]:
    """Read several analyses; two that read the same are refused."""
    if not isinstance(given, str) and not isinstance(given, Iterable):
        raise BadInput.parameter("analyses", owner, "a list of texts such as 'mean days by ward'", type(given).__name__)
    listed = [given] if isinstance(given, str) else list(given)
    if not listed:
        raise BadInput("No analysis is given. Name at least one, such as 'mean days by ward'.")
    if len(listed) > MOST_ANALYSES:
        raise BadInput(f"{len(listed):,} analyses are given, and at most {MOST_ANALYSES} are run. Leave some out.")
    analyses = tuple(parse(text) for text in listed)
    if len({analysis.text for analysis in analyses}) < len(analyses):
        raise BadInput("The same analysis is given twice. Leave one out.")
    return analyses


def parse(text: object) -> Analysed:
    """Read an analysis.

    >>> parse("mean days by ward, age(30, 50)")
    ... # doctest: +NORMALIZE_WHITESPACE
    Mean(text='mean days by ward, age(30, 50)', column='days',
         groups=(Grouping(column='ward', cuts=()), Grouping(column='age', cuts=(30.0, 50.0))))
    >>> parse("linear days - age")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: In the analysis 'linear days - age', '~' is expected where '-' stands. Write it as 'linear days ~ age + sex'.
    """  # noqa: E501 - the message of an error is one line
    if not isinstance(text, str):
        raise BadInput.parameter("an analysis", "analyses", "a text such as 'mean days by ward'", type(text).__name__)
    if len(text) > _LONGEST:
        raise BadInput(f"An analysis has {len(text):,} characters, and at most {_LONGEST} are read. Shorten it.")
    return _Parser(" ".join(text.split())).analysis()


_EXAMPLES: Final = {
    "crosstab": "crosstab sex, ward",
    "mean": "mean days by ward",
    "linear": "linear days ~ age + sex",
    "logistic": "logistic readmitted ~ age + sex",
}


class _Parser:
    """Reads an analysis from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.kind, self.at = text, "mean", 0
        self.tokens: list[tuple[str, bool]] = []  # each with whether it is a name
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._wrong("a backtick is not closed")
            quoted, sign, bare = match.groups()
            self.tokens.append((quoted or sign or bare, sign is None))
            place = match.end()

    def analysis(self) -> Analysed:
        if not self.tokens or self.tokens[0][0] not in _KINDS:
            first = self.tokens[0][0] if self.tokens else ""
            raise BadInput.unknown("kind of analysis", first, _KINDS, f"The analysis is {self.text!r}.")
        self.kind, self.at = self.tokens[0][0], 1
        if self.kind == "crosstab":
            made: Analysed = Crosstab(self.text, self._groups())
        elif self.kind == "mean":
            column = self._name()
            made = Mean(self.text, column, self._groups() if self._took("by") else ())
        else:
            made = self._regression()
        if self.at < len(self.tokens):
            raise self._unexpected("nothing more")
        self._refuse_repeated(made.columns)
        return made

    def _regression(self) -> Regression:
        kind: Literal["linear", "logistic"] = "linear" if self.kind == "linear" else "logistic"
        outcome = self._name()
        value = self._name("a value") if kind == "logistic" and self._took("=") else None
        self._demand("~")
        terms = [self._term()]
        while self._took("+"):
            terms.append(self._term())
        return Regression(self.text, kind, outcome, value, tuple(terms))

    def _term(self) -> Term:
        if self._next == "C" and self._after == "(":
            self.at += 2
            column = self._name()
            self._demand(")")
            return Term(column, categorical=True)
        group = self._group()
        return Term(group.column, group.cuts, categorical=bool(group.cuts))

    def _groups(self) -> tuple[Grouping, ...]:
        groups = [self._group()]
        while self._took(","):
            groups.append(self._group())
        return tuple(groups)

    def _group(self) -> Grouping:
        column, cuts = self._name(), list[float]()
        if self._took("("):
            cuts.append(self._number())
            while self._took(","):
                cuts.append(self._number())
            self._demand(")")
            if any(first >= second for first, second in pairwise(cuts)):
                raise self._wrong("the numbers where groups begin do not ascend")
        return Grouping(column, tuple(cuts))

    @property
    def _next(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    @property
    def _after(self) -> str | None:
        return self.tokens[self.at + 1][0] if self.at + 1 < len(self.tokens) else None

    def _took(self, token: str) -> bool:
        taken = self._next == token
        self.at += taken
        return taken

    def _demand(self, token: str) -> None:
        if not self._took(token):
            raise self._unexpected(repr(token))

    def _name(self, what: str = "a column") -> str:
        if self.at >= len(self.tokens) or not self.tokens[self.at][1]:
            raise self._unexpected(what)
        self.at += 1
        return self.tokens[self.at - 1][0]

    def _number(self) -> float:
        text = self._name("a number")
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not abs(number) < float("inf"):
            self.at -= 1
            raise self._unexpected("a number")
        return number

    def _refuse_repeated(self, columns: Sequence[str]) -> None:
        if len(set(columns)) < len(columns):
            raise self._wrong("a column stands twice")

    def _unexpected(self, wanted: str) -> BadInput:
        found = "it ends" if self._next is None else f"{self._next!r} stands"
        return self._wrong(f"{wanted} is expected where {found}")

    def _wrong(self, what: str) -> BadInput:
        return BadInput(f"In the analysis {self.text!r}, {what}. Write it as {_EXAMPLES[self.kind]!r}.")
