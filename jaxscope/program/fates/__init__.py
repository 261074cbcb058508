"""What became of each equation in the optimized module."""
