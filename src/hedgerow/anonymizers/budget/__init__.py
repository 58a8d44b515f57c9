"""The suppression budget: how many records may be lost, and which are, so that the others lose less."""
