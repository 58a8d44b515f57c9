"""How the table was made: method, parameters, versions, digests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hedgerow.anonymizers.registry import all_methods
from hedgerow.core.metrics import METRICS
from hedgerow.report.facts._sections import Digest, Provenance
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.figures import Figure
from hedgerow.report.facts.wording import number

__all__ = ["provenance"]

# What stands in every manifest; the rest is what the method says of its result.
_COMMON: Final = frozenset(
    {
        "audit",
        "columns",
        "formulas_escaped",
        "guaranteed",
        "hedgerow",
        "hierarchies",
        "method",
        "min_support",
        "missing",
        "output",
        "parameters",
        "proportions",
        "redrawn",
        "require",
        "requirements",
        "rows_are_people",
        "rows_in",
        "rows_lost",
        "seed_given",
        "target_bins",
        "types",
        "versions",
        "weights",
    }
)
_FILES: Final = {"output": "the table", "proportions": "the proportions", "redrawn": "the drawn rows"}
_NOT_SAVED: Final = "The digests of the files are in the manifest beside them; they were not given to this report."


def provenance(subject: Subject, written: Mapping[str, Any] | None = None) -> Provenance:
    """How the table was made.

    Parameters
    ----------
    subject : Subject
    written : mapping, optional
        The manifest as it stands beside the written table, with the digests of its files.
    """
    manifest = subject.manifest
    method = manifest.get("method")
    known = all_methods().get(str(method))
    digests = _digests(subject.digests if written is None else _in_manifest(written))
    return Provenance(
        method=method,
        paper=None if known is None else known.paper or None,
        requirements=tuple(manifest.get("requirements", _required(subject))),
        parameters={name: _text(value) for name, value in _parameters(manifest).items()},
        method_facts={name: _text(value) for name, value in manifest.items() if name not in _COMMON},
        hierarchies=dict(manifest.get("hierarchies", {})),
        losses=tuple(_loss(name, value) for name, value in subject.audit.losses.items()),
        versions=_versions(manifest),
        digests=digests,
        digests_note="" if digests else _NOT_SAVED,
        manifest=_fit(subject),
    )


def _required(subject: Subject) -> tuple[str, ...]:
    verdict = subject.audit.verdict
    return () if verdict is None else tuple(dict.fromkeys(one.requirement for one in verdict.findings))


def _parameters(manifest: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(manifest.get("parameters", {}))
    for name in ("target_bins", "min_support"):
        if manifest.get(name) is not None:
            found[name] = manifest[name]
    if manifest.get("weights"):
        found["weights"] = manifest["weights"]
    return found


def _text(value: Any) -> str:
    """A fact as text.

    >>> _text({"nodes": 18, "leaves": 13}), _text(None), _text(True), _text([1, 2]), _text(0.25)
    ('nodes 18, leaves 13', 'none', 'yes', '1, 2', '0.25')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _loss(name: str, value: float) -> Figure:
    metric = METRICS.get(name)
    if metric is None:
        return number(name, value, "A metric of another package.")
    better = "Lower is better." if metric.direction == "lower" else "Higher is better."
    meaning = f"{metric.meaning[0].upper()}{metric.meaning[1:]}. {better}"
    return number(name, value, meaning)


def _versions(manifest: Mapping[str, Any]) -> dict[str, str]:
    if "hedgerow" not in manifest:
        return {}
    return {"hedgerow": str(manifest["hedgerow"]), **{name: str(one) for name, one in manifest["versions"].items()}}


def _in_manifest(written: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(written[name]["sha256"])
        for name in _FILES
        if isinstance(written.get(name), Mapping) and "sha256" in written[name]
    }


def _digests(found: Mapping[str, str]) -> tuple[Digest, ...]:
    return tuple(Digest(what, found[name]) for name, what in _FILES.items() if name in found)


def _fit(subject: Subject) -> str | None:
    told = subject.audit.manifest
    if told is None:
        return None
    return (
        "The table is the one that the manifest beside it speaks of."
        if told == "fits"
        else "The table is NOT the one that the manifest beside it speaks of."
    )
