"""The estimators: every method as scikit-learn knows it, with keyword-only parameters that are only assigned.

What a method does is in the function of the same name; it is imported, and numba with it, when it is fitted.
"""

from hedgerow.anonymizers.estimators.lattice import AllMin, Datafly, HeuristicMin, Incognito, MinGen, OptimalLattice
from hedgerow.anonymizers.estimators.merge import KACA, OKA, Greedy, KMember
from hedgerow.anonymizers.estimators.partition import Mondrian
from hedgerow.anonymizers.estimators.specialize import BUG, TDR, TDS
from hedgerow.anonymizers.estimators.suppression import KADET, HybridKActus, KActus

__all__ = [
    "AllMin",
    "BUG",
    "Datafly",
    "Greedy",
    "HeuristicMin",
    "HybridKActus",
    "Incognito",
    "KACA",
    "KADET",
    "KMember",
    "KActus",
    "MinGen",
    "Mondrian",
    "OKA",
    "OptimalLattice",
    "TDR",
    "TDS",
]
