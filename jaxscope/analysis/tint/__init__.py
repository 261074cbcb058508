"""Colour a graph's boxes by what is known of their nodes."""

from jaxscope.analysis.tint.classes import ColourBy, Tint, TintClass, tint_scene

__all__ = ["ColourBy", "Tint", "TintClass", "tint_scene"]
