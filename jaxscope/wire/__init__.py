"""Bytes between processes: frames and messages. Standard library and NumPy only."""
