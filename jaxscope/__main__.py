"""`python -m jaxscope` is the command line; started by its path, this file is that of this copy."""

from __future__ import annotations

import os
import sys

if not __package__:  # started by its path: another jaxscope may come first on the path
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from jaxscope.cli import main

if __name__ == "__main__":
    sys.exit(main())
