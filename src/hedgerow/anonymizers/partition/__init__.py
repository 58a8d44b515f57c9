"""Methods that cut the space of quasi-identifiers into boxes."""
