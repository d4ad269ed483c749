"""The default embedder: a small model on this machine's CPU, from weights that come with the install."""
