"""Comparing graphs, texts, captures; the command and the page."""
