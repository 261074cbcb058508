"""Compare two captures: which nodes correspond, what differs, and what the differences mean."""
