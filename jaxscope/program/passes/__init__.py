"""XLA's passes: what each of them changed, and what it did to each equation."""
