"""The attacks by name: which function makes each, what it needs, and what it is told."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from hedgerow.attacks.given import Given
from hedgerow.attacks.label_disclosure import LabelDisclosure, Success
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.release import Release
from hedgerow.rounding import share_told

__all__ = ["ATTACKS", "Attack"]

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
    place : str
        Its function, ``"module:function"`` in :mod:`hedgerow.attacks`.
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
    place: str
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
        module, _, function = self.place.partition(":")
        attack = getattr(importlib.import_module(f"hedgerow.attacks.{module}"), function)
        own = {name: told[name] for name in self.takes}
        if self.knowing is not None:
            own["knowing"] = self.knowing
        second = (previous,) if "previous" in self.needs else ()
        found = attack(release, *second, given, None, **own)
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
                "downcoding:downcoding",
                "Somebody who knows all of a person but one column claims that one, by the classes that the person "
                "fits, and by what the method would have done otherwise.",
                takes=("sure", "random_state"),
                knowing="release",
            ),
            Attack(
                "refinement",
                "downcoding:downcoding",
                "Somebody who knows everybody of a class but one person takes away from its cells what the others "
                "hold.",
                takes=("sure", "random_state"),
                knowing="class",
            ),
            Attack(
                "membership",
                "membership:membership",
                "Somebody with a register of people asks who of them is in the table. Of others that claim is never "
                "right, so the excess is the difference of what is claimed.",
                takes=("random_state",),
            ),
            Attack(
                "minimality",
                "minimality:minimality",
                "Somebody who knows who is in the table asks why a class is larger than it had to be.",
                needs=("rule",),
                takes=("sure", "random_state"),
            ),
            Attack(
                "intersection",
                "intersection:intersection",
                "Somebody puts two releases of the same people together, and keeps what both leave possible.",
                needs=("previous",),
                takes=("sure",),
            ),
            Attack(
                "label",
                "label_disclosure:label_disclosure",
                "Somebody who knows a person's quasi-identifiers guesses the label by the classes that they fit.",
                needs=("target",),
                takes=("sure", "random_state"),
            ),
            Attack(
                "pool-order",
                "pools:pool_order",
                "Somebody who knows a person's quasi-identifiers guesses the label by where the pools of the "
                "proportions name these values.",
                needs=("proportions", "target"),
                takes=("random_state",),
            ),
            Attack(
                "pool-names",
                "pools:pool_names",
                "Somebody with a register of people asks whose values the pools of the proportions name.",
                needs=("proportions",),
                takes=("random_state",),
            ),
            Attack(
                "inference",
                "inference:inference",
                "Somebody who knows all of a person but one column guesses that one by everything that is published, "
                "proportions too.",
                takes=("random_state",),
            ),
            Attack(
                "linkability",
                "linkability:linkability",
                "Somebody who knows some columns of a person says which of two records with the other ones is the "
                "person's.",
                takes=("random_state",),
            ),
            Attack(
                "singling-out",
                "singling_out:singling_out",
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
