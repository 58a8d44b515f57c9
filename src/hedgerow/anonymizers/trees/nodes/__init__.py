"""Trees as data: one array type for nodes, and trees that classify, give paths, generalize, and cut.

Inducers, tree-based methods and learners import it.
Start with :mod:`hedgerow.anonymizers.trees.nodes.arrays`.
"""
