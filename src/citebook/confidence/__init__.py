"""How probably an answer is right: signals, weights, curve."""
