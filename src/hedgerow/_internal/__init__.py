"""Internal helpers that know nothing of tables: arrays, compiled kernels, threads, rounding, late binding.

Every other package may import them; they import only ``errors``.
Start with ``jit.py``.
"""
