"""What the window knows and does, without widgets: state, screen, runs, the user's file."""
