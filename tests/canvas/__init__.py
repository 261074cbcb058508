"""The canvas in real widgets, offscreen."""
