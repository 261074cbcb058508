"""The graph of a stage, drawn: the canvas and what floats over it."""
