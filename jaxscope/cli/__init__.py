"""The command line.

One module per verb, loaded when the verb is used: `jaxscope --help` must not wait for NumPy, and
`jaxscope capture` must work on a machine without a single library of Qt's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see `jaxscope.errors` for the meanings."""
    from jaxscope.cli.dispatch import run

    if arguments is None and os.path.basename(sys.argv[0]) in ("jaxscope", "jaxscope.exe"):
        _say_which_jaxscope(sys.argv[0])
    return run(list(sys.argv[1:] if arguments is None else arguments))


def _say_which_jaxscope(script: str) -> None:
    """Say so where an installed script found another jaxscope than the one it came with."""
    import sysconfig

    installed = os.path.join(sysconfig.get_path("purelib"), "jaxscope")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.isdir(installed) and os.path.realpath(installed) != os.path.realpath(here):
        print(
            f"jaxscope: this runs {here}, which is first on Python's path (PYTHONPATH), "
            f"and not {installed}, with which {script} was installed.",
            file=sys.stderr,
        )
