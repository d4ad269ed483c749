"""Ranking of what a search finds, and a selected passage as the only evidence."""
