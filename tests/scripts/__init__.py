"""Scripts that run as they are, and what is seen of them."""
