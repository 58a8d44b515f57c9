"""What every method works on: counts, published cells, recodings, proportions, and metrics of their loss."""
