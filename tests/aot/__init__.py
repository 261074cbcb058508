"""Compiling for chips that are not there."""
