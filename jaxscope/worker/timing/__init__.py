"""Runs programs to measure them."""
