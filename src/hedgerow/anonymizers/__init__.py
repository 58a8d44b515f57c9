"""Anonymizers: the methods, in families, and the one way from a table to a verified release.

Everything above the pipeline in release imports it: learning, attacks, evaluation, advice and the command.
Start with `base.py`, the class that every method extends, then `registry.py`, which has `hr.anonymize`.
"""
