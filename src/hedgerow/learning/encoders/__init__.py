"""Representations of published tables: scikit-learn transformers that know hierarchies, sets and intervals.

Each writes a cell into one feature per node of the column's hierarchy; they differ in which features they fill.
"""

from hedgerow.learning.encoders.fill_child import FillChildEncoder
from hedgerow.learning.encoders.fill_parent import FillParentEncoder
from hedgerow.learning.encoders.one_class import OneClassEncoder
from hedgerow.learning.encoders.proportional import ProportionalEncoder

__all__ = ["FillChildEncoder", "FillParentEncoder", "OneClassEncoder", "ProportionalEncoder"]
