"""Global recoding guided by the label: TDS and TDR specialize from the top, BUG generalizes from the bottom.

The list of methods imports it.
Start with :mod:`hedgerow.anonymizers.specialize.tds`.
"""
