"""Learners: what is trained on published rows and asked about others."""
