"""Methods that merge classes (Greedy, KACA) or cluster records (k-member, OKA).

No other family imports from here; large tables are cut into blocks by ``partition.cuts``. Start with ``greedy.Greedy``
and ``_blocks.merge_blocks``; for clusters, with ``_clusters.cluster_blocks``.
"""
