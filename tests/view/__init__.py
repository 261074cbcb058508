"""Views of graphs: simplifications and groups, told as indented lines."""
