"""Questions about the book itself, answered from its outline and by where its passages stand."""
