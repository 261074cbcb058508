"""The selection of the window, what it is linked to, and what is said about it."""
