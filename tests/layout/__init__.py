"""Layouts and scenes: nothing overlaps, lines avoid boxes, exports hold what scenes hold."""
