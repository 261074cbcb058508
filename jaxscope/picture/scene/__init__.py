"""A view with some groups open, placed: boxes, lines and connectors in columns."""
