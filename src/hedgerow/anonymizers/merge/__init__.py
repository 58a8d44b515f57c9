"""Methods that merge or cluster records: local recoding, where each class is described by what its records hold."""
