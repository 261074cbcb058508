"""All that runs programs to measure them."""
