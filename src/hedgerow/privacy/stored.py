"""Requirements in a manifest: their parameters, but for those that name values, which few records may hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.privacy.base import Requirement

__all__ = ["restored", "stored", "withheld"]

_KIND: Final = "requirement"
_WITHHELD: Final = "withheld"


def stored(requirement: Requirement) -> dict[str, Any]:
    """What a manifest tells of a requirement.

    Examples
    --------
    >>> from hedgerow.privacy import AlphaK, KAnonymity
    >>> stored(KAnonymity(4, shield=["sex"]))
    {'requirement': 'k', 'k': 4, 'shield': ['sex']}
    >>> stored(AlphaK(0.5, 3, "disease", value="HIV"))
    {'requirement': 'alpha', 'alpha': 0.5, 'k': 3, 'column': 'disease', 'withheld': ['value']}
    """
    told: dict[str, Any] = {_KIND: requirement.letter}
    kept = []
    for one in _parameters(requirement):
        value = getattr(requirement, one)
        if value is None:
            continue
        if one in requirement.withheld:
            kept.append(one)
        else:
            told[one] = list(value) if isinstance(value, tuple) else value
    return {**told, _WITHHELD: kept} if kept else told


def withheld(told: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters of a requirement that its manifest keeps to itself."""
    return tuple(told.get(_WITHHELD, ()))


def restored(told: Mapping[str, Any]) -> Requirement:
    """Read what :func:`stored` wrote; what was withheld is not there.

    >>> restored({"requirement": "k", "k": 4, "shield": ["sex"]})
    KAnonymity(k=4, shield=('sex',))
    """
    kind = Requirement.kinds.get(told[_KIND])
    if kind is None:
        raise BadInput.unknown("requirement", str(told[_KIND]), Requirement.kinds, "A manifest names it.")
    return kind(**{name: value for name, value in told.items() if name not in (_KIND, _WITHHELD)})


def _parameters(requirement: Any) -> list[str]:
    return [one.name for one in dataclasses.fields(requirement)] if dataclasses.is_dataclass(requirement) else []
