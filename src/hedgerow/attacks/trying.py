"""``hr.attack``: all attacks that apply to a release, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from hedgerow.attacks.asking import check_sure, generator_of, released
from hedgerow.attacks.given import Given
from hedgerow.attacks.outcome import Claims, Outcome, Verdict
from hedgerow.attacks.registry import ATTACKS
from hedgerow.errors import BadInput
from hedgerow.release import Release
from hedgerow.rounding import digits_shown
from hedgerow.showing import Shown

__all__ = ["Attacks", "Skipped", "attack"]

_OWNER: Final = "attack"
_COUNTS: Final = frozenset(f"{who}_{what}" for who in ("members", "control") for what in ("claimed", "right"))
"""Exact numbers of people, of which only shares are told."""


@dataclass(frozen=True)
class Skipped:
    """An attack that was not tried, and why."""

    attack: str
    reason: str


@dataclass(frozen=True, repr=False)
class Attacks(Shown):
    """What attacks on a release found out.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Those that were tried.
    skipped : tuple of Skipped
        Those that could not be.
    remarks : tuple of str
        What to know of the people that were given.
    """

    outcomes: tuple[Outcome, ...]
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def works(self) -> bool:
        """Whether some attack finds out more of members than chance explains."""
        return any(one.works for one in self.outcomes)

    @property
    def verdict(self) -> Verdict:
        """What all of them come to: some attack works, or there are too few people for one of them, or none works.

        Where no attack could be tried, there is nothing to say either.
        """
        if self.works:
            return "works"
        enough = self.outcomes and all(one.verdict == "finds nothing" for one in self.outcomes)
        return "finds nothing" if enough else "too few to say"

    @property
    def frame(self) -> pa.Table:
        """A row for each attack, with exact figures: keep them to yourself, as original rows."""
        return pa.Table.from_pylist([{"attack": one.attack, "claim": one.claim, **_row(one)} for one in self.outcomes])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, rounded so that one person can hardly change a figure."""
        outcomes = []
        for one in self.outcomes:
            row = {
                name: round(value, _digits(one)) if isinstance(value, float) else value
                for name, value in _row(one).items()
                if name not in _COUNTS
            }
            outcomes.append({"attack": one.attack, "claim": one.claim, **row, "remarks": list(one.remarks)})
        skipped = [{"attack": one.attack, "reason": one.reason} for one in self.skipped]
        return {
            "works": self.works,
            "verdict": self.verdict,
            "attacks": outcomes,
            "skipped": skipped,
            "remarks": list(self.remarks),
        }

    def __repr__(self) -> str:
        lines = [f"Attacks({len(self.outcomes)} tried, {sum(one.works for one in self.outcomes)} work)"]
        for one in self.outcomes:
            lines += repr(one).splitlines()
        lines += [f"{one.attack}: not tried. {one.reason}" for one in self.skipped]
        return "\n  ".join([*lines, *self.remarks])


def attack(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    attacks: str | Sequence[str] | None = None,
    *,
    previous: Release | str | Path | None = None,
    sure: float = 0.9,
    random_state: int | None = 0,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    missing: Sequence[str] = (),
) -> Attacks:
    """Attack a release in every way that applies, and compare with people who are not in it.

    To have such people, hold some back: anonymize a random half of the table, and attack that release with the one half
    as members and the other as non-members. Both must come from the same population.

    Parameters
    ----------
    release : Release or path
        A path is that of a saved one.
    members : dataframe, path or File
        The people of the table, as they were before: quasi-identifiers, target and sensitive columns. A
        :class:`hedgerow.File` says how its text is to be read.
    non_members : dataframe, path or File
        People of the same population who are not in it.
    attacks : str or sequence of str, optional
        Which ones, of :data:`hedgerow.attacks.ATTACKS`; an error if one of them does not apply. All that apply if not
        given.
    previous : Release or path, optional
        Another release of the same people, for attacks that compare two.
    sure : float
        From which probability on an attacker claims something.
    random_state : int or None
        The same number gives the same result.
    kinds : mapping of column to kind, optional
        What columns hold, where the table was anonymized with such a :class:`~hedgerow.Schema`.
    missing : sequence of str
        Texts that mean "no value", besides those in the manifest.

    Raises
    ------
    BadInput
        If fewer of the members fit a class than the manifest says were published: then they were not read as the table
        that was anonymized, or are not its people. If the two tables are the same, share people, or have more rows in
        common than two random samples of any population would.

    Notes
    -----
    Where the release was made with an ``entity``, people are counted: one row of each, drawn at random, is judged.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(2000, random_state=0).select(["age", "sex", "zip"])
    >>> release = hr.anonymize(people[:1000], hr.Schema(quasi=["age", "sex", "zip"]), k=3)
    >>> found = hr.attack(release, people[:1000], people[1000:])
    >>> [one.attack for one in found if one.works]
    ['downcoding', 'refinement', 'membership', 'inference', 'linkability', 'singling-out']
    >>> found.verdict
    'works'
    >>> found.skipped[0]
    Skipped(attack='minimality', reason='Nothing is required of a sensitive column.')
    """
    check_sure(sure, _OWNER)
    generator_of(random_state, _OWNER)
    wanted = _named(attacks)
    release = released(release, _OWNER)
    previous = None if previous is None else released(previous, _OWNER)
    _check_reading(kinds, missing)
    given = Given.of(release, members, non_members, kinds=kinds, missing=missing)
    outcomes, skipped = [], []
    for one in [ATTACKS[name] for name in wanted or ATTACKS]:
        reason = one.why_not(release, previous)
        if reason is not None and wanted:
            raise BadInput(f"The attack {one.name!r} does not apply. {reason}")
        if reason is not None:
            skipped.append(Skipped(one.name, reason))
            continue
        try:
            outcomes.append(one.run(release, given, previous, sure=sure, random_state=random_state))
        except BadInput as error:
            if wanted:
                raise
            skipped.append(Skipped(one.name, str(error)))
    return Attacks(tuple(outcomes), tuple(skipped), _remarks(given))


def _named(attacks: object) -> tuple[str, ...] | None:
    if attacks is None:
        return None
    names = (attacks,) if isinstance(attacks, str) else attacks
    if not isinstance(names, Sequence) or not names:
        raise BadInput.parameter("attacks", _OWNER, "None or names of attacks", attacks)
    for name in names:
        if name not in ATTACKS:
            raise BadInput.unknown("attack", str(name), ATTACKS)
    return tuple(dict.fromkeys(names))


def _check_reading(kinds: object, missing: object) -> None:
    if not (kinds is None or isinstance(kinds, Mapping)):
        raise BadInput.parameter("kinds", _OWNER, "a mapping of column to kind", type(kinds).__name__)
    listed = list(missing) if isinstance(missing, Sequence) and not isinstance(missing, str) else [None]
    if not all(isinstance(one, str) for one in listed):
        raise BadInput.parameter("missing", _OWNER, "a list of texts", type(missing).__name__)


def _remarks(given: Given) -> tuple[str, ...]:
    if given.entity is None:
        return ()
    return ("People are counted, and not their rows: of each person one row, drawn at random, is judged.",)


def _digits(outcome: Outcome) -> int:
    return digits_shown(min(outcome.members.people, outcome.control.people))


def _row(outcome: Outcome) -> dict[str, Any]:
    excess = outcome.excess
    return {
        **_side("members", outcome.members),
        **_side("control", outcome.control),
        "excess": excess.value,
        "excess_low": excess.low,
        "excess_high": excess.high,
        "works": outcome.works,
        "verdict": outcome.verdict,
        "detectable": outcome.detectable,
    }


def _side(who: str, claims: Claims) -> dict[str, Any]:
    precision = claims.precision
    return {
        f"{who}_people": claims.people,
        f"{who}_claimed": claims.claimed,
        f"{who}_right": claims.right,
        f"{who}_share_claimed": claims.claimed / claims.people,
        f"{who}_precision": None if precision is None else precision.value,
        f"{who}_recall": claims.recall.value,
        f"{who}_false_positives": claims.false_positives.value,
    }
