"""The words that say what to export; free of imports, for command lines are read in a moment."""

FORMATS = {
    "svg": "Picture of the graph, scalable",
    "png": "Picture of the graph",
    "pdf": "Document with the graph",
    "dot": "Graphviz",
    "html": "Page with linked stages",
    "md": "Report",
    "txt": "Text of the stage",
    "json": "Everything, as data",
}
"""What a capture is exported to: endings of files, and what such a file is."""

ALL_STAGES = "all"
"""Stands for every stage where the name of one is asked for."""

FIRST, EVERYTHING, NOTHING = "first", "all", "none"
"""Which groups to open: those that a picture opens at first, every one, none."""

DOWN, RIGHT = "down", "right"
"""Where values flow in a picture."""

DEFAULT_SCALE = 2.0
"""Pixels of a PNG for each of the scene: sharp on fine screens and in print."""

MAX_WIDTH_PX = 16_000
"""Of a PNG whose width is asked for."""
