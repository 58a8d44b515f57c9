"""The sections of a report, as plain values: what a page may show, whatever it does with them."""
