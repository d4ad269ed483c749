"""Whether quoted sentences support a claim."""
