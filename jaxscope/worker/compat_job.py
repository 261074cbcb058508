"""The private names of JAX's distributed runtime: the store that processes of a job share.

Checked on 0.8.0, 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import sys
from typing import Any

import jax

try:
    from jaxlib._hlo import HloPrintOptions as _PrintOptions
except ImportError:  # jaxlib 0.8 keeps it in `_jax`
    from jaxlib._jax import HloPrintOptions as _PrintOptions


def find_job() -> tuple[Any, int, int] | None:
    """The client of the runtime, the number of this process and how many there are.

    None where the code has not started the runtime, or is alone in it.
    """
    module = sys.modules.get("jax._src.distributed")
    state = getattr(module, "global_state", None)
    client = getattr(state, "client", None)
    count = int(getattr(state, "num_processes", None) or 1)
    if state is None or client is None or count < 2:
        return None
    return client, int(state.process_id or 0), count


def publish(client: Any, key: str, value: str) -> None:
    """Put a text where every process of the job can read it."""
    client.key_value_set(key, value)


def await_text(client: Any, key: str, timeout_s: float) -> str:
    """Read what another process put there, waiting for it.

    Raises:
        Exception: JAX's own error; it did not come in time.
    """
    return str(client.blocking_key_value_get(key, int(timeout_s * 1000)))


def await_all(client: Any, name: str, timeout_s: float) -> None:
    """Wait until every process has come here.

    Raises:
        Exception: JAX's own error; one did not come in time.
    """
    client.wait_at_barrier(name, int(timeout_s * 1000))


def leave() -> None:
    """Take this process out of the job, as the end of a program does."""
    jax.distributed.shutdown()  # type: ignore[no-untyped-call] # JAX does not annotate it


def program_text(module: Any) -> str:
    """A compiled module without what differs between processes: names of files, numbers of
    metadata."""
    return str(module.to_string(_PrintOptions.fingerprint()))
