"""Tags that link instructions to the equations that they came from."""
