"""Methods that publish along a tree: each record shows the columns on its path, and the others are suppressed.

The list of methods imports it; its kernels and private modules are loaded when a method first runs.
Start with :mod:`hedgerow.anonymizers.suppression.kactus`.
"""
