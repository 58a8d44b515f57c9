"""What knows nothing of tables: arrays, compiled kernels, threads, rounding, late binding."""
