"""One module a contract: its paths, wire models, limits, policy and error bodies."""
