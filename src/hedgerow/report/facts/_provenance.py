"""How the table was made: method, parameters, versions, digests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hedgerow.anonymizers.registry import all_methods
from hedgerow.core.metrics import METRICS
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import Figure, number
from hedgerow.report.facts.sections import Digest, Provenance

__all__ = ["provenance", "with_digests"]

# The keys of every manifest; all other keys are facts of the method about its result.
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
        "previous",
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


def provenance(subject: Subject) -> Provenance:
    """How the table was made."""
    manifest = subject.manifest
    method = manifest.get("method")
    known = all_methods().get(str(method))
    digests = _digests(subject.digests)
    return Provenance(
        method=method,
        paper=None if known is None else known.paper or None,
        requirements=tuple(manifest.get("requirements", _required(subject))),
        parameters={name: _text(value) for name, value in _parameters(manifest).items()},
        method_facts={name: _text(value) for name, value in manifest.items() if name not in _COMMON},
        hierarchies=dict(manifest.get("hierarchies", {})),
        losses=tuple(_loss(name, value) for name, value in subject.audit.losses.items()),
        versions=_versions(manifest),
        digests=(*digests, *_earlier(manifest)),
        digests_note="" if digests else _NOT_SAVED,
        manifest=_manifest_fits(subject),
    )


def with_digests(provenance: Provenance, manifest: Mapping[str, Any]) -> Provenance:
    """The same provenance with the digests in the manifest that is written beside the table."""
    entries = {name: manifest[name] for name in _FILES if isinstance(manifest.get(name), Mapping)}
    digests = _digests({name: str(entry["sha256"]) for name, entry in entries.items() if "sha256" in entry})
    every = (*digests, *_earlier(manifest))
    return replace(provenance, digests=every, digests_note="" if digests else _NOT_SAVED)


def _required(subject: Subject) -> tuple[str, ...]:
    verdict = subject.audit.verdict
    return () if verdict is None else tuple(dict.fromkeys(finding.requirement for finding in verdict.findings))


def _parameters(manifest: Mapping[str, Any]) -> dict[str, Any]:
    beside = {name: manifest[name] for name in ("target_bins", "min_support") if manifest.get(name) is not None}
    weights = {"weights": manifest["weights"]} if manifest.get("weights") else {}
    return {**manifest.get("parameters", {}), **beside, **weights}


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
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_text(entry) for entry in value)
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
    return {
        "hedgerow": str(manifest["hedgerow"]),
        **{name: str(version) for name, version in manifest["versions"].items()},
    }


def _digests(known: Mapping[str, str]) -> tuple[Digest, ...]:
    return tuple(Digest(file, known[name]) for name, file in _FILES.items() if name in known)


def _earlier(manifest: Mapping[str, Any]) -> tuple[Digest, ...]:
    """The earlier release that the table was made beside, if it is a file."""
    earlier = manifest.get("previous", {})
    if "sha256" not in earlier:
        return ()
    return (Digest(f"the previous release, {earlier.get('file') or earlier.get('folder')}", str(earlier["sha256"])),)


def _manifest_fits(subject: Subject) -> str | None:
    fits = subject.audit.manifest
    if fits is None:
        return None
    return (
        "The table is the one that the manifest beside it describes."
        if fits == "fits"
        else "The table is NOT the one that the manifest beside it describes."
    )
