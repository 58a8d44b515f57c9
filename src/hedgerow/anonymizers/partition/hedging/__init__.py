"""What Hedge is made of: what teachers know of each tuple, boxes and axes by that, and the rehearsal of a release."""
