"""Layered layout of abstract diagrams: ranks, order, positions, routes; our own or Graphviz's."""
