"""The methods: one file each, and one line here."""

from hedgerow.anonymizers.lattice.allmin import AllMin as AllMin
from hedgerow.anonymizers.lattice.datafly import Datafly as Datafly
from hedgerow.anonymizers.lattice.genetic import Genetic as Genetic
from hedgerow.anonymizers.lattice.heuristicmin import HeuristicMin as HeuristicMin
from hedgerow.anonymizers.lattice.incognito import Incognito as Incognito
from hedgerow.anonymizers.lattice.k_optimize import KOptimize as KOptimize
from hedgerow.anonymizers.lattice.mingen import MinGen as MinGen
from hedgerow.anonymizers.lattice.mu_argus import MuArgus as MuArgus
from hedgerow.anonymizers.lattice.optimal import OptimalLattice as OptimalLattice
from hedgerow.anonymizers.merge.greedy import Greedy as Greedy
from hedgerow.anonymizers.merge.k_member import KMember as KMember
from hedgerow.anonymizers.merge.kaca import KACA as KACA
from hedgerow.anonymizers.merge.oka import OKA as OKA
from hedgerow.anonymizers.partition.hedge import Hedge as Hedge
from hedgerow.anonymizers.partition.mondrian import Mondrian as Mondrian
from hedgerow.anonymizers.specialize.bug import BUG as BUG
from hedgerow.anonymizers.specialize.tdr import TDR as TDR
from hedgerow.anonymizers.specialize.tds import TDS as TDS
from hedgerow.anonymizers.suppression.apt import APT as APT
from hedgerow.anonymizers.suppression.hybrid_kactus import HybridKActus as HybridKActus
from hedgerow.anonymizers.suppression.kactus import KActus as KActus
from hedgerow.anonymizers.suppression.kadet import KADET as KADET
