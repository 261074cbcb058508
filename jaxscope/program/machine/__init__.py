"""Machine code as text: object files read, disassembled and listed kernel by kernel."""
