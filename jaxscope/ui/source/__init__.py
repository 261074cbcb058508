"""Views of program text, and the lines of the user's file."""
