"""What is kept of answers, and what becomes of it later."""
