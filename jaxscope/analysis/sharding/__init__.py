"""How arrays are cut over devices, and what devices say to each other. Pure functions."""
