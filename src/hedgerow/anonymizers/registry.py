"""The registry: every method's name, family, source and parameters, readable without importing any method."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hedgerow.anonymizers.parameters import Choice, Flag, Named, Number, Parameter
from hedgerow.errors import BadInput, translated

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.counts import FrequencyTable
    from hedgerow.privacy import Requirement
    from hedgerow.recoding import Recoding

__all__ = ["DEFAULT_METHOD", "METHODS", "Method", "find_method", "methods"]


@dataclass(frozen=True)
class Method:
    """What is known of a method before it is imported.

    Attributes
    ----------
    name, class_name : str
        What it is called on the command line, and its estimator in :mod:`hedgerow.anonymizers.estimators`.
    module : str
        Where the function of the same name is that fits it.
    family, paper, guarantees : str
        For the table of methods.
    parameters : tuple of Parameter
        The method's own parameters; their defaults are those of the function and of the estimator.
    """

    name: str
    class_name: str
    module: str
    family: str
    paper: str
    guarantees: str
    parameters: tuple[Parameter, ...] = ()

    def load(self) -> type[Anonymizer]:
        """Import the estimator, and scikit-learn with it."""
        estimators = importlib.import_module("hedgerow.anonymizers.estimators")
        loaded: type[Anonymizer] = getattr(estimators, self.class_name)
        return loaded

    def fit(
        self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None, **parameters: Any
    ) -> Recoding:
        """Import the method's function and call it."""
        function = getattr(importlib.import_module(self.module), self.name.replace("-", "_"))
        recoding: Recoding = function(counts, requirements, seed=seed, **parameters)
        return recoding

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as given, and the defaults of the others."""
        return {parameter.name: given.get(parameter.name, parameter.default) for parameter in self.parameters}

    def has(self, parameter: str) -> bool:
        """Whether the method has a parameter of that name."""
        return any(one.name == parameter for one in self.parameters)

    def weak(self, given: Mapping[str, Any]) -> str | None:
        """The parameter that gives up the guarantee, if one is on."""
        for parameter in self.parameters:
            if isinstance(parameter, Flag) and parameter.weak and given.get(parameter.name) is True:
                return parameter.name
        return None

    def check(self, given: Mapping[str, Any]) -> None:
        """Say which parameter is unknown or wrong, if one is."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name not in known:
                raise BadInput.unknown(f"parameter of {self.class_name} called", name, known)
            if not known[name].accepts(value):
                raise BadInput.parameter(name, self.class_name, known[name].must, value)


_ALL: Final = "k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k)"
_INDUCER: Final = Named(
    "inducer",
    ("c45", "cart"),
    "what grows the tree",
    extras=("j48",),
    objects="an inducer, such as a scikit-learn tree or a function",
)
_MIN_OBJECTS: Final = Number(
    "min_objects", "records that branches should have; k if not given", "k", 1, whole=True, words=("k",), trials=(2,)
)
_IMPROVE: Final = Flag("improve", "whether groups exchange records and split afterwards while the loss falls")
_LOSS: Final = Choice(
    "loss", ("shield", "node"), "what anonymity costs: the fall of the smallest class, or of the value's size"
)
_METRIC: Final = Choice(
    "metric",
    (
        "loss",
        "prec",
        "ncp",
        "ncp_published",
        "nllm",
        "discernibility",
        "c_avg",
        "distortion",
        "non_uniform_entropy",
        "classification",  # needs a target
        "row_ratio",
        "suppression",
        "kl",
    ),
    "what the best generalization is judged by",
    tried=("discernibility", "ncp", "classification"),
)
_SUPPRESSION_LIMIT: Final = Number(
    "suppression_limit", "the share of the records that may be lost", 0.0, 0, most=1, trials=(0.1,)
)

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="mondrian",
            class_name="Mondrian",
            module="hedgerow.anonymizers.partition.mondrian",
            family="partition",
            paper="LeFevre, DeWitt, Ramakrishnan (ICDE 2006); sets: Shao, Beckford",
            guarantees=_ALL,
            parameters=(
                Choice(
                    "cut",
                    ("loss", "widest"),
                    "the cut that lowers NCP most, or the paper's: widest column, median",
                ),
                Flag("relaxed", "whether records with equal values may be split between groups"),
                Choice(
                    "publish",
                    ("set", "interval", "label"),
                    "sets; intervals for numbers; or the hierarchy's labels",
                ),
                Choice("order", ("auto", "alphabetical", "hierarchy"), "in which order categories are cut"),
                _IMPROVE,
            ),
        ),
        Method(
            name="kactus",
            class_name="KActus",
            module="hedgerow.anonymizers.suppression.kactus",
            family="suppression",
            paper="Kisilevich, Rokach, Elovici, Shapira (IEEE TKDE 2010)",
            guarantees=_ALL,
            parameters=(
                _INDUCER,
                _MIN_OBJECTS,
                Choice("donors", ("random", "greedy"), "siblings lend at random, or so that classes mix least"),
                Choice("remainder", ("lose", "merge"), "fewer than k records at the root are lost, or join groups"),
                Choice("publish", ("value", "set"), "pruned categories are hidden, or published as sets"),
                Choice("numbers", ("mean", "median"), "what stands for the numbers of a group"),
                Choice("reading", ("sensible", "literal"), "how the paper's pseudo-code is read"),
                Flag("expand", "whether leaves with many records show more than the tree asks"),
            ),
        ),
        Method(
            name="hybrid-kactus",
            class_name="HybridKActus",
            module="hedgerow.anonymizers.suppression.hybrid_kactus",
            family="suppression",
            paper="Israni et al. (Indian J. Sci. Res. 2017)",
            guarantees=f"{_ALL}; none as published",
            parameters=(
                _INDUCER,
                _MIN_OBJECTS,
                Number(
                    "crossover",
                    "a leaf that lacks a smaller share of k is completed by one sibling",
                    0.5,
                    0,
                    most=1,
                    trials=(0.0, 1.0),
                ),
                Flag("as_published", "the method as printed, which is not k-anonymous", weak=True),
            ),
        ),
        Method(
            name="kadet",
            class_name="KADET",
            module="hedgerow.anonymizers.suppression.kadet",
            family="suppression",
            paper="Friedman, Schuster, Wolff (PKDD 2006; VLDB Journal 2008)",
            guarantees=_ALL,
            parameters=(
                Choice("criterion", ("gain_ratio", "gain"), "what the best split of a node is"),
                Flag("pruned", "whether to prune the tree, as C4.5 does", default=True),
            ),
        ),
        Method(
            name="greedy",
            class_name="Greedy",
            module="hedgerow.anonymizers.merge.greedy",
            family="merge",
            paper="greedy k-anonymization with the NLLM metric, as told for neural networks",
            guarantees=_ALL,
            parameters=(
                Choice(
                    "metric",
                    ("nllm", "ncp", "distortion", "discernibility", "prec"),
                    "what a merge costs",
                ),
                Flag("ranges", "whether numbers become ranges and categories sets, not nodes of hierarchies"),
                _IMPROVE,
            ),
        ),
        Method(
            name="kaca",
            class_name="KACA",
            module="hedgerow.anonymizers.merge.kaca",
            family="merge",
            paper="Li, Wong, Fu, Pei (DaWaK 2006)",
            guarantees=_ALL,
            parameters=(_IMPROVE,),
        ),
        Method(
            name="k-member",
            class_name="KMember",
            module="hedgerow.anonymizers.merge.k_member",
            family="merge",
            paper="Byun, Kamra, Bertino, Li (DASFAA 2007)",
            guarantees=_ALL,
            parameters=(_IMPROVE,),
        ),
        Method(
            name="oka",
            class_name="OKA",
            module="hedgerow.anonymizers.merge.oka",
            family="merge",
            paper="Lin, Wei (PAIS 2008)",
            guarantees=_ALL,
            parameters=(_IMPROVE,),
        ),
        Method(
            name="optimal",
            class_name="OptimalLattice",
            module="hedgerow.anonymizers.lattice.optimal",
            family="lattice",
            paper="El Emam et al. (JAMIA 2009); Kohlmayer et al. (PASSAT 2012)",
            guarantees=_ALL,
            parameters=(
                _METRIC,
                _SUPPRESSION_LIMIT,
                Number("time_limit", "seconds after which the best found so far is taken", None, 0, trials=(5.0,)),
            ),
        ),
        Method(
            name="incognito",
            class_name="Incognito",
            module="hedgerow.anonymizers.lattice.incognito",
            family="lattice",
            paper="LeFevre, DeWitt, Ramakrishnan (SIGMOD 2005)",
            guarantees=_ALL,
            parameters=(_METRIC,),
        ),
        Method(
            name="allmin",
            class_name="AllMin",
            module="hedgerow.anonymizers.lattice.allmin",
            family="lattice",
            paper="Samarati (IEEE TKDE 2001)",
            guarantees=_ALL,
            parameters=(
                Choice("search", ("binary", "linear"), "how the heights of the lattice are searched"),
                _SUPPRESSION_LIMIT,
            ),
        ),
        Method(
            name="datafly",
            class_name="Datafly",
            module="hedgerow.anonymizers.lattice.datafly",
            family="lattice",
            paper="Sweeney (1998; IJUFKS 2002)",
            guarantees=_ALL,
            parameters=(_SUPPRESSION_LIMIT,),
        ),
        Method(
            name="heuristicmin",
            class_name="HeuristicMin",
            module="hedgerow.anonymizers.lattice.heuristicmin",
            family="lattice",
            paper="Arca, Hewett: Data privacy with heuristic anonymisation",
            guarantees=_ALL,
            parameters=(
                Flag("complete", "whether to search on until no cut through the hierarchies can have more rows"),
                Number("time_limit", "seconds after which the search stops", None, 0, trials=(60.0,)),
                Number("max_states", "states after which the search stops", 20_000, 1, whole=True, trials=(5,)),
            ),
        ),
        Method(
            name="mingen",
            class_name="MinGen",
            module="hedgerow.anonymizers.lattice.mingen",
            family="lattice",
            paper="Sweeney (IJUFKS 2002)",
            guarantees="k-anonymity, distinct l-diversity, p-sensitive, (alpha,k)",
            parameters=(
                Choice("granularity", ("tuple", "record"), "whether records with equal values are published alike"),
                Number("time_limit", "seconds after which the solver stops", None, 0, trials=(60.0,)),
            ),
        ),
        Method(
            name="tds",
            class_name="TDS",
            module="hedgerow.anonymizers.specialize.tds",
            family="specialize",
            paper="Fung, Wang, Yu (ICDE 2005)",
            guarantees=_ALL,
            parameters=(_LOSS,),
        ),
        Method(
            name="tdr",
            class_name="TDR",
            module="hedgerow.anonymizers.specialize.tdr",
            family="specialize",
            paper="Fung, Wang, Yu (IEEE TKDE 2007)",
            guarantees=_ALL,
            parameters=(_LOSS,),
        ),
        Method(
            name="bug",
            class_name="BUG",
            module="hedgerow.anonymizers.specialize.bug",
            family="specialize",
            paper="Wang, Yu, Chakraborty (ICDM 2004)",
            guarantees=_ALL,
        ),
    )
}


DEFAULT_METHOD: Final = "mondrian"


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    with translated(KeyError, TypeError, into=lambda _: BadInput.unknown("method", str(name), METHODS)):
        return METHODS[name]


def methods() -> list[dict[str, str]]:
    """Every method: name, class, family, paper, guarantees.

    >>> [method["name"] for method in methods()][:4]
    ['mondrian', 'kactus', 'hybrid-kactus', 'kadet']
    """
    return [
        {
            "name": method.name,
            "class": method.class_name,
            "family": method.family,
            "paper": method.paper,
            "guarantees": method.guarantees,
        }
        for method in METHODS.values()
    ]
