"""From launch to the still picture: the same modules in our window, Model Explorer and Netron.

    python -m bench.peers [ROUNDS [OPERATIONS …]]     PEERS_PYTHON: an interpreter with the peers

Peers run where they are installed (`pip install netron ai-edge-model-explorer`), with their own
servers, in a headless Chromium that is started beside the server; its screen is compared by
pictures of the page. Our window runs on an X server of its own (`start.py`), once with the same
StableHLO text and once with a saved capture of the program. All are taken in turns. A picture that
does not change for 3 s is still; each last one is kept, so that a person can see what was shown.

The question that Netron asks at its first start has been answered before.

Limits: Chromium draws without a GPU, as Qt does here. Model Explorer shows the top level of a
program, Netron all of it; we show the top level of it with what fits.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from bench.start import _launch, _open_screen
from tests.export.browser import Browser, find_browser

ROUNDS = 3
SIZES = (25, 5_000, 10_000, 50_000)
_STILL_S = 3.0
_LIMIT_S = 180.0
_PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)
_PEERS = {"Model Explorer": "model_explorer.cmdline", "Netron": "netron"}
"""Their modules, each with a `main` that takes a file and a port."""

_ACCEPT = """
for (const button of document.querySelectorAll("button"))
    if (button.textContent.trim() === "Accept" && button.offsetParent) button.click();
"""

_MAKE = """
import jax
import jax.numpy as jnp


def line(x):
    for _ in range({num}):
        x = jnp.sin(x) + 1.0
    return x
"""


def measure(
    rounds: int, sizes: tuple[int, ...], kept: Path
) -> dict[int, dict[str, list[float | None]]]:
    """Seconds until the picture was still, of each round; None where it never was.

    Args:
        rounds: Launches of each.
        sizes: Numbers of operations of the modules.
        kept: A folder for the last picture of each peer.
    """
    browser = find_browser()
    found: dict[int, dict[str, list[float | None]]] = {}
    with tempfile.TemporaryDirectory() as folder, _open_screen(folder) as screen:
        home = Path(folder, "browser")
        if browser and _is_installed("netron"):
            _launch_peer(browser, "netron", _make(2, Path(folder))[0], home)
        for size in sizes:
            text, saved = _make(size, Path(folder))
            times: dict[str, list[float | None]] = {}
            found[size] = times
            for _ in range(rounds):
                for name, path in (("jaxscope, saved", saved), ("jaxscope, text", text)):
                    try:
                        still = _launch(screen, folder, "saved", str(path))["still"]
                    except TimeoutError:
                        still = None
                    times.setdefault(name, []).append(still)
                for name, module in _PEERS.items():
                    if browser and _is_installed(module.partition(".")[0]):
                        seconds, picture = _launch_peer(browser, module, text, home)
                        (kept / f"{name} {size}.png").write_bytes(picture)
                        times.setdefault(name, []).append(seconds)
    return found


def _make(size: int, folder: Path) -> tuple[Path, Path]:
    """The StableHLO text of a line of so many operations, and a capture of the same."""
    source = folder / f"line{size}.py"
    source.write_text(_MAKE.format(num=size // 2), "utf-8")
    text, saved = source.with_suffix(".mlir"), source.with_suffix(".jaxscope")
    program = (
        f"import runpy, jax; f = runpy.run_path({str(source)!r})['line'];"
        "x = jax.ShapeDtypeStruct((64,), 'float32');"
        f"open({str(text)!r}, 'w').write(jax.jit(f).lower(x).as_text())"
    )
    for words in (
        ("-c", program),
        ("-m", "jaxscope", "capture", str(source), "line(f32[64])", "-o", str(saved)),
    ):
        subprocess.run([sys.executable, *words], check=True, capture_output=True, timeout=900)
    return text, saved


def _is_installed(module: str) -> bool:
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return not subprocess.run([_PYTHON, "-c", found], check=False).returncode


def _launch_peer(program: str, module: str, file: Path, home: Path) -> tuple[float | None, bytes]:
    """Seconds from the launch of a peer's server until the page that shows a file is still, None
    where it never is, and its last picture.

    Args:
        program: The browser.
        module: Of the peer.
        file: The StableHLO text to show.
        home: Where the browser keeps what pages remember.
    """
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    address = f"http://localhost:{port}/"
    words = ["-c", f"from {module} import main; main()", str(file), "--port", str(port)]
    if module != "netron":
        words.append("--no_open_in_browser")
        models = json.dumps({"models": [{"url": str(file)}]})
        address += f"?data={urllib.parse.quote(models)}"
    start = time.monotonic()
    server = subprocess.Popen(
        [_PYTHON, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with Browser(program, home) as browser:
            _wait_for(port)
            browser.open(address)
            return _watch(browser, start)
    finally:
        server.terminate()
        server.wait()


def _wait_for(port: int) -> None:
    end = time.monotonic() + _LIMIT_S
    while time.monotonic() < end:
        try:
            socket.create_connection(("localhost", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise TimeoutError(f"nothing answers at {port}")


def _watch(browser: Browser, start: float) -> tuple[float | None, bytes]:
    before, changed = b"", start
    while time.monotonic() < start + _LIMIT_S:
        browser.evaluate(_ACCEPT)
        now, picture = time.monotonic(), browser.picture()
        if picture != before:
            before, changed = picture, now
        elif now > changed + _STILL_S:
            return changed - start, picture
        time.sleep(0.02)
    return None, before


def main(arguments: list[str]) -> None:
    """Print a table: operations, and for each viewer the median and its ratio to our saved one."""
    rounds = int(arguments[0]) if arguments else ROUNDS
    sizes = tuple(map(int, arguments[1:])) or SIZES
    kept = Path(tempfile.mkdtemp(prefix="peers-"))
    for size, times in measure(rounds, sizes, kept).items():
        middles = {
            name: statistics.median(each if each is not None else _LIMIT_S for each in taken)
            for name, taken in times.items()
        }
        ours = middles["jaxscope, saved"]
        cells = (
            f"{name} {middle:.2f} s ({middle / ours:.1f}×)"
            if middle < _LIMIT_S
            else f"{name} not still after {_LIMIT_S:.0f} s"
            for name, middle in middles.items()
        )
        print(f"{size:,} operations: {'; '.join(cells)}", flush=True)
    print(f"last pictures of the peers: {kept}")


if __name__ == "__main__":
    main(sys.argv[1:])
