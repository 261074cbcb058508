"""Work of equations and programs, counted by XLA's rules."""
