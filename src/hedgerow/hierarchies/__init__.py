"""Hierarchies: how the values of a column generalize.

A builder (:func:`intervals`, :func:`masking`, :func:`prefix`, :func:`dates`, :func:`icd10`, :func:`groups`,
:func:`taxonomy`, :func:`flat`, :func:`automatic`, or a file through :func:`read_arx` and :func:`read_toml`) knows
nothing of the data. Its ``encode`` makes an :class:`EncodedHierarchy` for the values of one column; :func:`resolve`
does so for any entry of a schema.

``core`` and all packages above it may import it.
Start with :class:`EncodedHierarchy`.
"""

from hedgerow.hierarchies._coverage import NOWHERE, Uncovered, nodes_above
from hedgerow.hierarchies._limits import Nodes, finest_nodes, limited
from hedgerow.hierarchies._masks import masking, prefix
from hedgerow.hierarchies._resolution import automatic, flat, hierarchy_of, resolve
from hedgerow.hierarchies.calendars import dates
from hedgerow.hierarchies.diagnoses import icd10
from hedgerow.hierarchies.encoded import EncodedHierarchy, Hierarchy
from hedgerow.hierarchies.files import read_arx, read_toml
from hedgerow.hierarchies.intervals import intervals
from hedgerow.hierarchies.taxonomies import groups, taxonomy

__all__ = [
    "EncodedHierarchy",
    "Hierarchy",
    "NOWHERE",
    "Nodes",
    "Uncovered",
    "automatic",
    "dates",
    "finest_nodes",
    "flat",
    "groups",
    "hierarchy_of",
    "icd10",
    "intervals",
    "limited",
    "masking",
    "nodes_above",
    "prefix",
    "read_arx",
    "read_toml",
    "resolve",
    "taxonomy",
]
