"""Pages: each answers one question about the call and holds no state but what it shows."""
