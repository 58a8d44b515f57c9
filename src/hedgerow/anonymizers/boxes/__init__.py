"""Boxes around records: how columns are described for kernels, what a box loses, and how groups improve by it.

The families ``partition`` and ``merge``, and ``anonymizers.budget``, may import it. Start with ``layout.described``.
"""
