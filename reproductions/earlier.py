"""Cells that earlier versions measured, whose keys have changed since: shown where nothing newer is finished."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.evaluation.jobs import Job
from hedgerow.evaluation.store import Store
from reproductions.effort import identities

__all__ = ["earlier_results"]

Result = Mapping[str, Any]
_Identity = tuple[tuple[str, str], ...]


def earlier_results(store: Store, stored: Sequence[Result], jobs: Sequence[Job]) -> list[Result]:
    """The stored results of no job's key that are about the same as an unfinished cell; of several the last.

    Parameters
    ----------
    store : Store
    stored : sequence of results
        All that the store has, in its order.
    jobs : sequence of Job
    """
    unfinished: set[_Identity] = set()
    finished: set[tuple[_Identity, frozenset[str]]] = set()
    current: set[str] = set()
    for job in jobs:
        for key, told in identities(job):
            result = store.get(key)
            current.add(key)
            if result is None:
                unfinished.add(_identity(told, tuple(told)))
            else:
                finished.add((_identity(told, tuple(told)), frozenset(result)))
    forms = sorted({tuple(told) for job in jobs for _, told in identities(job)}, key=len, reverse=True)
    known = unfinished | {identity for identity, _ in finished}
    found: dict[tuple[_Identity, frozenset[str]], Result] = {}
    for one in stored:
        if one["key"] in current:
            continue
        about = next((it for form in forms if set(form) <= set(one) and (it := _identity(one, form)) in known), None)
        if about in unfinished and (about, frozenset(one)) not in finished:
            found[about, frozenset(one)] = one
    return list(found.values())


def _identity(told: Mapping[str, Any], names: Sequence[str]) -> _Identity:
    return tuple((name, json.dumps(told[name])) for name in sorted(names))
