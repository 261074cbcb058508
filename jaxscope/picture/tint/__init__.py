"""Colours of boxes by what is known of their nodes."""
