"""Likely mistakes: programs that have one, and look-alikes that have none."""
