"""Draws the graph of a stage and lets a person move in it."""
