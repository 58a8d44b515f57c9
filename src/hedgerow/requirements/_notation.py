"""Requirements as typed on the command line: ``k=4@education,sex``, ``l=3:entropy@disease``.

How each kind is spelled is declared by its class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import BadInput
from hedgerow.requirements.binding import Requirement

__all__ = ["Typed", "parse_requirement"]


@dataclass(frozen=True)
class Typed:
    """A requirement taken apart: ``<letter>=<number>``, then a word and options after colons, then ``@`` and columns.

    Attributes
    ----------
    number : float
        An ``int`` if it is whole.
    word : str
        Empty if there is none.
    options : mapping of str to str
    after : str
        The text after the ``@``, which may be empty.
    wrong : BadInput
        The error to raise if the parts do not fit.
    """

    number: float
    word: str
    options: Mapping[str, str]
    after: str
    wrong: BadInput

    @property
    def column(self) -> str:
        """The column that is protected."""
        if not self.after:
            raise self.wrong
        return self.after

    @property
    def shield(self) -> tuple[str, ...] | None:
        """The columns of the shield, where these are an option."""
        return self.names(self.options.get("shield", ""))

    def whole(self, option: str) -> Any:
        """A mandatory option that is a number; the requirement itself checks the range."""
        if option not in self.options:
            raise self.wrong
        return _number(self.options[option], self.wrong)

    def names(self, text: str) -> tuple[str, ...] | None:
        """Names between commas, nothing if there is no text."""
        if not text:
            return None
        parts = tuple(part.strip() for part in text.split(","))
        if not all(parts):
            raise self.wrong
        return parts


def parse_requirement(text: str) -> Requirement:
    """Read a requirement from its command-line form.

    ``<letter>=<number>``, then options after colons, then ``@`` and the column that is protected (for ``k``
    the columns of the shield). Every form but ``k`` takes ``shield=a,b`` as an option.

    >>> parse_requirement("k=4@education,sex")
    KAnonymity(k=4, shield=('education', 'sex'))
    >>> parse_requirement("l=3:recursive:c=2@disease")
    LDiversity(l=3, column='disease', kind='recursive', c=2, shield=None)
    """
    if not isinstance(text, str):
        raise BadInput.parameter("require", "anonymize", "requirements or texts like 'k=4'", type(text).__name__)
    head, at, columns = text.partition("@")
    first, *rest = [part.strip() for part in head.split(":")]
    letter, _, number = (part.strip() for part in first.partition("="))
    kind = Requirement.kinds.get(letter)
    if kind is None:
        known = sorted(Requirement.kinds.values(), key=lambda kind: (len(kind.letter), kind.letter))
        forms = " · ".join(kind.form for kind in known)
        raise BadInput(f"The requirement {text!r} is not understood. Write one like {forms}.")
    wrong = BadInput(f"The requirement {text!r} is not understood. Write it like {kind.form}.")
    word, options = _read_options(kind, rest, wrong)
    after = columns.strip()
    if bool(at) != bool(after):
        raise wrong
    return kind.read(Typed(_number(number, wrong), word, options, after, wrong))


def _read_options(kind: type[Requirement], parts: list[str], wrong: BadInput) -> tuple[str, dict[str, str]]:
    """Read the part between the number and the column: at most one word, and options with a value."""
    word = ""
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if equals and key in kind.options and key not in options and value:
            options[key] = value
        elif not equals and key in kind.words and not word:
            word = key
        else:
            raise wrong
    return word, options


def _number(text: str, wrong: BadInput) -> float:
    """Read a number; a whole number is an ``int``. The requirement itself checks the range."""
    readers: tuple[Callable[[Any], float], ...] = (int, float)
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    raise wrong
