"""Opening a dump of one large module, step by step: `python -m bench.opening [INSTRUCTIONS …]`.

Prints seconds of the processor and the largest memory of the worker that reads and of the client
that interprets, and the exponent by which each step grows from the first size to the last. Until
the first picture there are *send*, *interpret*, *view* and *layout*; all else comes behind it:
*count* is what the worker does then, *complete* what the client does. The module is made up:
layers of ten operations with names and lines, as XLA writes them after optimization. With `--text`
it is read from HLO text. In the end a window off the screen opens it: seconds there are of a clock.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SIZES = (1_000, 10_000, 100_000, 500_000)
_SWITCH_S = 0.0001
_TYPE = "f32[64,64]{1,0}"
_OPERATIONS = (
    *("dot", "add", "tanh", "multiply", "subtract", "maximum", "exponential", "negate", "copy"),
    "transpose",
)
_TWO = frozenset({"add", "multiply", "subtract", "maximum"})
_MORE = {
    "dot": ", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "transpose": ", dimensions={1,0}",
}


def write_module(count: int, folder: Path, *, is_text: bool = False) -> int:
    """Write a dump of a module of about so many instructions; its bytes."""
    from jaxscope.worker import compat

    lines = [
        f"HloModule jit_step, entry_computation_layout={{({_TYPE}, {_TYPE})->{_TYPE}}}",
        "ENTRY %main (x: f32[64,64], w: f32[64,64]) -> f32[64,64] {",
        f"  %x = {_TYPE} parameter(0)",
        f"  %w = {_TYPE} parameter(1)",
    ]
    before = "x"
    for layer in range(max(count // len(_OPERATIONS), 1)):
        first = before
        for number, operation in enumerate(_OPERATIONS):
            name = f"{operation}.{layer}"
            operands = f"%{before}"
            if operation == "dot" or operation in _TWO:
                operands += ", %w" if operation == "dot" else f", %{first}"
            place = f'source_file="/home/me/model.py" source_line={20 + number}'
            path = f"jit(step)/jvp(layer_{layer % 200})/block_{layer // 200}/{operation}"
            more = f'{_MORE.get(operation, "")}, metadata={{op_name="{path}" {place}}}'
            lines.append(f"  %{name} = {_TYPE} {operation}({operands}){more}")
            before = name
    lines[-1] = lines[-1].replace("  %", "  ROOT %", 1)
    text = "\n".join([*lines, "}"])
    name, data = "module_0001.jit_step.cpu_after_optimizations", text.encode()
    if not is_text:
        data = compat.serialized_hlo_of_text(text)
    (folder / f"{name}{'.txt' if is_text else '.hlo.pb'}").write_bytes(data)
    return len(data)


def _read(folder: Path) -> dict[str, float]:
    """The worker's side; what it says goes to a file."""
    from jaxscope.client.dump_folders import find_dumps
    from jaxscope.client.requests import OpenRequest, request_fields
    from jaxscope.wire.messages import Message
    from jaxscope.worker.channel import Channel
    from jaxscope.worker.stages.dump_reader import handle_open

    said: list[Message] = []
    taken: dict[str, float] = {}

    class Kept(Channel):
        def send(self, type: str, fields: Any, arrays: Any = None) -> None:
            said.append(Message(type, {"run": "", **fields}, dict(arrays or {})))
            if type == "stage" and fields["name"] == "optimized":
                taken["send"] = time.process_time() - start

    request = OpenRequest.of(find_dumps([str(folder)]).modules[0])
    start = time.process_time()
    handle_open(request_fields(request), Kept(-1))
    taken["count"] = time.process_time() - start - taken["send"]
    with (folder / "said").open("wb") as file:
        pickle.dump([(m.type, m.fields, m.arrays) for m in said], file)
    return taken


def _interpret(folder: Path) -> dict[str, float]:
    """The client's side, and the first picture."""
    from jaxscope.client.collectors import OpenCollector
    from jaxscope.client.events import Event
    from jaxscope.model import Graph
    from jaxscope.picture.scene.first_picture import Arranger, Viewport
    from jaxscope.picture.scene.group_layout import DOWN
    from jaxscope.picture.view.build import build_view
    from jaxscope.schema.archive import load_capture, save_capture
    from jaxscope.wire.messages import Message

    with (folder / "said").open("rb") as file:
        said = [Message(*each) for each in pickle.load(file)]
    collector = OpenCollector("")
    taken: dict[str, float] = {}

    def step(name: str, function: Any) -> Any:
        start = time.process_time()
        found = function()
        taken[name] = time.process_time() - start
        return found

    def feed(messages: list[Message]) -> list[Event]:
        return [event for message in messages for event in collector.feed(message)]

    stages = [m.type == "stage" and m.fields["name"] == "optimized" for m in said]
    after = stages.index(True) + 1
    first, rest = said[:after], said[after:]
    said.clear()
    arrived = step("interpret", lambda: feed(first))[-1]
    first.clear()
    taken["interpret so far MiB"] = _largest_memory()
    graph = arrived.stage.graph
    assert isinstance(graph, Graph)
    view = step("view", lambda: build_view(graph))
    room = Viewport(900.0, 700.0)
    step("layout", lambda: Arranger(view, room, DOWN, {}, lambda: False).choose())
    step("complete", lambda: (feed(rest), collector.result()))
    capture = collector.result()
    step("save", lambda: save_capture(capture, folder / "out.jaxscope"))
    step("reopen", lambda: load_capture(folder / "out.jaxscope"))
    return taken


def _show(folder: Path) -> dict[str, float]:
    """A window off the screen: seconds by a clock, from asking to the picture and to the end."""
    from jaxscope.heap import share_heap
    from jaxscope.ui.launch import load_qt

    sys.setswitchinterval(_SWITCH_S)  # as in a window that is launched
    share_heap()
    load_qt()
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from jaxscope.client.session import Session
    from jaxscope.ui.application import build_window
    from jaxscope.ui.session.controller import Bridge, RunOptions
    from jaxscope.ui.window.settings import Settings

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication([])
    bridge = Bridge(lambda: Session(is_warm=True, has_spares=False))
    window = build_window(application, bridge, RunOptions(), Settings(str(folder / "w.json")))
    window.resize(1600, 900)
    window.show()
    taken: dict[str, float] = {}
    begun = [0.0]

    def begin() -> None:
        begun[0] = time.perf_counter()
        window.open_path(str(next(folder.glob("module_*"))))

    def look() -> None:
        canvases = list(window.workspace.area.canvases())
        is_drawn = any(each.scene is not None and not each.is_busy for each in canvases)
        for name, is_so in (
            ("window drawn", is_drawn),
            ("window complete", window.controller.state.capture is not None),
        ):
            if is_so and name not in taken:
                taken[name] = time.perf_counter() - begun[0]
                taken[f"{name} MiB"] = _largest_memory()
        if len(taken) == 4 and not any(each.is_busy for each in canvases):
            application.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    QTimer.singleShot(3_000, begin)  # a worker is ready by then, as it is for who looks for a file
    application.exec()
    window.close()
    bridge.close()
    return taken


def _largest_memory() -> float:
    """MiB of this process; `getrusage` tells those of the one that started it, if it had more."""
    with open("/proc/self/status", encoding="ascii") as file:
        found = next(line for line in file if line.startswith("VmHWM:"))
    return int(found.split()[1]) / 1024


_SIDES = {"--read": _read, "--interpret": _interpret, "--window": _show}


def measure(size: int, *, is_text: bool = False) -> tuple[int, dict[str, float]]:
    """Bytes of a dump of so many instructions; seconds of each step and MiB, by name."""
    # What is launched has compiled modules from the launch before.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        num_bytes = write_module(size, Path(name), is_text=is_text)
        for side in _SIDES:
            command = [sys.executable, "-m", "bench.opening", side, name]
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, env=environment
            )
            if done.returncode:
                raise RuntimeError(done.stderr)
            told = json.loads(done.stdout.splitlines()[-1])
            found |= {f"{side[2:]} MiB" if key == "MiB" else key: v for key, v in told.items()}
    return num_bytes, found


def main(words: list[str]) -> None:
    """Measure each size in processes of its own."""
    if words and words[0] in _SIDES:
        taken = _SIDES[words[0]](Path(words[1]))
        print(json.dumps({**taken, "MiB": _largest_memory()}))
        return
    is_text = "--text" in words
    sizes = [int(word) for word in words if word != "--text"] or list(SIZES)
    found = []
    for size in sizes:
        num_bytes, row = measure(size, is_text=is_text)
        found.append(row)
        parts = ", ".join(
            f"{key} {value:.0f}" if "MiB" in key else f"{key} {value:.2f} s"
            for key, value in row.items()
        )
        print(f"{size:,} instructions, {num_bytes / 1e6:.1f} MB: {parts}", flush=True)
    if len(sizes) > 1:
        span = math.log(sizes[-1] / sizes[0])
        grown = (f"{k} n^{math.log(found[-1][k] / v) / span:.2f}" for k, v in found[0].items())
        print(f"growth from {sizes[0]:,} to {sizes[-1]:,}: {', '.join(grown)}")


if __name__ == "__main__":
    main(sys.argv[1:])
