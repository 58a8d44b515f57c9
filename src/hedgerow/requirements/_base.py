"""What all requirements share: what they declare to searches, the shield, the checks of parameters."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hedgerow.errors import BadInput, check_int
from hedgerow.requirements.binding import BoundRequirement, Context

if TYPE_CHECKING:
    from hedgerow.requirements._notation import Typed

__all__ = ["Requirement"]


class Requirement(ABC):
    """What every equivalence class of a release has to satisfy.

    Attributes
    ----------
    name : str
        The requirement's name in audits and manifests.
    monotone : bool
        Whether a union of classes that satisfy it satisfies it too. Then generalizing further never breaks
        it (searches may prune), and groups over all quasi-identifiers that hold by themselves hold for every
        shield, because a shield's classes are unions of such groups.
    compares : bool
        Whether it compares classes with the release as a whole: then losing records moves what they are held to.
    letter, form : str
        What it begins with on the command line, and examples of how it is typed.
    words, options : tuple of str
        The word and the options with a value that it may have there, besides ``shield``.
    withheld : tuple of str
        Its parameters that name values of the table, which no manifest shows: few records may hold them.
    column : str or None
        The sensitive column it protects.
    shield : tuple of str or None
        The quasi-identifiers whose classes it speaks of; ``None`` means all of them.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    compares: ClassVar[bool] = False
    letter: ClassVar[str]
    form: ClassVar[str]
    words: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    withheld: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[dict[str, type[Requirement]]] = {}
    """All kinds of requirements by their letters."""

    column: str | None
    shield: Sequence[str] | None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "letter" in vars(cls):
            Requirement.kinds[cls.letter] = cls

    @property
    @abstractmethod
    def minimal_size(self) -> int:
        """The records of the smallest class that could satisfy the requirement."""

    def of_at_most(self, size: int) -> Requirement:  # noqa: ARG002 - most ask for more than a size
        """A weaker one that classes of so many records can satisfy; the same if it has no such form."""
        return self

    @property
    def kept_by_more(self) -> bool:
        """Whether no further record in a class ever breaks it."""
        return False

    @property
    def linear(self) -> bool:
        """Whether an integer program can state it: an inequality of numbers of records."""
        return False

    @property
    @abstractmethod
    def notation(self) -> str:
        """The requirement as typed on the command line; :func:`parse_requirement` reads it back."""

    @classmethod
    @abstractmethod
    def read(cls, typed: Typed) -> Self:
        """Make the requirement from what was typed."""

    @abstractmethod
    def reached(self, context: Context) -> str:
        """What all records as one class reach, in words; they are as many as it takes."""

    @property
    def needs_tree(self) -> bool:
        """Whether it lacks the hierarchy of its column."""
        return False

    def with_order(self, order: Sequence[str]) -> Requirement:  # noqa: ARG002 - most need no order
        """The same with the order of its column, if it lacks one."""
        return self

    def with_tree(self, tree: Mapping[str, object]) -> Requirement:  # noqa: ARG002 - most need no tree
        """The requirement, with the hierarchy of its column if it has use for it."""
        return self

    @abstractmethod
    def bind(self, context: Context) -> BoundRequirement:
        """Turn labels into codes and fix the overall distribution, for the checks on arrays."""

    def _check_shield(self) -> None:
        """Make the shield a tuple of column names without repetition, or say what is wrong with it."""
        if self.shield is None:
            return
        owner = type(self).__name__
        if isinstance(self.shield, str) or not isinstance(self.shield, Iterable):
            raise BadInput.parameter("shield", owner, "a list of column names", self.shield)
        names = tuple(self.shield)
        if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
            raise BadInput.parameter("shield", owner, "a list of different column names", list(names))
        object.__setattr__(self, "shield", names)

    def _check_column(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise BadInput.parameter("column", type(self).__name__, "a column name", self.column)

    def _check_whole(self, parameter: str, least: int) -> None:
        """Accept whole numbers of any integer type, and keep them as ``int``."""
        value = getattr(self, parameter)
        object.__setattr__(self, parameter, check_int(parameter, type(self).__name__, value, least))

    def _check_number(self, parameter: str, must: str, low: float, high: float, *, open_low: bool = False) -> None:
        """Accept finite numbers from ``low`` (left out if ``open_low``) to ``high``; ints stay ``int``."""
        value: Any = getattr(self, parameter)
        is_number = type(value) is not bool and isinstance(value, numbers.Real)
        number = float(value) if is_number else math.nan
        if not (low < number if open_low else low <= number) or not number <= high or math.isinf(number):
            raise BadInput.parameter(parameter, type(self).__name__, must, value)
        object.__setattr__(self, parameter, int(value) if isinstance(value, numbers.Integral) else float(value))

    def _within(self) -> str:
        """Name the shield at the end of a description."""
        return "" if self.shield is None else f" within {', '.join(self.shield)}"

    def _written(self, *parts: str) -> str:
        """Write the command-line form of a requirement with a sensitive column."""
        shield = () if self.shield is None else (f"shield={','.join(self.shield)}",)
        return f"{':'.join((*parts, *shield))}@{self.column}"
