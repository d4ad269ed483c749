"""Trains the layers of the local models further; needs PyTorch, which nothing else here does."""
