"""What a method's parameters may be, told without importing the method: for messages, the manual and the command."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Choice", "Flag", "Named", "Number", "Parameter"]


class Parameter(Protocol):
    """A parameter of a method."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def meaning(self) -> str:
        """What it does, in half a sentence."""
        ...

    @property
    def default(self) -> object:
        """Its value if it is not given."""
        ...

    @property
    def must(self) -> str:
        """What a value must be, for messages."""
        ...

    @property
    def values(self) -> str:
        """What may be typed, for the manual."""
        ...

    @property
    def trials(self) -> tuple[object, ...]:
        """The values that the contract is checked with, besides the default."""
        ...

    def accepts(self, value: object) -> bool:
        """Whether the value may be given."""
        ...

    def read(self, text: str) -> object:
        """Read the value as typed on the command line."""
        ...


def _either(words: tuple[str, ...]) -> str:
    quoted = [repr(word) for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}" if len(quoted) > 1 else quoted[0]


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of several words; the first if not given.

    ``tried`` are those that the contract is checked with, where all would be many.
    """

    name: str
    options: tuple[str, ...]
    meaning: str
    tried: tuple[str, ...] | None = None

    @property
    def default(self) -> str:
        """The first option."""
        return self.options[0]

    @property
    def must(self) -> str:
        """What a value must be, for messages."""
        return _either(self.options)

    @property
    def values(self) -> str:
        """What may be typed, for the manual."""
        return " | ".join(self.options)

    @property
    def trials(self) -> tuple[object, ...]:
        """All options but the default, or those that are to be tried."""
        return self.options[1:] if self.tried is None else self.tried

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the options."""
        return isinstance(value, str) and value in self.options

    def read(self, text: str) -> object:
        """Read the value as typed on the command line."""
        return text


@dataclass(frozen=True)
class Named(Choice):
    """A parameter that is one of several words or, in Python, an object; ``extras`` are words that need an extra."""

    extras: tuple[str, ...] = ()
    objects: str = ""

    @property
    def must(self) -> str:
        """What a value must be, for messages."""
        words = (*self.options, *self.extras)
        return f"{', '.join(repr(word) for word in words)} or {self.objects}"

    @property
    def values(self) -> str:
        """What may be typed, for the manual."""
        return " | ".join((*self.options, *self.extras))

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the words, or something that can be called or fitted."""
        if isinstance(value, str):
            return value in (*self.options, *self.extras)
        return not isinstance(value, type) and (callable(value) or hasattr(value, "fit"))


@dataclass(frozen=True)
class Flag:
    """A parameter that is on or off.

    ``weak`` marks one that gives up the guarantee; the command asks for a second yes.
    """

    name: str
    meaning: str
    weak: bool = False
    must: str = "True or False"
    values: str = "yes | no"
    default: bool = False

    @property
    def trials(self) -> tuple[object, ...]:
        """The other one, unless the contract cannot hold then."""
        return () if self.weak else (not self.default,)

    def accepts(self, value: object) -> bool:
        """Whether the value is a bool."""
        return isinstance(value, bool)

    def read(self, text: str) -> object:
        """Read the value as typed on the command line."""
        return {"true": True, "false": False, "yes": True, "no": False}.get(text.lower(), text)


@dataclass(frozen=True)
class Number:
    """A parameter that is a number from ``least`` on, or one of a few words; ``None`` only if that is the default."""

    name: str
    meaning: str
    default: float | str | None
    least: float
    most: float = math.inf
    whole: bool = False
    words: tuple[str, ...] = ()
    trials: tuple[object, ...] = ()

    @property
    def must(self) -> str:
        """What a value must be, for messages."""
        kind = "an int" if self.whole else "a number"
        if math.isinf(self.most):
            limits = f"{kind} >= {self.least:g}"
        else:
            limits = f"{kind} from {self.least:g} to {self.most:g}"
        others = [*(repr(word) for word in self.words), *(["None"] if self.default is None else [])]
        return " or ".join([*others, limits])

    @property
    def values(self) -> str:
        """What may be typed, for the manual."""
        return " | ".join([*self.words, "N" if self.whole else "NUMBER"])

    def accepts(self, value: object) -> bool:
        """Whether the value is such a number or word."""
        if value is None:
            return self.default is None
        if isinstance(value, str):
            return value in self.words
        kind = numbers.Integral if self.whole else numbers.Real
        return not isinstance(value, bool) and isinstance(value, kind) and self.least <= float(value) <= self.most

    def read(self, text: str) -> object:
        """Read the value as typed on the command line; what is no number stays text."""
        try:
            return int(text) if self.whole else float(text)
        except ValueError:
            return text
