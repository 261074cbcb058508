"""The only code that imports JAX and runs the user's file; standard library, NumPy and JAX only."""
