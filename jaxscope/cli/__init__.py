"""The command line.

One module per verb, loaded when the verb is used: `jaxscope --help` must not wait for NumPy, and
`jaxscope capture` must work on a machine without a single library of Qt's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see `jaxscope.errors` for the meanings."""
    from jaxscope.cli.dispatch import run

    return run(list(sys.argv[1:] if arguments is None else arguments))
