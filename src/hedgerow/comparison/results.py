"""What a comparison found: every choice with its figures, the frontier, and which one to take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import pyarrow as pa

from hedgerow.comparison._recommending import Baseline, Recommendation, deciding, pareto, recommend
from hedgerow.comparison.choices import HIGHEST_RISK, Choice, Measure, find_measure, limit_told
from hedgerow.errors import plural
from hedgerow.evaluation.results import Evaluation

__all__ = ["Comparison", "Measured", "Stop"]

Stop = Literal["", "time", "interrupted"]


@dataclass(frozen=True)
class Measured:
    """How a comparison was made.

    Attributes
    ----------
    rows : int
        Of the table.
    counted : {"rows", "people"}
        What classes consist of.
    target : str, optional
        What learners predict.
    learners : tuple of str
    protocol : str
        How rows were parted for them.
    parts : int
        How many training parts that makes.
    train, test : str
        How rows were written for learners.
    requirements : tuple of str
        What else was required of every release.
    proportions : bool
        Whether releases tell proportions.
    seconds : float
        How long all finished cells took, by one process after the other.
    cells, finished : int
        How many cells there are, and how many are finished.
    stopped : {"", "time", "interrupted"}
        Why the others are not.
    """

    rows: int
    counted: Literal["rows", "people"] = "rows"
    target: str | None = None
    learners: tuple[str, ...] = ()
    protocol: str = ""
    parts: int = 0
    train: str = ""
    test: str = ""
    requirements: tuple[str, ...] = ()
    proportions: bool = False
    seconds: float = 0.0
    cells: int = 0
    finished: int = 0
    stopped: Stop = ""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of :func:`hedgerow.compare`.

    Attributes
    ----------
    choices : tuple of Choice
        Every method at every k and suppression limit, whether or not it is finished.
    measures : tuple of Measure
        What they can be compared by; of each side the first decides.
    threshold : float
        The highest risk of a person that may be recommended.
    baselines : mapping of str to Baseline
        Of each score: what it is without anonymizing, and by majority.
    measured : Measured
        How it was done.
    evaluation : Evaluation, optional
        The scores of all cells, exactly: private, as the table is. ``None`` where nothing is learnt.
    backend : str
        Which kind of dataframe :attr:`frame` is.
    """

    choices: tuple[Choice, ...]
    measures: tuple[Measure, ...]
    threshold: float
    measured: Measured
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    backend: Literal["pandas", "polars", "pyarrow"] = "pyarrow"

    def measures_of(self, side: Literal["risk", "utility"]) -> tuple[Measure, ...]:
        """The measures of risk, or those of utility."""
        return tuple(one for one in self.measures if one.side == side)

    @property
    def risk(self) -> Measure:
        """The measure of risk that is shown first: the highest risk of a person."""
        return HIGHEST_RISK

    @cached_property
    def utility(self) -> Measure:
        """The measure of utility that is shown first: the first that tells something and is known of most choices."""
        released = [one for one in self.choices if one.k_reached is not None]
        return deciding(self.measures_of("utility"), released, self.baselines)[0] or self.measures_of("utility")[0]

    def measure(self, side: Literal["risk", "utility"], name: str | None) -> Measure:
        """The measure that is meant, if one is named."""
        if name is None:
            return self.risk if side == "risk" else self.utility
        return find_measure(self.measures, name, side)

    def frontier(self, risk: str | None = None, utility: str | None = None) -> tuple[Choice, ...]:
        """The choices that no other one beats: those of lower risk keep less, those that keep more risk more.

        Parameters
        ----------
        risk : str, optional
            ``"highest_risk"`` if not given, or another measure of :attr:`measures`.
        utility : str, optional
            The first score of the learners if not given, or ``"ncp_kept"`` where nothing is learnt.

        Returns
        -------
        tuple of Choice
            The one of lowest risk first. Choices that are alike in both are all there.
        """
        return pareto(self.choices, self.measure("risk", risk), self.measure("utility", utility))

    @cached_property
    def recommendation(self) -> Recommendation:
        """The choice to take, and why: the highest utility within the threshold.

        Of the choices that are within one standard error of it, the one that risks least.
        """
        return recommend(
            self.choices,
            self.measures_of("utility"),
            threshold=self.threshold,
            baselines=self.baselines,
            counted=self.measured.counted,
        )

    @cached_property
    def frame(self) -> Any:
        """Every choice in a row, with every measure in a column."""
        return nw.from_arrow(_tidy(self), backend=self.backend).to_native()

    def plot(self, risk: str | None = None, utility: str | None = None) -> Any:
        """Utility against risk, as an Altair chart; parameters are those of :meth:`frontier`."""
        from hedgerow.comparison._charts import frontier_chart

        return frontier_chart(self, self.measure("risk", risk), self.measure("utility", utility))

    def report(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a page that opens offline: the frontier to look at from all sides, the table, and which choice to take.

        Parameters
        ----------
        path : str or Path
        overwrite : bool
            Whether a file that is there already may be replaced.
        """
        from hedgerow.comparison.page import write

        return write(self, path, overwrite=overwrite)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON."""
        found = self.recommendation
        return {
            "recommendation": {
                "choice": None if found.choice is None else _named(found.choice),
                "reason": found.reason,
                "threshold": found.threshold,
                "size": found.size,
            },
            "frontier": [_named(one) for one in self.frontier()],
            "risk": self.risk.name,
            "utility": self.utility.name,
            "choices": [asdict(one) for one in self.choices],
            "baselines": {name: asdict(one) for name, one in self.baselines.items()},
            "measures": [asdict(one) for one in self.measures],
            "measured": asdict(self.measured),
        }

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(one.method for one in self.choices))
        released = sum(one.k_reached is not None for one in self.choices)
        how = f" {self.measured.protocol} with {', '.join(self.measured.learners)};" if self.measured.learners else ""
        return (
            f"Comparison({methods})\n"
            f"  {plural(len(self.choices), 'choices')}, {released:,} released;{how} see .frame, .frontier(), "
            ".report(path)\n"
            f"  {self.recommendation.reason}"
        )

    def _repr_html_(self) -> str:
        from hedgerow.comparison.page import notebook

        return notebook(self)


def _named(one: Choice) -> dict[str, Any]:
    return {"method": one.method, "k": one.k, "suppression_limit": one.suppression_limit}


def _tidy(comparison: Comparison) -> pa.Table:
    """Choices as a table with the same columns whatever was found."""
    choices = comparison.choices
    frontier = comparison.frontier()
    chosen = comparison.recommendation.choice
    columns: dict[str, pa.Array] = {
        "method": pa.array([one.method for one in choices], pa.string()),
        "k": pa.array([one.k for one in choices], pa.int64()),
        "suppression_limit": pa.array([limit_told(one.suppression_limit) for one in choices], pa.string()),
        "status": pa.array([one.status for one in choices], pa.string()),
        "k_reached": pa.array([one.k_reached for one in choices], pa.int64()),
    }
    for measure in comparison.measures:
        columns[measure.name] = pa.array([one.value(measure) for one in choices], pa.float64())
        if measure.name in comparison.baselines:
            errors = [one.errors.get(measure.name) for one in choices]
            columns[f"{measure.name}_error"] = pa.array(errors, pa.float64())
    return pa.table(
        {
            **columns,
            "rows_lost": pa.array([one.rows_lost for one in choices], pa.float64()),
            "parts": pa.array([one.parts for one in choices], pa.int64()),
            "seconds": pa.array([one.seconds for one in choices], pa.float64()),
            "on_frontier": pa.array([one in frontier for one in choices], pa.bool_()),
            "recommended": pa.array([one is chosen for one in choices], pa.bool_()),
            "reason": pa.array([one.reason for one in choices], pa.string()),
        }
    )
