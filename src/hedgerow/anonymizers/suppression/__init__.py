"""Methods that publish along a tree: what the path of a record asks is shown, the rest is suppressed."""
