"""The only composition root: settings become objects here, and nowhere else."""
