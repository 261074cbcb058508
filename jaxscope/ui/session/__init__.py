"""State and behaviour of the window, without widgets: state, screen, runs, the user's file."""
