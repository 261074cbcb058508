"""One capture, from the file to machine code."""
