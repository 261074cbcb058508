"""Where boxes and lines go: a layered layout, and the scene that drawings and exports share."""
