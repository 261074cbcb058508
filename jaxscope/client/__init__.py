"""Starts, watches and stops workers; no JAX, no Qt."""
