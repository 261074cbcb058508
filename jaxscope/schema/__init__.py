"""Codecs of records that enter or leave the process: archives, JSON, worker messages."""
