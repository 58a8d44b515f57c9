"""Trees as data: one array type for nodes, and the views that predict, publish, generalize and cut."""
