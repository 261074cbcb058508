"""Devices to compile for, those that are not there included."""
