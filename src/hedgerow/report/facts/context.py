"""Statements that only a person can make about a release: its purpose and recipients, who decided, and who answers."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeVar, get_args

from hedgerow.errors import BadInput
from hedgerow.report.facts.figures import Edition

__all__ = [
    "Context",
    "Coverage",
    "Governance",
    "Reason",
    "ReleaseModel",
    "read_context",
    "read_edition",
    "read_governance",
    "read_reasons",
]

ReleaseModel = Literal["public", "semi-public", "non-public"]
"""The recipients of the table: everybody; anyone who registers and agrees to terms; named people under a contract."""

Coverage = Literal["sample", "population"]
"""Whether the table holds some of the people it describes, or all of them."""

_LONGEST: Final = 2_000
_REASON: Final = f"a text, or a table of role, by and reason, of texts of up to {_LONGEST:,} characters"


@dataclass(frozen=True)
class Context:
    """For whom and what for a table is released: ``[context]`` of a job file.

    Attributes
    ----------
    recipient : str, optional
        Who gets it.
    release_model : {"public", "semi-public", "non-public"}, optional
    purpose : str, optional
        What it is for.
    controls : str, optional
        What binds the recipient: a contract, a closed room, no linking with other data.
    coverage : {"sample", "population"}, optional
        Whether the table holds some of the people it describes, or all of them.
    threshold : float, optional
        The highest chance to find a person again that is accepted for this recipient. By default 1 over the k that was
        asked for.
    notes : str, optional
        For the internal edition only.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.report.Context(recipient="the university", release_model="non-public").purpose is None
    True
    """

    recipient: str | None = None
    release_model: ReleaseModel | None = None
    purpose: str | None = None
    controls: str | None = None
    coverage: Coverage | None = None
    threshold: float | None = None
    notes: str | None = None

    def __post_init__(self) -> None:
        _check_threshold(self)
        _check_texts(self, "recipient", "purpose", "controls", "notes")
        _check_choice(self, "release_model", get_args(ReleaseModel))
        _check_choice(self, "coverage", get_args(Coverage))


@dataclass(frozen=True)
class Governance:
    """Who answers for a release, and until when: ``[governance]`` of a job file.

    Attributes
    ----------
    signatory : str, optional
        Who answers for it.
    role : str, optional
        The role of the signatory: data protection officer, head of the registry.
    date : datetime.date, optional
        When it was signed.
    expiry : datetime.date, optional
        Until when the judgement stands.
    evaluate_again : str or datetime.date, optional
        When to judge it anew: a day, or an event.
    notes : str, optional
        For the internal edition only.
    """

    signatory: str | None = None
    role: str | None = None
    date: datetime.date | None = None
    expiry: datetime.date | None = None
    evaluate_again: str | datetime.date | None = None
    notes: str | None = None

    def __post_init__(self) -> None:
        _check_texts(self, "signatory", "role", "notes")
        for name in ("date", "expiry"):
            if not _is_day(getattr(self, name)):
                raise _wrong(self, name, "a day, such as 2026-05-01")
        if not _is_day(self.evaluate_again):
            _check_texts(self, "evaluate_again")
        if self.date is not None and self.expiry is not None and self.expiry < self.date:
            raise BadInput("In governance, the expiry is before the date. Give the day on which it ends.")


@dataclass(frozen=True)
class Reason:
    """Why a column has its role: an entry of ``[reasons]`` in a job file.

    Attributes
    ----------
    reason : str
    by : str
        Who chose the role.
    role : str
        The role that was chosen, if it is recorded: a role of a job file, such as ``"quasi"``.
    """

    reason: str
    by: str = ""
    role: str = ""


def _is_day(value: object) -> bool:
    return value is None or (isinstance(value, datetime.date) and not isinstance(value, datetime.datetime))


def _check_texts(owner: Context | Governance, *names: str) -> None:
    for name in names:
        value = getattr(owner, name)
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            raise _wrong(owner, name, f"a text of 1 to {_LONGEST:,} characters")


def _check_threshold(owner: Context) -> None:
    value = owner.threshold
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (real and 0 < value <= 1):
        raise _wrong(owner, "threshold", "a number above 0 and up to 1, such as 0.09")


def _check_choice(owner: Context | Governance, name: str, choices: tuple[str, ...]) -> None:
    value = getattr(owner, name)
    if value is not None and value not in choices:
        raise _wrong(owner, name, " or ".join(map(repr, choices)))


def _wrong(owner: Context | Governance, name: str, must: str) -> BadInput:
    value: Any = getattr(owner, name)
    return BadInput.parameter(name, type(owner).__name__, must, value)


Form = TypeVar("Form", Context, Governance)


def read_edition(given: object) -> Edition:
    """Check the name of an edition."""
    for known in get_args(Edition):
        if given == known:
            edition: Edition = known
            return edition
    raise BadInput.parameter("edition", "a report", " or ".join(map(repr, get_args(Edition))), given)


def read_context(given: object) -> Context | None:
    """Read the context: for whom, and for what purpose, a table is released.

    >>> read_context({"release-model": "public"}).release_model
    'public'
    """
    return _read(Context, given, "context")


def read_governance(given: object) -> Governance | None:
    """Read who answers for a release."""
    return _read(Governance, given, "governance")


def _read(kind: type[Form], given: object, parameter: str) -> Form | None:
    if given is None or isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise BadInput.parameter(parameter, "a report", f"a table of fields or a {kind.__name__}", type(given).__name__)
    known = [field.name for field in fields(kind)]
    named: dict[str, Any] = {}
    for written, value in given.items():
        name = str(written).replace("-", "_")
        if name not in known:
            raise BadInput.unknown(
                f"field of {parameter}",
                str(written),
                [field.replace("_", "-") for field in known],
                "It is part of the report.",
            )
        named[name] = value
    return kind(**named) if named else None


def read_reasons(given: object) -> Mapping[str, Reason] | None:
    """Read the reasons for the roles of columns.

    >>> read_reasons({"age": "Others know it.", "zip": {"role": "quasi", "by": "A. Steward", "reason": "A directory."}})
    {'age': Reason(reason='Others know it.', by='', role=''), 'zip': Reason(reason='A directory.', by='A. Steward', \
role='quasi')}
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput.parameter("reasons", "a report", "a table of columns and reasons", type(given).__name__)
    return {str(name): _read_reason(str(name), entry) for name, entry in given.items()} or None


def _read_reason(name: str, entry: object) -> Reason:
    if isinstance(entry, Reason):
        return entry
    fields = {"reason": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, Mapping):
        raise BadInput.parameter(f"reasons.{name}", "a report", _REASON, type(entry).__name__)
    known = ("role", "by", "reason")
    for field, text in fields.items():
        if field not in known:
            raise BadInput.unknown(f"field of the reason for {name!r}", str(field), known, "It is part of the report.")
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise BadInput.parameter(f"reasons.{name}", "a report", _REASON, type(text).__name__)
    return Reason(**{"reason": "", **fields})
