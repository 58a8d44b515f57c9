"""What l-diversity and t-closeness cost learners, beside k-anonymity alone, for the methods of the five papers.

    python benchmarks/diversity.py adult    # minutes on one core

It prints a Markdown table; `run.py` collects it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import hedgerow as hr
import tables
from markdown import header, row

SEED: Final = 0
K: Final = 10
SENSITIVE: Final = "occupation"
QUASI: Final = [name for name in tables.QUASI if name != SENSITIVE]
METHODS: Final = ("kactus", "hybrid-kactus", "heuristicmin", "mondrian", "greedy")
LEARNERS: Final = ("c45", "knn")
REQUIREMENTS: Final = {
    "k alone": (),
    "l = 6": (f"l=6@{SENSITIVE}",),
    "l = 10": (f"l=10@{SENSITIVE}",),
    "t = 0.3": (f"t=0.3@{SENSITIVE}",),
    "t = 0.2": (f"t=0.2@{SENSITIVE}",),
}


def adult() -> None:
    """Train on releases of two thirds of Adult, predict the last third."""
    table = tables.adult("train").select(*tables.QUASI, tables.TARGET)
    folder = tables.data_folder() / "adult/hierarchies"
    hierarchies = {name: str(folder / f"{name}.csv") for name in QUASI}
    schema = hr.Schema(quasi=QUASI, sensitive=[SENSITIVE], target=tables.TARGET, hierarchies=hierarchies)
    header("method", "learner", *REQUIREMENTS, "unanonymized", "majority")
    for method in METHODS:
        found = {
            name: hr.evaluate(
                table,
                schema,
                methods=method,
                k=K,
                require=require,
                learners=LEARNERS,
                protocol="holdout",
                random_state=SEED,
                workers=1,
            )
            for name, require in REQUIREMENTS.items()
        }
        for learner in LEARNERS:
            rows = {name: _row(evaluation, learner) for name, evaluation in found.items()}
            first = next(iter(rows.values()))
            row(method, learner, *(_shown(one[f"k={K}"]) for one in rows.values()), *_baselines(first))
        releases = {name: evaluation.frame.row(-1, named=True) for name, evaluation in found.items()}
        row(method, "*NCP*", *(_number(one["ncp_published"]) for one in releases.values()), "", "")
        row(method, "*classes*", *(_number(one["classes"]) for one in releases.values()), "", "")
    print(
        f"\nAccuracy in percent on a third of the {table.height:,} complete rows of Adult's train file, learnt from "
        f"redrawn rows of the release of the other two thirds; one split, seed {SEED}, k = {K}. Quasi-identifiers: "
        f"{', '.join(QUASI)}; the requirement is on {SENSITIVE}, which is published in clear and used by the learners, "
        f"and the class is {tables.TARGET}. The hierarchies are those of ARX. *NCP* is the published "
        "loss, *classes* the number of equivalence classes. The standard error of an accuracy is about "
        "0.4."
    )


def _row(evaluation: Any, learner: str) -> Mapping[str, Any]:
    """The scores of a learner."""
    scores: Mapping[str, Any] = next(one for one in evaluation.table().rows(named=True) if one["learner"] == learner)
    return scores


def _baselines(scores: Mapping[str, Any]) -> tuple[str, str]:
    return _shown(scores["unanonymized"]), _shown(scores["majority"])


def _shown(score: float | None) -> str:
    return "infeasible" if score is None else f"{100 * score:.1f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


COMMANDS: Final = {"adult": adult}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"Choose one of: {', '.join(COMMANDS)}.")
    COMMANDS[sys.argv[1]]()
