"""An earlier release of the same people: what both reveal together, and what has changed since."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, plural, translated
from hedgerow.release import Release
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.sections import ChangedFact, Changes
from hedgerow.risk import Audit, Together, audit
from hedgerow.risk.audit import LearntTogether
from hedgerow.risk.manifest import read_manifest
from hedgerow.risk.overlap import Extent

__all__ = ["Earlier", "changes", "read_earlier"]


@dataclass(frozen=True)
class Earlier:
    """An earlier release.

    Attributes
    ----------
    together : Together
        What it reveals together with the later one.
    manifest : mapping
        What is published beside it; empty if that is not known.
    """

    together: Together
    manifest: Mapping[str, Any] = dataclasses.field(default_factory=dict)


_MUST: Final = "a release, the path of one, or what hr.audit or hedgerow audit --json found about both releases"


def read_earlier(release: Release, given: object) -> Earlier:
    """Audit a release together with an earlier one, or read what such an audit found."""
    if isinstance(given, Earlier):
        return given
    if isinstance(given, Audit):
        return _of_audit(release, given)
    if isinstance(given, Mapping):
        return _of_json(release, given)
    if not isinstance(given, Release | str | Path):
        raise BadInput.parameter("previous", "report", _MUST, type(given).__name__)
    found = audit(release, previous=given, hierarchies=release.label_hierarchies)
    manifest = given.manifest if isinstance(given, Release) else read_manifest(Path(given).absolute())
    return Earlier(_together(found), manifest or {})


def _together(found: Audit) -> Together:
    if found.together is None:
        raise BadInput("The audit is of one release. Give one of both: hr.audit(release, previous=…).")
    return found.together


def _of_audit(release: Release, found: Audit) -> Earlier:
    _check_subject(release, found.rows, found.columns)
    return Earlier(_together(found))


def _of_json(release: Release, content: Mapping[str, Any]) -> Earlier:
    """Read what ``hedgerow audit --previous … --json`` printed."""
    unreadable = BadInput.parameter("previous", "report", _MUST, "another JSON file")
    with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
        both = content["together"]
        rows, columns = int(content["rows"]), tuple(map(str, content["columns"]))
        if both is not None:
            known = {field.name for field in dataclasses.fields(Together)}
            fields = {name: _plain(value) for name, value in both.items() if name in known}
            fields |= {name: Extent(int(both[name]["least"]), int(both[name]["most"])) for name in _EXTENTS}
            fields["learnt"] = {str(name): LearntTogether(**learnt) for name, learnt in both["learnt"].items()}
            together = Together(**fields)
            # What it says must be in words that we know.
            str(together.says)
    if both is None:
        raise BadInput("The audit is of one release. Audit both: hedgerow audit TABLE --previous FILE --json.")
    _check_subject(release, rows, columns)
    return Earlier(together)


_EXTENTS: Final = ("k", "below", "alone")


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_subject(release: Release, rows: int, columns: tuple[str, ...]) -> None:
    if (rows, columns) != (release.audit.rows, release.audit.columns):
        raise BadInput("The audit of both releases is about another table than this release. Audit them again.")


# --------------------------------------------------------------------------------------------------
# What has changed, by the manifests, which every recipient has.


def changes(subject: Subject, earlier: Earlier | None) -> Changes | None:
    """What has changed since the earlier release."""
    if earlier is None:
        return None
    both = earlier.together
    facts = [
        _fact("rows", both.rows, subject.audit.rows),
        _fact("classes", both.classes, subject.audit.classes.number),
        _fact("k", both.k_before, subject.audit.k),
        *(_of_manifests(earlier.manifest, subject.manifest) if earlier.manifest else ()),
    ]
    changed = [fact.what for fact in facts if fact.changed]
    unknown = (
        "" if earlier.manifest else " The manifest of the earlier release was not at hand, so more may have changed."
    )
    words = f"What differs: {', '.join(changed)}." if changed else "None of these facts has changed."
    return Changes(f"{words}{unknown}", tuple(facts))


def _fact(what: str, before: int, now: int) -> ChangedFact:
    return ChangedFact(what, f"{before:,}", f"{now:,}", before != now)


def _of_manifests(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[ChangedFact]:
    unreadable = BadInput("The manifest of the earlier release cannot be read. Give the release as it was saved.")
    with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
        facts = [
            _fact("original rows", int(before["rows_in"]), int(now["rows_in"])),
            _fact("rows left out", int(before["rows_lost"]), int(now["rows_lost"])),
            _texts("method", str(before["method"]), str(now["method"])),
            _texts("requirements", *("; ".join(each["requirements"]) for each in (before, now))),
        ]
        for role, words in _COMPARED.items():
            facts.append(_texts(words, *(_names(each["columns"].get(role)) for each in (before, now))))
        facts.append(_hierarchies(before["hierarchies"], now["hierarchies"]))
    return [fact for fact in facts if fact.changed or fact.before != "none"]


_COMPARED: Final = {
    "quasi": "quasi-identifiers",
    "sensitive": "sensitive columns",
    "target": "target",
    "insensitive": "published unchanged",
    "pseudonymized": "pseudonymized",
    "dropped": "left out",
}


def _names(columns: Any) -> str:
    return ", ".join((columns,) if isinstance(columns, str) else columns or ()) or "none"


def _texts(what: str, before: str, now: str) -> ChangedFact:
    return ChangedFact(what, before, now, before != now)


def _hierarchies(before: Mapping[str, str], now: Mapping[str, str]) -> ChangedFact:
    other = [name for name in now if name in before and before[name] != now[name]]
    same = plural(len([name for name in now if name in before and name not in other]), "columns")
    if not other:
        return ChangedFact("hierarchies", f"of {same}", "the same", changed=False)
    then, since = ("; ".join(f"{name}: {each[name]}" for name in other) for each in (before, now))
    return ChangedFact("hierarchies", then, since, changed=True)
