"""The window, offscreen: real widgets, and where it says so, real workers."""
