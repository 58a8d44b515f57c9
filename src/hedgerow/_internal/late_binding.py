"""Methods that are implemented in a higher layer, and loaded on first use.

A release is below reports and must not import them, and yet offers ``release.report("out.html")``. So the package
itself, which is above all layers, registers the place of the implementation (:func:`register`).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from hedgerow._internal.notebook import NotebookRepr

__all__ = ["ReportOptions", "Reported", "load", "register"]

_PLACES: Final[dict[str, str]] = {}


def register(name: str, place: str) -> None:
    """Register the place of an implementation: ``"package.module:function"``."""
    _PLACES[name] = place


def load(name: str) -> Any:
    """Import an implementation."""
    module, _, function = _PLACES[name].partition(":")
    return getattr(importlib.import_module(module), function)


class ReportOptions(NamedTuple):
    """The options of a report: the parameters of :meth:`Reported.report` other than the file."""

    edition: object = "internal"
    context: object = None
    governance: object = None
    evaluation: Any = None
    attacks: Any = None
    analyses: Any = None
    previous: Any = None
    original: Any = None
    explanation: Any = None
    reasons: Any = None


class Reported(NotebookRepr):
    """An object with a report; a notebook shows it with two charts of the report."""

    def _repr_html_(self) -> str:
        shown: str = load("notebook")(self)
        return shown

    def report(
        self,
        path: str | Path,
        edition: Literal["internal", "public"] = "internal",
        *,
        context: Any = None,
        governance: Any = None,
        evaluation: Any = None,
        attacks: Any = None,
        analyses: Any = None,
        previous: Any = None,
        original: Any = None,
        explanation: Any = None,
        reasons: Any = None,
        overwrite: bool = False,
    ) -> Path:
        """Write a report: one page that opens offline, prints, and shows neither a row nor a value of few records.

        Parameters
        ----------
        path : str or Path
            A file that ends in ``.html``.
        edition : {"internal", "public"}
            For the people who answer for the table, or what its recipients may see.
        context : Context or mapping, optional
            For whom and what for it is released; see :class:`hedgerow.report.Context`.
        governance : Governance or mapping, optional
            Who answers for it, and until when; see :class:`hedgerow.report.Governance`.
        evaluation : Evaluation, optional
            What :func:`hedgerow.evaluate` found on the same table.
        attacks : Attacks, sequence of Outcome or mapping, optional
            What :func:`hedgerow.attack` found out, or what ``hedgerow attack --json`` printed; shown only in the
            internal edition.
        analyses : Analyses, optional
            What :func:`hedgerow.analyses` found; the public edition shows no figure of the original rows.
        previous : Audit, Release, path or mapping, optional
            An earlier release of the same people; or what :func:`hedgerow.audit` or ``hedgerow audit --json`` found
            about it and this one together.
        original : dataframe, path or File, optional
            The original rows. Only the column of the person is read, to count the rows of a person. Internal edition.
        explanation : path, optional
            The private file that ``hedgerow anonymize --explain`` wrote, which a loaded release needs to report why its
            cells are not finer. Internal edition.
        reasons : mapping of column to text or mapping, optional
            Who chose the role of a column, and why, as in ``[reasons]`` of a job file. Internal edition.
        overwrite : bool
            Whether a file that stands there already may be replaced.

        Examples
        --------
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
        >>> release = hr.anonymize(people, hr.Schema(quasi=["age"], target="sex"), k=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.report(f"{folder}/out.html", context={"recipient": "the university"}).name
        'out.html'
        """
        options = ReportOptions(
            edition=edition,
            context=context,
            governance=governance,
            evaluation=evaluation,
            attacks=attacks,
            analyses=analyses,
            previous=previous,
            original=original,
            explanation=explanation,
            reasons=reasons,
        )
        written: Path = load("report")(self, path, options, overwrite=overwrite)
        return written
