"""Whether a process is there: files that are named by their process are left alone until it is not.

Standard library only.
"""

from __future__ import annotations

import os
import sys

_SYNCHRONIZE, _NO_SUCH_PROCESS = 0x100000, 87


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number, also one of another user's."""
    if sys.platform == "win32":  # where signal 0 is Ctrl-C
        import _winapi

        try:
            handle = _winapi.OpenProcess(_SYNCHRONIZE, False, pid)
        except OverflowError:
            return False
        except OSError as error:
            return error.winerror != _NO_SUCH_PROCESS
        try:
            return bool(_winapi.WaitForSingleObject(handle, 0) == _winapi.WAIT_TIMEOUT)
        finally:
            _winapi.CloseHandle(handle)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True
