"""Supervisor."""
