"""Comparison of two captures: which nodes correspond, what differs, what differences mean."""
