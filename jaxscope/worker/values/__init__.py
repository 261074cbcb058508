"""The values of a program, computed equation by equation."""
