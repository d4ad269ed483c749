"""The server itself: connections, their limits, and how it ends."""
