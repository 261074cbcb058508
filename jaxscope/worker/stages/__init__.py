"""Makes the stages of one capture, from the file to machine code."""
