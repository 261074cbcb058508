"""The process of `jaxscope run`: a script as `__main__`, watched while it runs.

Started by file, `python run_script.py OPTIONS KIND TARGET ARGS…`, by any interpreter that has JAX
and what jaxscope needs; OPTIONS is JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main(words: list[str]) -> int:
    """Run, write the list, and return the status of the script."""
    options, kind, target, *arguments = words
    _find_jaxscope()
    from jaxscope.watching import EnoughSeen, Watch, WatchOptions
    from jaxscope.worker.host.script import print_error, run_as_main

    known: dict[str, Any] = json.loads(options)
    out = Path(known["out"]) if known["out"] else None
    watch = Watch(
        WatchOptions(out, tuple(known["catch"]), known["after"], known["stop_after"]),
        " ".join([target, *arguments]),
    )
    sys.argv = [target, *arguments]
    with watch:
        try:
            run_as_main(kind, target)
            status = 0
        except EnoughSeen:
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except KeyboardInterrupt:
            status = 130
        except BaseException as error:
            print_error(error, __file__)
            status = 1
        watch.exit_status = status
    return status


def _find_jaxscope() -> None:
    """Let this file's own jaxscope be imported, after all that the script finds by itself."""
    here = str(Path(__file__).resolve().parents[1])
    own = str(Path(__file__).resolve().parent)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    sys.path.append(here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
