"""C4.5 on a table whose tuples do not fit into memory: the same tree, from histograms and from part after part."""
