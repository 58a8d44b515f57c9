"""What a person reads of a release or an audit: one self-contained page, made of parts."""
