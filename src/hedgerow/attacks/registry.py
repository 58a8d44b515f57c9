"""The attacks by name, with their functions and requirements, and ``hr.attack``, which runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from hedgerow._internal.keywords import suggesting
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
            lambda release, _: any(rule.column is not None for rule in release.guarantee.requirements),
            "Nothing is required of a sensitive column.",
        ),
        "proportions": (lambda release, _: release.proportions is not None, "The release publishes no proportions."),
        "previous": (lambda _, previous: previous is not None, "There is no second release of the same people."),
    }
)
"""The possible needs of an attack: a test whether a release meets it, and the reason to skip the attack if not."""


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
        Some of ``"target"``, ``"rule"``, ``"proportions"`` and ``"previous"``: the other release, which is the second
        argument.
    takes : tuple of str
        The parameters of the function among ``"sure"`` and ``"random_state"``.
    knowing : str, optional
        The attacker's background knowledge, if the function has such a parameter.
    """

    name: str
    function: Callable[..., Any]
    story: str
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    knowing: str | None = None

    def why_not(self, release: Release, previous: Any) -> str | None:
        """The reason why the attack does not apply to a release; ``None`` if it applies."""
        for is_met, reason in (_NEEDS[need] for need in self.needs):
            if not is_met(release, previous):
                return reason
        return None

    def run(self, release: Release, given: Given, previous: Any, **parameters: Any) -> Outcome:
        """Run the attack on people who were already read."""
        own = {name: parameters[name] for name in self.takes}
        if self.knowing is not None:
            own["knowing"] = self.knowing
        second = (previous,) if "previous" in self.needs else ()
        result = self.function(release, *second, given, None, **own)
        if isinstance(result, LabelDisclosure):
            return _of_labels(result, str(release.target))
        # Two attacks may share a function.
        outcome: Outcome = replace(result, attack=self.name)
        return outcome


ATTACKS: Final[Mapping[str, Attack]] = MappingProxyType(
    {
        attack.name: attack
        for attack in (
            Attack(
                "downcoding",
                downcoding,
                "Somebody who knows all quasi-identifiers of a person except one claims its value, by the classes that "
                "the person fits and by the rules of the method.",
                takes=("sure", "random_state"),
                knowing="release",
            ),
            Attack(
                "refinement",
                downcoding,
                "Somebody who knows everybody in a class except one person removes the values of the others from its "
                "cells.",
                takes=("sure", "random_state"),
                knowing="class",
            ),
            Attack(
                "membership",
                membership,
                "Somebody with a register of people claims which of them are in the table. For others this claim is "
                "never right, so the excess is the difference between the shares of claims.",
                takes=("random_state",),
            ),
            Attack(
                "minimality",
                minimality,
                "Somebody who knows the people in the table concludes why a class is larger than k requires.",
                needs=("rule",),
                takes=("sure", "random_state"),
            ),
            Attack(
                "intersection",
                intersection,
                "Somebody combines two releases of the same people, and keeps the values that both leave possible.",
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
                "Somebody who knows a person's quasi-identifiers guesses the label by the places of these values in "
                "the pools of the proportions.",
                needs=("proportions", "target"),
                takes=("random_state",),
            ),
            Attack(
                "pool-names",
                pool_names,
                "Somebody with a register of people claims that those are in the table whose values the pools of the "
                "proportions name.",
                needs=("proportions",),
                takes=("random_state",),
            ),
            Attack(
                "inference",
                inference,
                "Somebody who knows all columns of a person except one guesses its value from everything that is "
                "published, including proportions.",
                takes=("random_state",),
            ),
            Attack(
                "linkability",
                linkability,
                "Somebody who knows some columns of a person claims which of two records with the other columns "
                "belongs to the person.",
                takes=("random_state",),
            ),
            Attack(
                "singling-out",
                singling_out,
                "Somebody who knows nobody describes people by rare values of the release, such that only one person "
                "fits.",
                takes=("random_state",),
            ),
        )
    }
)
"""All attacks, in the order in which they run."""


def _of_labels(disclosure: LabelDisclosure, target: str) -> Outcome:
    """The outcome of the attack on labels as that of an attack that claims the most probable label of everybody."""
    best = max((disclosure.alone, disclosure.stacked), key=lambda guessed: guessed.excess.value)
    return Outcome(
        "label",
        f"the label {target!r}",
        _of_everybody(disclosure.members, best.members),
        _of_everybody(disclosure.non_members, best.control),
        best.excess,
        (
            f"claimed with at least {disclosure.sure:.0%} certainty, and rightly: "
            f"{share_told(best.members.recall, disclosure.members):.0%} of members, "
            f"{share_told(best.control.recall, disclosure.non_members):.0%} of others",
        ),
    )


def _of_everybody(people: int, side: Success) -> Claims:
    return Claims(people, people, round(side.accuracy.value * people))


# --------------------------------------------------------------------------------------------------
# ``hr.attack`` runs all attacks that apply to a release.


_OWNER: Final = "attack"
_COUNTS: Final = frozenset(f"{who}_{what}" for who in ("members", "control") for what in ("claimed", "right"))
"""Exact numbers of people, which are withheld; only shares are reported."""


@dataclass(frozen=True)
class Skipped:
    """An attack that was not run, and the reason."""

    attack: str
    reason: str


@dataclass(frozen=True, repr=False)
class Attacks(NotebookRepr):
    """The outcomes of attacks on a release.

    Attributes
    ----------
    outcomes : tuple of Outcome
        The attacks that were run.
    skipped : tuple of Skipped
        The attacks that do not apply.
    remarks : tuple of str
        Notes about the attacked people.
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
        """Whether some attack finds out more about members than chance explains."""
        return any(outcome.works for outcome in self.outcomes)

    @property
    def verdict(self) -> Verdict:
        """The common verdict: some attack works, or there are too few people for one of them, or none works.

        Without any outcome the verdict is "too few to say".
        """
        if self.works:
            return "works"
        enough = self.outcomes and all(outcome.verdict == "finds nothing" for outcome in self.outcomes)
        return "finds nothing" if enough else "too few to say"

    @property
    def frame(self) -> pa.Table:
        """A row for each attack, with exact figures. Keep it private, like original rows."""
        rows = [{"attack": outcome.attack, "claim": outcome.claim, **_row(outcome)} for outcome in self.outcomes]
        return pa.Table.from_pylist(rows)

    @property
    def rows(self) -> dict[str, Any]:
        """The same as plain values, with exact figures. Keep it private, like original rows."""
        outcomes = [
            {
                "attack": outcome.attack,
                "claim": outcome.claim,
                **_row(outcome),
                "remarks": list(outcome.remarks),
            }
            for outcome in self.outcomes
        ]
        skipped = [{"attack": skip.attack, "reason": skip.reason} for skip in self.skipped]
        return {
            "works": self.works,
            "verdict": self.verdict,
            "attacks": outcomes,
            "skipped": skipped,
            "remarks": list(self.remarks),
        }

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, rounded so that one person can hardly change a figure."""
        exact = self.rows
        exact["attacks"] = [
            {
                name: round(value, _digits(outcome)) if isinstance(value, float) else value
                for name, value in row.items()
                if name not in _COUNTS
            }
            for row, outcome in zip(exact["attacks"], self.outcomes, strict=True)
        ]
        return exact

    def __repr__(self) -> str:
        lines = [f"Attacks({len(self.outcomes)} tried, {sum(outcome.works for outcome in self.outcomes)} work)"]
        for outcome in self.outcomes:
            lines += repr(outcome).splitlines()
        lines += [f"{skip.attack}: not tried. {skip.reason}" for skip in self.skipped]
        return "\n  ".join([*lines, *self.remarks])


@suggesting
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
    """Run all attacks that apply to a release, and compare members with people who are not in it.

    To obtain such people, hold some back: anonymize a random half of the table, and attack that release with this half
    as members and the other half as non-members. Both must come from the same population.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release.
    members : dataframe, path or File
        The people of the table with their original quasi-identifiers, target and sensitive columns. A
        :class:`hedgerow.File` states how to read its text.
    non_members : dataframe, path or File
        People of the same population who are not in the table.
    attacks : str or sequence of str, optional
        Names from :data:`hedgerow.attacks.ATTACKS`; an error if one of them does not apply. By default all that apply.
    previous : Release or path, optional
        Another release of the same people, for attacks that compare two.
    sure : float
        The least probability at which an attacker claims something.
    random_state : int or None
        The same number gives the same result.
    kinds : mapping of column to kind, optional
        The kinds of columns, if the table was anonymized with such a :class:`~hedgerow.Schema`.
    missing : sequence of str
        Texts that mean "no value", besides those in the manifest.

    Raises
    ------
    BadInput
        If the share of members who fit a class is smaller than the share of published rows in the manifest: then they
        were read in another way than the anonymized table, or are not its people. If the two tables are the same, share
        people, or have more rows in common than two random samples of any population.

    Notes
    -----
    If the release was made with an ``entity``, people are counted: one random row of each person is judged.

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
    for name in wanted or ATTACKS:
        reason = ATTACKS[name].why_not(release, previous)
        if reason is not None and wanted:
            raise BadInput(f"The attack {name!r} does not apply. {reason}")
        if reason is not None:
            skipped.append(Skipped(name, reason))
            continue
        try:
            outcomes.append(ATTACKS[name].run(release, given, previous, sure=sure, random_state=random_state))
        except BadInput as error:
            if wanted:
                raise
            skipped.append(Skipped(name, str(error)))
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
    if not all(isinstance(text, str) for text in listed):
        raise BadInput.parameter("missing", _OWNER, "a list of texts", type(missing).__name__)


def _remarks(given: Given) -> tuple[str, ...]:
    if given.entity is None:
        return ()
    return ("People are counted, not their rows: one random row of each person is judged.",)


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
