"""What of a graph is shown: simplifications, groups, labels, and which groups are open at first."""
