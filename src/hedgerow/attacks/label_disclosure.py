"""Label disclosure: what a release tells of the labels of the people in it, beyond what it tells of anybody.

A release whose label can be learnt tells something of everybody's label: that is what it is published for. It
discloses only what it tells of its own people beyond that. So the attack is made on people who are in the table
(members) and on others of the same population who are not, and what counts is the difference. By chance the ones may
be easier to guess than the others. A learner that never sees the release, and knows of each person only what others
teach, says how easy they are; that difference is taken off.

Two attackers: one knows what the release tells of a class and which classes a person fits
(:mod:`hedgerow.risk.label_posterior` has the formula); the other also trains a learner on redrawn rows, and weighs both
by people whose labels he knows (:mod:`hedgerow.attacks._stacking`). The accuracy of a learner on its training table and
on others does not show what the first one can do: what a class tells is lost in a learner.
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
    """How well labels of some people were guessed.

    Attributes
    ----------
    accuracy : Risk
        The share of people whose most probable label is theirs.
    precision : float
        Of the people of whose label the attacker is at least 90 % sure, the share whose label it is; nan if there are
        none.
    recall : float
        Of all people, the share whose label he tells rightly and with that certainty.
    matched : float
        The share of people who fit some published class.
    """

    accuracy: Risk
    precision: float
    recall: float
    matched: float


@dataclass(frozen=True)
class Guessed:
    """What an attacker finds out of members, and of others by the same attack.

    Attributes
    ----------
    members, control : Success
    excess : Risk
        The accuracy for members less that of the control, beyond what members are easier to guess by chance, with its
        95 % interval.
    """

    members: Success
    control: Success
    excess: Risk


@dataclass(frozen=True, repr=False)
class LabelDisclosure(NotebookRepr):
    """What a release tells of the labels of the people in it.

    Attributes
    ----------
    alone : Guessed
        By the posterior of what is published.
    stacked : Guessed
        By the posterior and a learner together.
    members, non_members : int
        How many people were asked about.
    sure : float
        From which probability on precision and recall count a label as told.
    """

    alone: Guessed
    stacked: Guessed
    members: int
    non_members: int
    sure: float = 0.9

    @property
    def excess(self) -> Risk:
        """That of the attacker who has the larger one."""
        return max(self.alone.excess, self.stacked.excess, key=lambda risk: risk.value)

    def __repr__(self) -> str:
        lines = [f"LabelDisclosure({self.members:,} members, {self.non_members:,} non-members)"]
        for name, one in (("alone", self.alone), ("stacked", self.stacked)):
            main, control, points = one.members, one.control, one.excess
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
    """Attack the labels of a release, beside a control.

    Parameters
    ----------
    release : Release or path
        With a target; a path is that of a saved one. Proportions are used if it publishes some.
    members : dataframe or path
        People who are in the table, with their original quasi-identifiers and the target: all of them, or a random
        part.
    non_members : dataframe or path
        People of the same population who are not.
    learner : classifier, optional
        Any one of scikit-learn; HistGradientBoostingClassifier if not given. It is cloned, and gets standardized
        numbers and a feature for each category.
    repeats : int
        How many times the release is redrawn for the learner.
    sure : float
        From which probability on precision and recall count a label as told.
    strangers : {"nearest", "prior"}
        What is guessed of people who fit no class, who are hardly ever members: the labels of the classes that fit in
        the most columns, or of the whole release. The prior makes the control weak, and the excess large, where
        classes are small: few others fit them.
    random_state : int, numpy Generator or None
        The same number gives the same result.

    Returns
    -------
    LabelDisclosure
        For both attackers accuracy, precision and recall of members and control, and the excess with its interval.

    Notes
    -----
    ``excess = accuracy(members) - accuracy(non_members)``, less the same difference of a learner of the people
    themselves, who are asked about in folds that it has not seen (:meth:`hedgerow.risk.Risk.beyond`).
    The published classes that a person fits count by their sizes and by the likelihood of the person's values in them.

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

    # Learners bring scikit-learn, which no wrong parameter should wait for.
    from hedgerow.attacks._stacking import easy_to_guess, folds_of, learnt, weighed
    from hedgerow.risk import Posterior

    distinct, index = attacked.distinct
    told = attacked.posterior.of(distinct, nearest=strangers == "nearest")
    told = Posterior(told.probabilities[index], told.matching[index])
    expected = learnt(attacked, learner, repeats, generator)
    folds = folds_of(index, generator)
    easy = easy_to_guess(attacked, learner, folds, generator)
    sides = (slice(None, attacked.members), slice(attacked.members, None))
    alone, stacked = [], []
    for side in sides:
        own, labels = Posterior(told.probabilities[side], told.matching[side]), attacked.labels[side]
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
    """Some people, what an attacker says of them, and how easy each is to guess."""

    probabilities: Floats
    labels: Longs
    easy: Floats
    matched: float

    @cached_property
    def right(self) -> Bools:
        return np.asarray(self.probabilities.argmax(axis=1) == self.labels)

    def success(self, sure: float) -> Success:
        # Sums of shares are rounded.
        certain = self.probabilities.max(axis=1) >= sure - 1e-9
        told = int((self.right & certain).sum())
        return Success(
            Risk.share(int(self.right.sum()), len(self.labels)),
            told / int(certain.sum()) if certain.any() else float("nan"),
            told / len(self.labels),
            self.matched,
        )


def _guessed(sure: float, members: _Side, control: _Side) -> Guessed:
    excess = Risk.beyond(members.right, control.right, (members.easy, control.easy))
    return Guessed(members.success(sure), control.success(sure), excess)


def _share(share: float) -> str:
    return "-" if np.isnan(share) else f"{share:.1%}"
