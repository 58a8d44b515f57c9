"""Methods that generalize whole columns: each looks for a good place in the lattice of hierarchy levels."""
