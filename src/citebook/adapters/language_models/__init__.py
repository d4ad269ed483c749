"""Language models, one vendor a file, and what their errors mean."""
