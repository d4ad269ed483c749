"""The HTTP service: five contracts over one core."""
