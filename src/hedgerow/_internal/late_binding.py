"""Late binding: methods of an object that a higher layer implements, loaded on first use.

A release is in a lower layer than reports and must not import them; still users type ``release.report("out.html")``. So
the package itself, the highest layer, registers here which function does the work (:func:`register`). It is imported
when it is first called.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final, Literal

from hedgerow._internal.notebook import NotebookRepr

__all__ = ["Reported", "load", "register"]

_PLACES: Final[dict[str, str]] = {}


def register(name: str, place: str) -> None:
    """Register the function behind a name: ``"package.module:function"``."""
    _PLACES[name] = place


def load(name: str) -> Any:
    """Import the function that is registered under a name."""
    module, _, function = _PLACES[name].partition(":")
    return getattr(importlib.import_module(module), function)


class Reported(NotebookRepr):
    """An object with a report; a notebook shows it with the charts of the report."""

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
        overwrite: bool = False,
    ) -> Path:
        """Write a report: one page that opens offline, prints, and shows neither a row nor a value of few records.

        Parameters
        ----------
        path : str or Path
            A file that ends in ``.html``.
        edition : {"internal", "public"}
            For the people responsible for the table, or for its recipients.
        context : Context or mapping, optional
            The recipients and the purpose of the release; see :class:`hedgerow.report.Context`.
        governance : Governance or mapping, optional
            Who is responsible, and until when; see :class:`hedgerow.report.Governance`.
        evaluation : Evaluation, optional
            The result of :func:`hedgerow.evaluate` on the same table.
        attacks : Attacks or sequence of Outcome, optional
            The result of :func:`hedgerow.attack`; shown only in the internal edition.
        overwrite : bool
            Whether an existing file may be replaced.

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
        written: Path = load("report")(
            self,
            path,
            edition=edition,
            context=context,
            governance=governance,
            evaluation=evaluation,
            attacks=attacks,
            overwrite=overwrite,
        )
        return written
