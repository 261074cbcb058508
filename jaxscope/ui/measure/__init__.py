"""Pages of timing and of the experiments, and their plots."""
