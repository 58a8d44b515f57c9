"""Requirements as typed on the command line: ``k=4@education,sex``, ``l=3:entropy@disease``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from hedgerow.errors import BadInput
from hedgerow.privacy.alpha_k import AlphaK
from hedgerow.privacy.base import Requirement
from hedgerow.privacy.k_anonymity import KAnonymity
from hedgerow.privacy.l_diversity import DiversityKind, LDiversity
from hedgerow.privacy.p_sensitive import PSensitive
from hedgerow.privacy.t_closeness import DistanceName, TCloseness

__all__ = ["FORMS", "parse_requirement"]

FORMS: Final = {
    "k": "k=4 or k=4@education,sex",
    "l": "l=3@disease, l=3:entropy@disease or l=3:recursive:c=2@disease",
    "t": "t=0.2@disease, t=0.2:ordered@wage or t=0.2:hierarchical@disease",
    "p": "p=2:k=5@disease",
    "alpha": "alpha=0.5:k=3@disease",
}
_OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "k": (),
    "l": ("c", "shield"),
    "t": ("order", "shield"),
    "p": ("k", "shield"),
    "alpha": ("k", "value", "shield"),
}
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "l": ("distinct", "entropy", "recursive"),
    "t": ("equal", "ordered", "hierarchical"),
}


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
    if letter not in FORMS:
        raise BadInput(f"The requirement {text!r} is not understood. Write one like {' · '.join(FORMS.values())}.")
    wrong = BadInput(f"The requirement {text!r} is not understood. Write it like {FORMS[letter]}.")
    word, options = _read_options(letter, rest, wrong)
    column = columns.strip()
    if bool(at) != bool(column) or (letter != "k" and not column):
        raise wrong
    shield = _split(column if letter == "k" else options.get("shield", ""), wrong)
    value = _number(number, wrong)
    if letter == "k":
        return KAnonymity(cast("int", value), shield=shield)
    if letter == "l":
        c = _number(options["c"], wrong) if "c" in options else None
        return LDiversity(value, column, kind=cast("DiversityKind", word or "distinct"), c=c, shield=shield)
    if letter == "t":
        distance = cast("DistanceName", word or "equal")
        return TCloseness(value, column, distance, order=_split(options.get("order", ""), wrong), shield=shield)
    if "k" not in options:
        raise wrong
    k = cast("int", _number(options["k"], wrong))
    if letter == "p":
        return PSensitive(cast("int", value), k, column, shield=shield)
    return AlphaK(value, k, column, value=options.get("value"), shield=shield)


def _read_options(letter: str, parts: list[str], wrong: BadInput) -> tuple[str, dict[str, str]]:
    """Read what stands between the number and the column: at most one word, and options with a value."""
    word = ""
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if equals and key in _OPTIONS[letter] and key not in options and value:
            options[key] = value
        elif not equals and key in _WORDS.get(letter, ()) and not word:
            word = key
        else:
            raise wrong
    return word, options


def _split(names: str, wrong: BadInput) -> tuple[str, ...] | None:
    if not names:
        return None
    parts = tuple(part.strip() for part in names.split(","))
    if not all(parts):
        raise wrong
    return parts


def _number(text: str, wrong: BadInput) -> float:
    """Read a number; a whole one stays ``int``, and ranges are the requirement's own business."""
    readers: tuple[Callable[[Any], float], ...] = (int, float)
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    raise wrong
