"""How a graph is drawn, without Qt: view, layout, scene, colours."""
