"""HeuristicMin: among all cuts through the hierarchies that satisfy the requirements, one with the most distinct rows.

The search starts at the table. A step generalizes one attribute: the values in rows that violate a requirement are
lifted to their parents, with their siblings. The search is best-first, and generalizes only states with more rows than
the best satisfying one, because generalizing never adds a row. Arca, Hewett: Data privacy with heuristic anonymisation,
sections 4.1 to 4.3.

Deviations
----------
- Where the parents of violating values are nested, everything below the higher one is lifted to it. Read literally, the
  paper could publish a node beside one above it, and no reader could tell what the higher one excludes.
- "Violating values of an attribute" are those in rows that violate a requirement *whose shield holds the attribute*,
  as in figure 15(b). Attributes in no shield are never touched.
- A state is generalized only if it has strictly more rows than the best satisfying one; section 4.3 says "m < 4"
  of states with as many.
- Figure 16 is not what the search of figure 2 returns: its five rows satisfy the requirements, and the search finds
  six. The accuracies of cases 2 and 3 (80 % and 63 %) were not reproduced from the printed tables; case 4 is printed
  without its table.
- The paper calls the result optimal. It is optimal among the states that its steps reach, but a cut between two of
  them may publish more rows. ``complete=True`` continues, from the table again and by other steps
  (:func:`hedgerow.anonymizers.lattice._cuts.by_class`), until the result is proved over all cuts. The proof: take an
  optimal cut. The table is at or below it. If a violating state is at or below it, so is one of its next states, which
  is strictly more general. So the steps lead to a satisfying state at or below the optimal cut. All states on the way
  have at least as many rows as the cut, and a state is dropped only if a satisfying state with as many rows is known.
  In either case, the search finds a satisfying state with as many rows as the cut.
- The weights of columns do not matter: the search maximizes rows, whatever their columns lose.
- With a ``suppression_limit``, a state satisfies the requirements if few enough records of violating rows must be lost,
  and only the rows that it keeps are counted. Such a state is generalized further, because then fewer records may be
  lost. A class may be lost instead of generalized, so nothing is proved over all cuts.
- ``max_states`` and ``time_limit`` stop a search. Then the best state so far is released, or, if there is none, a state
  reached by greedy generalization from the least violating one. It is marked as not proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._cuts import CutSearch, CutSpace, Nodes, by_attribute, by_class, greedy
from hedgerow.anonymizers.parameters import flag, number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.requirements import Requirement

__all__ = ["ChosenCuts", "HeuristicMin"]


class HeuristicMin(Anonymizer):
    """Search the cuts through the hierarchies for one that keeps the most distinct rows.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "21"]})
    >>> release = hr.HeuristicMin(k=2).anonymize(people, hr.Schema(quasi=["zip"], hierarchies={"zip": "masking"}))
    >>> sorted(release.table["zip"].to_pylist())
    ['1*', '1*', '21', '21']
    """

    name = "heuristicmin"
    family = "lattice"
    suppression_by = "itself"
    paper = "Arca, Hewett: Data privacy with heuristic anonymisation"

    complete: bool = flag(
        "Whether to search on until no cut through the hierarchies can have more rows. The paper's steps do not reach "
        "every cut."
    )
    time_limit: float | None = number(
        "Seconds after which the search stops. The best so far is released, with a warning.",
        default=None,
        least=0,
        trials=(60.0,),
    )
    max_states: int = number(
        "States after which the search stops, in the same way.", default=20_000, least=1, whole=True, trials=(5,)
    )

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        chosen = self.search(counts, requirements)
        warnings = []
        if chosen.optimal.startswith("unproved"):
            warnings.append(
                f"HeuristicMin stopped after {chosen.search.generated:,} states: another release may keep more rows. "
                f"Raise {'max_states' if self.time_limit is None else 'time_limit or max_states'} to search on."
            )
        facts = {
            "states_generated": chosen.search.generated,
            "states_expanded": len(chosen.search.expanded),
            "optimal": chosen.optimal,
        }
        levels, lost = _levels(counts, chosen.nodes), chosen.search.space.lost_tuples(chosen.nodes)
        return recode_by_nodes(
            "heuristicmin", counts, chosen.nodes, lost=lost, levels=levels, facts=facts, warnings=warnings
        )

    def search(self, counts: FrequencyTable, requirements: Sequence[Requirement]) -> ChosenCuts:
        """Search for the cuts with the most rows."""
        space = CutSpace(counts, requirements, self._may_lose(counts))
        search = CutSearch(space, max_states=self.max_states, time_limit=self.time_limit)
        finished = search.run(by_attribute)
        if finished and self.complete:
            finished = search.run(by_class)
        if search.best is None:
            nearest = min(search.states, key=lambda state: (state.violations, -state.rows))
            nodes = greedy(space, nearest.nodes).nodes
        else:
            nodes = search.states[search.best].nodes
        if not finished:
            stopped = "number of states" if search.generated >= self.max_states else "time"
            return ChosenCuts(nodes, f"unproved: the {stopped} came to its limit", search)
        # No cut has more rows than the unchanged table.
        unchanged = search.best == 0 and not search.states[0].violations
        proved = (self.complete and not space.allowance) or unchanged
        return ChosenCuts(nodes, "proved over all cuts" if proved else "among its states", search)


class ChosenCuts(NamedTuple):
    """The chosen cuts, what is proved about them, and the search."""

    nodes: Nodes
    optimal: str
    search: CutSearch


def _levels(counts: FrequencyTable, nodes: Nodes) -> dict[str, int] | None:
    """The level of each column, if every cut is a level."""
    levels = {}
    for name, cut in zip(counts.quasi, nodes, strict=True):
        same = (counts.hierarchies[name].at_level == cut).all(axis=1)
        if not same.any():
            return None
        levels[name] = int(np.argmax(same))
    return levels
