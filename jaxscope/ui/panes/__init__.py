"""Panes: one stage, or the source, as graph, text or table."""
