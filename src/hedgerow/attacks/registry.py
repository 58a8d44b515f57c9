"""The attacks by name: which function makes each, what it needs, and what it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from hedgerow._internal.notebook import NotebookRepr
from hedgerow._internal.rounding import digits_shown, share_told
from hedgerow.attacks._downcoding import downcoding
from hedgerow.attacks._inference import inference
from hedgerow.attacks._intersection import intersection
from hedgerow.attacks._linkability import linkability
from hedgerow.attacks._membership import membership
from hedgerow.attacks._minimality import minimality
from hedgerow.attacks._people import Given, check_sure, generator_of, released
from hedgerow.attacks._pools import pool_names, pool_order
from hedgerow.attacks._singling_out import singling_out
from hedgerow.attacks.label_disclosure import LabelDisclosure, Success, label_disclosure
from hedgerow.attacks.outcome import Claims, Outcome, Verdict
from hedgerow.errors import BadInput
from hedgerow.release import Release

__all__ = ["ATTACKS", "Attack", "Attacks", "Skipped", "attack"]


_NEEDS: Final[Mapping[str, tuple[Callable[[Release, Any], bool], str]]] = MappingProxyType(
    {
        "target": (lambda release, _: release.target is not None, "The release has no target."),
        "rule": (
            lambda release, _: any(one.column is not None for one in release.guarantee.requirements),
            "Nothing is required of a sensitive column.",
        ),
        "proportions": (lambda release, _: release.proportions is not None, "The release publishes no proportions."),
        "previous": (lambda _, previous: previous is not None, "There is no second release of the same people."),
    }
)
"""What an attack may need: whether it is there, and what is said where it is not."""


@dataclass(frozen=True)
class Attack:
    """An attack that can be tried on any release.

    Attributes
    ----------
    name : str
    function : callable
        The function of :mod:`hedgerow.attacks` that tries it.
    story : str
        What the attacker does, in a sentence.
    needs : tuple of str
        What must be there, of ``"target"``, ``"rule"``, ``"proportions"`` and ``"previous"``: the other release, which
        is given second.
    takes : tuple of str
        Which of ``"sure"`` and ``"random_state"`` the function takes.
    knowing : str, optional
        What the attacker knows, where the function asks for it.
    """

    name: str
    function: Callable[..., Any]
    story: str
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    knowing: str | None = None

    def why_not(self, release: Release, previous: Any) -> str | None:
        """Why it cannot be tried on a release, if it cannot."""
        return next(
            (says for need in self.needs for holds, says in [_NEEDS[need]] if not holds(release, previous)), None
        )

    def run(self, release: Release, given: Given, previous: Any, **told: Any) -> Outcome:
        """Try it on people who were read."""
        own = {name: told[name] for name in self.takes}
        if self.knowing is not None:
            own["knowing"] = self.knowing
        second = (previous,) if "previous" in self.needs else ()
        found = self.function(release, *second, given, None, **own)
        if isinstance(found, LabelDisclosure):
            return _of_labels(found, str(release.target))
        # Two attackers may go by one function.
        outcome: Outcome = replace(found, attack=self.name)
        return outcome


ATTACKS: Final[Mapping[str, Attack]] = MappingProxyType(
    {
        one.name: one
        for one in (
            Attack(
                "downcoding",
                downcoding,
                "Somebody who knows all of a person but one column claims that one, by the classes that the person "
                "fits, and by what the method would have done otherwise.",
                takes=("sure", "random_state"),
                knowing="release",
            ),
            Attack(
                "refinement",
                downcoding,
                "Somebody who knows everybody of a class but one person takes away from its cells what the others "
                "hold.",
                takes=("sure", "random_state"),
                knowing="class",
            ),
            Attack(
                "membership",
                membership,
                "Somebody with a register of people asks who of them is in the table. Of others that claim is never "
                "right, so the excess is the difference of what is claimed.",
                takes=("random_state",),
            ),
            Attack(
                "minimality",
                minimality,
                "Somebody who knows who is in the table asks why a class is larger than it had to be.",
                needs=("rule",),
                takes=("sure", "random_state"),
            ),
            Attack(
                "intersection",
                intersection,
                "Somebody puts two releases of the same people together, and keeps what both leave possible.",
                needs=("previous",),
                takes=("sure",),
            ),
            Attack(
                "label",
                label_disclosure,
                "Somebody who knows a person's quasi-identifiers guesses the label by the classes that they fit.",
                needs=("target",),
                takes=("sure", "random_state"),
            ),
            Attack(
                "pool-order",
                pool_order,
                "Somebody who knows a person's quasi-identifiers guesses the label by where the pools of the "
                "proportions name these values.",
                needs=("proportions", "target"),
                takes=("random_state",),
            ),
            Attack(
                "pool-names",
                pool_names,
                "Somebody with a register of people asks whose values the pools of the proportions name.",
                needs=("proportions",),
                takes=("random_state",),
            ),
            Attack(
                "inference",
                inference,
                "Somebody who knows all of a person but one column guesses that one by everything that is published, "
                "proportions too.",
                takes=("random_state",),
            ),
            Attack(
                "linkability",
                linkability,
                "Somebody who knows some columns of a person says which of two records with the other ones is the "
                "person's.",
                takes=("random_state",),
            ),
            Attack(
                "singling-out",
                singling_out,
                "Somebody who knows nobody describes people by what is rare in the release, so that one person fits.",
                takes=("random_state",),
            ),
        )
    }
)
"""All attacks, in the order in which they are tried."""


def _of_labels(found: LabelDisclosure, target: str) -> Outcome:
    """The attack on labels as the others are told: the most probable label is claimed of everybody."""
    best = max((found.alone, found.stacked), key=lambda one: one.excess.value)
    return Outcome(
        "label",
        f"the label {target!r}",
        _of_everybody(found.members, best.members),
        _of_everybody(found.non_members, best.control),
        best.excess,
        (
            f"told with at least {found.sure:.0%} certainty, and rightly: "
            f"{share_told(best.members.recall, found.members):.0%} of members, "
            f"{share_told(best.control.recall, found.non_members):.0%} of others",
        ),
    )


def _of_everybody(people: int, side: Success) -> Claims:
    return Claims(people, people, round(side.accuracy.value * people))


# --------------------------------------------------------------------------------------------------
# ``hr.attack``: all attacks that apply to a release, one after the other.


_OWNER: Final = "attack"
_COUNTS: Final = frozenset(f"{who}_{what}" for who in ("members", "control") for what in ("claimed", "right"))
"""Exact numbers of people, of which only shares are told."""


@dataclass(frozen=True)
class Skipped:
    """An attack that was not tried, and why."""

    attack: str
    reason: str


@dataclass(frozen=True, repr=False)
class Attacks(NotebookRepr):
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
