"""What the engine and the verifier both need of Spark, and nothing of what they compute.

Only ``files`` can be imported without PySpark.
"""
