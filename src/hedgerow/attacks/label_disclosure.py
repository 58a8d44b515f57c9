"""Label disclosure: what a release reveals about the labels of its own people, beyond those of anybody else.

A release whose label can be learnt reveals something about everybody's label, which is its purpose. A disclosure is
what it reveals about its own people beyond that. So the attack is made on people who are in the table (members) and on
others of the same population, and only the difference counts. By chance one side may be easier to guess than the other.
A learner that never sees the release, and learns about each person only from other people, measures this; the
difference is subtracted.

There are two attackers. The first uses the published labels of each class and the classes that a person fits
(:mod:`hedgerow.risk` has the formula). The second also trains a learner on redrawn rows, and weights both sources by
people with known labels (:mod:`hedgerow.attacks._stacking`). The accuracy of a learner on its training table and on
others does not show what the first attacker can do: a learner loses the information about a single class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow._internal.notebook import NotebookRepr
from hedgerow.attacks._people import check_sure, generator_of, read_labelled, released
from hedgerow.errors import BadInput, check_int
from hedgerow.release import Release
from hedgerow.risk import Risk

__all__ = ["Guessed", "LabelDisclosure", "Success", "label_disclosure"]

_OWNER: Final = "label_disclosure"


@dataclass(frozen=True)
class Success:
    """The success in guessing the labels of some people.

    Attributes
    ----------
    accuracy : Risk
        The share of people whose most probable label is right.
    precision : float
        The share of right labels among those that the attacker is sure of; nan if there are none.
    recall : float
        The share of all people whose label is right and that the attacker is sure of.
    matched : float
        The share of people who fit some published class.
    """

    accuracy: Risk
    precision: float
    recall: float
    matched: float


@dataclass(frozen=True)
class Guessed:
    """An attacker's success for members, and for others by the same attack.

    Attributes
    ----------
    members, control : Success
    excess : Risk
        The accuracy for members minus that for the control, corrected for chance differences in how easy they are to
        guess, with its 95 % interval.
    """

    members: Success
    control: Success
    excess: Risk


@dataclass(frozen=True, repr=False)
class LabelDisclosure(NotebookRepr):
    """What a release reveals about the labels of the people in it.

    Attributes
    ----------
    alone : Guessed
        By the posterior from the published classes.
    stacked : Guessed
        By the posterior and a learner together.
    members, non_members : int
        The number of people.
    sure : float
        The least probability at which precision and recall count a label.
    """

    alone: Guessed
    stacked: Guessed
    members: int
    non_members: int
    sure: float = 0.9

    @property
    def excess(self) -> Risk:
        """The larger excess of the two attackers."""
        return max(self.alone.excess, self.stacked.excess, key=lambda risk: risk.value)

    def __repr__(self) -> str:
        lines = [f"LabelDisclosure({self.members:,} members, {self.non_members:,} non-members)"]
        for name, guessed in (("alone", self.alone), ("stacked", self.stacked)):
            main, control, points = guessed.members, guessed.control, guessed.excess
            lines += [
                f"{name}: excess {100 * points.value:.1f} points ({100 * points.low:.1f} to {100 * points.high:.1f}), "
                f"accuracy {main.accuracy.value:.1%} - {control.accuracy.value:.1%}",
                f"  at least {self.sure:.0%} sure: precision {_share(main.precision)} - {_share(control.precision)}, "
                f"recall {main.recall:.1%} - {control.recall:.1%}",
            ]
        return "\n  ".join(lines)


def label_disclosure(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    learner: Any = None,
    *,
    repeats: int = 3,
    sure: float = 0.9,
    strangers: Literal["nearest", "prior"] = "nearest",
    random_state: int | np.random.Generator | None = 0,
) -> LabelDisclosure:
    """Attack the labels of a release, compared with a control.

    Parameters
    ----------
    release : Release or path
        A release with a target, or the path of a saved release. Its proportions are used if it publishes them.
    members : dataframe or path
        People who are in the table, with their original quasi-identifiers and the target: all of them, or a random
        part.
    non_members : dataframe or path
        People of the same population who are not in the table.
    learner : classifier, optional
        A scikit-learn classifier, by default HistGradientBoostingClassifier. It is cloned, and gets standardized
        numbers and a feature for each category.
    repeats : int
        How many times the release is redrawn for the learner.
    sure : float
        The least probability at which precision and recall count a label.
    strangers : {"nearest", "prior"}
        The labels guessed for people who fit no class, who are rarely members: those of the classes that fit in the
        most columns, or those of the whole release. With small classes, which few others fit, the prior makes the
        control weak and the excess large.
    random_state : int, numpy Generator or None
        The same number gives the same result.

    Returns
    -------
    LabelDisclosure
        For both attackers accuracy, precision and recall of members and control, and the excess with its interval.

    Notes
    -----
    ``excess = accuracy(members) - accuracy(non_members)``, minus the same difference for a learner that is trained on
    the people themselves, in other folds (:meth:`hedgerow.risk.Risk.beyond`).
    The published classes that a person fits are weighted by their sizes and by the likelihood of the person's values.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(600, random_state=0).select(["age", "sex", "education", "income"])
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], target="income")
    >>> release = hr.anonymize(people[:300], schema, k=20, publish_proportions=True)
    >>> found = hr.attacks.label_disclosure(release, people[:300], people[300:])
    >>> found.alone.excess.low < 0 < found.alone.excess.high
    True
    """
    repeats = check_int("repeats", _OWNER, repeats, 1)
    check_sure(sure, _OWNER)
    if strangers not in ("nearest", "prior"):
        raise BadInput.parameter("strangers", _OWNER, "'nearest' or 'prior'", strangers)
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    attacked = read_labelled(release, members, non_members)

    # Imported late: a wrong parameter should not wait for scikit-learn.
    from hedgerow.attacks._stacking import easy_to_guess, folds_of, learnt, weighed
    from hedgerow.risk import Posterior

    distinct, index = attacked.distinct
    of_tuple = attacked.posterior.of(distinct, nearest=strangers == "nearest")
    posterior = Posterior(of_tuple.probabilities[index], of_tuple.matching[index])
    expected = learnt(attacked, learner, repeats, generator)
    folds = folds_of(index, generator)
    easy = easy_to_guess(attacked, learner, folds, generator)
    sides = (slice(None, attacked.members), slice(attacked.members, None))
    alone, stacked = [], []
    for side in sides:
        own, labels = Posterior(posterior.probabilities[side], posterior.matching[side]), attacked.labels[side]
        fits = float((own.matching > 0).mean())
        alone.append(_Side(own.probabilities, labels, easy[side], fits))
        stacked.append(_Side(weighed(own, expected[side], labels, folds[side]), labels, easy[side], fits))
    return LabelDisclosure(
        _guessed(sure, *alone),
        _guessed(sure, *stacked),
        attacked.members,
        len(attacked.labels) - attacked.members,
        sure,
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """Some people with their labels, the attacker's probabilities, and how easy each label is to guess."""

    probabilities: Floats
    labels: Longs
    easy: Floats
    matched: float

    @cached_property
    def right(self) -> Bools:
        return np.asarray(self.probabilities.argmax(axis=1) == self.labels)

    def success(self, sure: float) -> Success:
        # The margin allows for rounding in sums of shares.
        certain = self.probabilities.max(axis=1) >= sure - 1e-9
        disclosed = int((self.right & certain).sum())
        return Success(
            Risk.share(int(self.right.sum()), len(self.labels)),
            disclosed / int(certain.sum()) if certain.any() else float("nan"),
            disclosed / len(self.labels),
            self.matched,
        )


def _guessed(sure: float, members: _Side, control: _Side) -> Guessed:
    excess = Risk.beyond(members.right, control.right, (members.easy, control.easy))
    return Guessed(members.success(sure), control.success(sure), excess)


def _share(share: float) -> str:
    return "-" if np.isnan(share) else f"{share:.1%}"
