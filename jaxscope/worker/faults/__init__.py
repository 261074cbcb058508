"""What an exception of user code means, and what to try."""
