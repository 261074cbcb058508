"""How arrays are distributed over devices, and what devices send to each other."""
