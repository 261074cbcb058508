"""What of a graph is shown: simplifications, groups, and which groups open at first."""
