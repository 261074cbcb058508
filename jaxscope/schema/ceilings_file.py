"""The most that a machine reached in arithmetic and memory traffic, kept in the user's cache folder
for the next time.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from jaxscope.model.capture import Environment
from jaxscope.model.hardware import Ceilings
from jaxscope.model.said import pack_said
from jaxscope.schema.safe_text import clean_fields
from jaxscope.schema.whole_file import write_bytes

_MAX_KEPT_BYTES = 100_000


def store_ceilings(measured: Ceilings) -> Ceilings:
    """Keep the best of what was measured now and before on this machine, for the next time.

    A folder that cannot be written is no failure.

    Returns:
        The best.
    """
    before = stored_ceilings(measured.environment)
    ceilings = measured if before is None else measured.keep_best(before)
    path = _place(ceilings.environment)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, msgspec.json.encode(ceilings, enc_hook=pack_said))
    except OSError:
        pass
    return ceilings


def stored_ceilings(environment: Environment) -> Ceilings | None:
    """What was measured before on the machine and device of an environment, or None."""
    path = _place(environment)
    try:
        if path.stat().st_size > _MAX_KEPT_BYTES:
            return None
        kept = clean_fields(msgspec.json.decode(path.read_bytes()))
        found = msgspec.convert(kept, Ceilings)
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return None
    known = found.arithmetic.best > 0 and found.bandwidth.best > 0
    return found if known and _key(found.environment) == _key(environment) else None


def _key(environment: Environment) -> tuple[str, str, str, str]:
    return environment.host, environment.platform, environment.device, environment.jaxlib


def _place(environment: Environment) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = re.sub(r"[^\w.-]+", "-", "-".join(_key(environment)))[:150]
    return Path(base) / "jaxscope" / f"ceilings-{name}.json"
