"""Drives a headless Chromium over its debugging pipe, with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAMS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
_WAIT_S = 60.0
_KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40}


def find_browser() -> str | None:
    """Path of a Chromium that is installed, or None."""
    found = (shutil.which(program) for program in PROGRAMS)
    return next((path for path in found if path), None)


class Browser:
    """One page in one browser; a context manager."""

    def __init__(self, program: str, folder: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self._write, self._read = ours[1], theirs[0]
        words = [
            program,
            *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-dev-shm-usage"),
            *("--window-size=1500,1000", f"--user-data-dir={folder}", "--remote-debugging-pipe"),
        ]
        # The protocol is spoken on descriptors 3 and 4, whatever numbers ours have.
        pipes = f"3</dev/fd/{ours[0]} 4>/dev/fd/{theirs[1]}"
        self._process = subprocess.Popen(
            ["sh", "-c", f"exec {shlex.join(words)} {pipes}"],
            pass_fds=(ours[0], theirs[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._write)  # the browser ends with its pipe
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def open(self, page: Path | str) -> None:
        """Load a file, or what is at an address, in place of what is shown; from here on events
        are remembered."""
        if not self._session:
            target = self._ask("Target.createTarget", url="about:blank")["targetId"]
            attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self._ask(f"{domain}.enable")
        self.events.clear()
        self._ask("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self._wait_for("Page.loadEventFired")

    def emulate(self, scheme: str) -> None:
        """Prefer `light` or `dark`, as a system does; an empty text leaves it to the browser."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._ask("Emulation.setEmulatedMedia", features=[feature])

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Until a JavaScript expression is true."""
        end = time.monotonic() + _WAIT_S
        while not self.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        """Click in the middle of the first element of a selector, as a mouse does."""
        self.evaluate(
            f"document.querySelector({json.dumps(selector)})"
            ".scrollIntoView({block: 'center', inline: 'center'})"
        )
        x, y = self.evaluate(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        code = _KEYS.get(key, 0)
        more = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **(more if kind == "keyDown" else {}),
            )  # fmt: skip

    def type(self, text: str) -> None:
        """Type where the focus is."""
        self._ask("Input.insertText", text=text)

    def picture(self) -> bytes:
        """What is seen now, as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def problems(self) -> list[str]:
        """What the console said, exceptions, and every request but that for the page itself."""
        found = []
        for event in self.events:
            name, about = event["method"], event["params"]
            if name in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                found.append(json.dumps(about)[:500])
            elif name == "Network.requestWillBeSent" and about["type"] != "Document":
                found.append(f"asked for {about['request']['url'][:200]}")
        return found

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])
        raise AssertionError(f"the browser did not answer {method}")

    def _wait_for(self, method: str) -> None:
        if not any(event["method"] == method for event in self.events):
            assert any(event.get("method") == method for event in self._messages()), method

    def _messages(self) -> Iterator[dict[str, Any]]:
        """What the browser says; events are remembered too."""
        end = time.monotonic() + _WAIT_S
        while time.monotonic() < end:
            while b"\0" in self._buffer:
                line, _, self._buffer = self._buffer.partition(b"\0")
                message = json.loads(line)
                if "method" in message:
                    self.events.append(message)
                yield message
            if not select.select([self._read], [], [], max(end - time.monotonic(), 0))[0]:
                return
            more = os.read(self._read, 1 << 20)
            if not more:
                return
            self._buffer += more
