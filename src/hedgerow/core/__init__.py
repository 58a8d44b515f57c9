"""The core: tables as counts, published cells, recodings, their proportions and their losses.

``engines``, ``requirements`` and all packages above them may import it; it imports ``hierarchies`` and below.
Start with ``counts``, then ``cells`` and ``recoding``.
"""
