"""What grows a tree: C4.5, ID3 for published tables, kADET, and the ways to scikit-learn's, Weka's and one's own."""
