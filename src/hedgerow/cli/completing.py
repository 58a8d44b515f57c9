"""What a shell offers after the tabulator key: names of methods, metrics, learners and the like.

A shell asks the command itself (``hedgerow --install-completion`` tells it how). What knows the names is imported then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["attacks", "editions", "engines", "learners", "listed", "methods", "metrics", "protocols"]


def methods() -> Iterable[str]:
    """The names of all methods."""
    from hedgerow.anonymizers.registry import all_methods

    return all_methods()


def metrics() -> Iterable[str]:
    """The names of all metrics."""
    from hedgerow.metrics import METRICS

    return METRICS


def learners() -> Iterable[str]:
    """The names of all learners."""
    from hedgerow.evaluation.learners import LEARNERS

    return LEARNERS


def attacks() -> Iterable[str]:
    """The names of all attacks."""
    from hedgerow.attacks.registry import ATTACKS

    return ATTACKS


def editions() -> Iterable[str]:
    """The editions of a report."""
    return ("internal", "public")


def engines() -> Iterable[str]:
    """The engines."""
    return ("duckdb", "spark")


def protocols() -> Iterable[str]:
    """The protocols of an evaluation."""
    return ("5x2cv", "holdout", "cv:10")


def listed(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Complete the last name of a list with commas, or the only one.

    >>> listed(editions)("p"), listed(editions)("internal,p")
    (['public'], ['internal,public'])
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(begun)]

    return complete
