"""What makes a table, or what it promises, worth nothing: it is said before anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hedgerow.published import SUPPRESSED
from hedgerow.verifier import ClassCounts

__all__ = ["gravest"]

_NEXT_TO_NOTHING: Final = 0.95
_ADVICE: Final = "Lower the requirements, give hierarchies, or name fewer quasi-identifiers."


def gravest(counts: ClassCounts, demanded: Sequence[Any], loss: float | None) -> tuple[str, ...]:
    """Say if a requirement promises nothing, and if nothing is kept.

    Parameters
    ----------
    counts : ClassCounts
        The table as it was counted.
    demanded : sequence of requirements
    loss : float, optional
        What is lost as published, ``ncp_published``, where it is known.
    """
    return (*_promises(demanded), *_kept(counts, loss))


def _promises(demanded: Sequence[Any]) -> tuple[str, ...]:
    if not any(one.name == "k-anonymity" and getattr(one, "k", None) == 1 for one in demanded):
        return ()
    return ("1-anonymity promises nothing: every table has it, and people may stand alone in it. Ask for a k above 1.",)


def _kept(counts: ClassCounts, loss: float | None) -> tuple[str, ...]:
    if all(label is None or label == str(SUPPRESSED) for labels in counts.labels for label in labels):
        said = "The table keeps nothing of its quasi-identifiers: every cell of them is suppressed or missing."
        return (f"{said} {_ADVICE}",)
    if loss is not None and loss >= _NEXT_TO_NOTHING:
        # The figure itself would have more digits than a small table may tell.
        said = (
            f"The table keeps next to nothing of its quasi-identifiers: {_NEXT_TO_NOTHING:.0%} or more of it is lost."
        )
        return (f"{said} {_ADVICE}",)
    return ()
