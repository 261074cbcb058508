"""Plots made with pyqtgraph, and figures with their table, values and export."""
