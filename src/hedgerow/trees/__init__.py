"""Classification trees as data, and the inducers that grow them."""

from hedgerow.trees.attributes import Attribute, CodedColumn
from hedgerow.trees.c45 import induce_c45
from hedgerow.trees.tree import ClassificationTree

__all__ = ["Attribute", "ClassificationTree", "CodedColumn", "induce_c45"]
