"""What methods share that wrap an inducer of classification trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import choice_or_object, number
from hedgerow.core.counts import FrequencyTable

if TYPE_CHECKING:
    from hedgerow.anonymizers.trees.nodes.paths import PathTree

__all__ = ["TreeGuided"]


class TreeGuided(Anonymizer):
    """A method that publishes along a tree, whatever grows it."""

    family = "suppression"
    uses_target = True
    suppression_by = "classes"

    inducer: Any = choice_or_object(
        "What grows the tree: C4.5, scikit-learn's trees, Weka's J48 (needs the extra ``weka``), a scikit-learn "
        "``DecisionTreeClassifier``, or a function from :class:`hedgerow.anonymizers.trees.TrainingTable` to a tree.",
        options=("c45", "cart"),
        extras=("j48",),
        objects="an inducer, such as a scikit-learn tree or a function",
    )
    min_objects: int | Literal["k"] = number(
        "Records that branches should have; k if not given.",
        default="k",
        least=1,
        whole=True,
        words=("k",),
        trials=(2,),
    )

    def _grown(self, counts: FrequencyTable, k: int) -> PathTree:
        """The tree that the inducer grows; branches should have k records if nothing else is said."""
        from hedgerow.anonymizers.trees.inducers.resolving import grow

        return grow(self.inducer, counts, k if self.min_objects == "k" else int(self.min_objects), type(self).__name__)
