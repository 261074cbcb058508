"""Stands in for `mpirun -n N COMMAND…`: python launcher.py N COMMAND…"""

from __future__ import annotations

import os
import subprocess
import sys

if __name__ == "__main__":
    count, command = int(sys.argv[1]), sys.argv[2:]
    started = [
        subprocess.Popen(command, env={**os.environ, "PMI_RANK": str(n), "PMI_SIZE": str(count)})
        for n in range(count)
    ]
    sys.exit(max(abs(process.wait()) for process in started))
