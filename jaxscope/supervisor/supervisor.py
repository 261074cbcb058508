"""The process between a client and its workers: starts, watches, signals and kills them, and keeps
spare workers ready.

PYTHON bootstrap.py jaxscope.supervisor.supervisor

It speaks `wire.frames` on its standard streams, runs no user code, imports neither JAX nor NumPy,
and ends with everything it started when its input ends. One thread: a worker dies with the *thread*
that started it (PR_SET_PDEATHSIG), and nothing here may wait for anything but `select`.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxscope.supervisor import process_tree
from jaxscope.supervisor.pipes import EventLoop, OutStream, has_more, make_pipes, open_end, read
from jaxscope.supervisor.worker_process import HAS_SIGNALS, SILENCE_S, Limits, WorkerProcess
from jaxscope.wire.frames import (
    CONTROL,
    GREETING,
    FrameError,
    decode_control,
    encode,
    encode_control,
    split_relayed_frames,
)
from jaxscope.wire.frames import HEADER as WORKER_HEADER
from jaxscope.wire.scratch import remove_scratch

# When to start a spare worker: one for each kind of run, not too many, not again and again.


SpareKey = tuple[str, tuple[tuple[str, str], ...]]
"""Interpreter and environment of a worker; a spare serves runs with the same key."""

MAX_SPARES = 2
MAX_IDLE_DEATHS = 3
"""More deaths of idle workers than this within `IDLE_DEATHS_WINDOW_S` end the starting of spares:
something is wrong with the interpreter, and the next run will say what."""

IDLE_DEATHS_WINDOW_S = 60.0


def read_spare_key(values: Mapping[str, Any]) -> SpareKey:
    """The key that a client's frame names.

    Raises:
        ValueError: It names no interpreter, or the environment is not made of texts.
    """
    python, environment = values.get("python"), values.get("environment") or {}
    if not isinstance(python, str) or not isinstance(environment, dict):
        raise ValueError("a worker needs an interpreter and an environment")
    return python, tuple(sorted((str(name), str(value)) for name, value in environment.items()))


class SpareScheduler:
    """Which spares to start, and when."""

    def __init__(self) -> None:
        self._due_at: dict[SpareKey, float] = {}
        self._idle_deaths: deque[float] = deque(maxlen=MAX_IDLE_DEATHS + 1)

    def add(self, key: SpareKey, at: float) -> None:
        """Ask for a spare at a time of `time.monotonic`; an earlier time stays."""
        self._due_at[key] = min(at, self._due_at.get(key, at))

    def drop(self, key: SpareKey) -> None:
        """Forget what was asked for a key."""
        self._due_at.pop(key, None)

    def note_idle_death(self) -> None:
        """A worker died that had no run."""
        self._idle_deaths.append(time.monotonic())

    def wait_s(self) -> float | None:
        """Seconds until the next spare is due; None if there is none."""
        if not self._due_at:
            return None
        return max(min(self._due_at.values()) - time.monotonic(), 0.0)

    def take_due(self, now: float) -> list[SpareKey]:
        """Keys of the spares to start now; none while idle workers die too often."""
        due = [key for key, at in self._due_at.items() if at <= now]
        for key in due:
            del self._due_at[key]
        recent = [at for at in self._idle_deaths if now - at < IDLE_DEATHS_WINDOW_S]
        return [] if len(recent) > MAX_IDLE_DEATHS else due


GRACE_S = 2.0
"""From the SIGINT of a stop to the kill."""

START_BUDGET_S = 60.0
"""For a worker to import JAX and say hello; a cold disk or a wedged driver takes long."""

_TICK_S = 0.05
_OUTPUT_INTERVAL_S = 0.1
_SPARE_DELAY_S = 8.0
"""A spare for who stops a long run; a shorter one has the processors, and its spare follows it."""

_STACK_WAIT_S = 0.1
_SILENT_REPEAT_S = 1.0
_DYING_BUDGET_S = 5.0
_MEMORY_SHARE = 0.75
_PENDING_BYTES = 16 << 20
_HITS = frozenset({"signal", "frozen", "deaf"})
"""Ends of a worker that did not begin with its run: something else did this to it."""

_NO_ENDS = frozenset({"exited", "closed", "garbage"})
"""And those of one that had said hello: something else spoke to it, or for it."""

_MAX_TRIES = 3
"""Workers for one run, where each ended before it began with it."""


class Supervisor:
    """The loop. Every method returns at once."""

    def __init__(self, input_descriptor: int, output_descriptor: int) -> None:
        open_end(input_descriptor, is_read=True)
        open_end(output_descriptor, is_read=False)
        self._loop = EventLoop()
        self._input = input_descriptor
        self._client = OutStream(self._loop, output_descriptor)
        self._splitter = split_relayed_frames()
        self._workers: dict[int, WorkerProcess] = {}
        self._serial = 0
        self._last_output_at = 0.0
        self._spares = SpareScheduler()
        self._is_throttled = False
        self._is_over = False

    def run(self) -> None:
        """Serve until the input ends, then leave nothing behind."""
        if HAS_SIGNALS:
            self._watch_signals()
        self._loop.watch(self._input, self._on_input)
        self._client.send(GREETING)
        try:
            while not self._is_over and not self._client.is_broken:
                self._loop.react(self._timeout_s())
                self._tick()
        finally:
            self._end_all()

    def _watch_signals(self) -> None:
        ((wake_read, wake_write),) = make_pipes(1)
        open_end(wake_read, is_read=True)
        open_end(wake_write, is_read=False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_terminate)
        self._loop.watch(wake_read, lambda: _drain(wake_read))

    def _on_terminate(self, _number: int, _frame: object) -> None:
        self._is_over = True

    def _timeout_s(self) -> float | None:
        if any(worker.run_number is not None or worker.reason for worker in self._workers.values()):
            return _TICK_S
        if any(not worker.is_ready for worker in self._workers.values()):
            return 1.0
        return self._spares.wait_s()

    # --- the client's side ---

    def _on_input(self) -> None:
        if self._is_over:
            return  # a run that is not begun here can be given to another supervisor
        data = read(self._input)
        if data is None:
            return
        if not data:
            self._is_over = True
            return
        try:
            for header, payload in self._splitter.feed(data):
                self._on_frame(header[1], header[2], payload)
        except ValueError:
            self._is_over = True  # a client that speaks nonsense is as good as gone

    def _on_frame(self, kind: int, number: int, payload: bytes) -> None:
        if kind != CONTROL:
            if worker := self._find(number):
                worker.queue_request(WORKER_HEADER.pack(len(payload), kind) + payload)
                self._watch_request(worker)
            return
        values = decode_control(payload)
        operation = values.get("op")
        if operation == "start":
            self._start(number, values)
        elif operation == "ping":
            runs = [w.run_number for w in self._workers.values() if w.run_number is not None]
            pong = {"event": "pong", "id": values.get("id"), "runs": runs}
            self._client.send(encode_control(0, pong))
        elif operation == "prepare":
            self._spares.add(read_spare_key(values), 0.0)
        elif worker := self._find(number):
            self._command(worker, str(operation))

    def _command(self, worker: WorkerProcess, operation: str) -> None:
        if operation == "finish":
            worker.end("finished", kill_after_s=0)
        elif operation == "kill":
            worker.end("killed", kill_after_s=0)
        elif operation == "interrupt":
            worker.end("stopped", kill_after_s=GRACE_S if worker.is_ready else 0)
            worker.interrupt()
        elif operation == "skip":
            worker.skip()

    def _emit(self, worker: WorkerProcess, values: dict[str, Any]) -> None:
        if worker.run_number is not None:
            self._client.send(encode_control(worker.run_number, values))

    def _throttle(self) -> None:
        """Stop reading from workers while the client does not keep up with them."""
        is_full = self._client.num_pending_bytes > _PENDING_BYTES
        if is_full != self._is_throttled:
            self._is_throttled = is_full
            for worker in self._workers.values():
                self._watch_reply(worker)

    # --- the workers' side ---

    def _start(self, number: int, values: dict[str, Any]) -> None:
        key = read_spare_key(values)
        worker = self._take_spare(key)
        if worker is None:
            try:
                worker = self._spawn(key)
            except OSError as error:
                ended = {"event": "ended", "reason": "not_started", "error": str(error)}
                self._client.send(encode_control(number, ended))
                return
        memory_bytes = values.get("memory_bytes")
        if memory_bytes is None:
            memory_bytes = int(_MEMORY_SHARE * process_tree.total_memory_bytes())
        worker.attach(number, Limits(values.get("timeout_s"), memory_bytes))
        worker.has_successor = values.get("spare") != "never"
        self._emit(worker, {"event": "started", "pid": worker.pid})
        for kind, payload in worker.early_frames:
            self._client.send(encode(kind, number, payload))
        if values.get("spare") == "now":
            self._spares.add(key, time.monotonic() + _SPARE_DELAY_S)

    def _take_spare(self, key: SpareKey) -> WorkerProcess | None:
        self._spares.drop(key)
        for worker in list(self._workers.values()):
            if worker.key == key and worker.run_number is None and not worker.reason:
                if worker.process.poll() is not None:
                    self._reap(worker)
                elif process_tree.read_state(worker.pid) == "T":
                    worker.end("frozen", kill_after_s=0)
                    self._spares.note_idle_death()
                else:
                    return worker
        return None

    def _start_due_spares(self, now: float) -> None:
        for key in self._spares.take_due(now):
            spares = [w for w in self._workers.values() if w.run_number is None and not w.reason]
            if any(worker.key == key for worker in spares):
                continue
            if len(spares) >= MAX_SPARES:
                spares[0].end("finished", kill_after_s=0)
            with contextlib.suppress(OSError):  # the next run reports what is wrong
                self._spawn(key)

    def _spawn(self, key: SpareKey) -> WorkerProcess:
        self._serial += 1
        worker = WorkerProcess(self._serial, key[0], dict(key[1]))
        self._workers[worker.serial] = worker
        for descriptor in worker.output_fds:
            self._watch_output(worker, descriptor)
        self._loop.watch(worker.stack_fd, lambda: self._read(worker.stack_fd, worker.read_stack))
        self._loop.watch(
            worker.heartbeat_fd, lambda: self._read(worker.heartbeat_fd, worker.read_heartbeat)
        )
        self._watch_reply(worker)
        return worker

    def _watch_output(self, worker: WorkerProcess, descriptor: int) -> None:
        self._loop.watch(descriptor, lambda: self._read(descriptor, worker.read_output, descriptor))

    def _watch_reply(self, worker: WorkerProcess) -> None:
        if self._is_throttled or worker.has_closed_reply:
            self._loop.unwatch(worker.reply_fd)
        else:
            # After the output: what was printed first arrives first.
            self._loop.watch(worker.reply_fd, lambda: self._on_reply(worker), order=2)

    def _read(self, descriptor: int, read: Callable[..., bool], *arguments: int) -> None:
        if not read(*arguments):
            self._loop.unwatch(descriptor)

    def _on_reply(self, worker: WorkerProcess) -> None:
        try:
            for kind, payload in worker.read_reply():
                if worker.is_ready or not self._take_hello(worker, payload):
                    self._relay(worker, kind, payload)
        except FrameError:
            worker.has_closed_reply = True
            worker.end("garbage", kill_after_s=0)
        if worker.has_closed_reply:
            self._loop.unwatch(worker.reply_fd)

    def _take_hello(self, worker: WorkerProcess, payload: bytes) -> bool:
        """Whether this frame is the worker's hello; a failure to start is left for the client."""
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(payload)
            if isinstance(message, dict) and message.get("type") == "hello":
                worker.is_ready = True
                worker.last_sign_at = time.monotonic()
                if worker.run_number is not None:
                    worker.run_started_at = worker.last_sign_at
                return True
        return False

    def _relay(self, worker: WorkerProcess, kind: int, payload: bytes) -> None:
        if worker.run_number is None:
            worker.early_frames.append((kind, payload))
            del worker.early_frames[:-4]
        else:
            self._client.send(encode(kind, worker.run_number, payload))

    def _watch_request(self, worker: WorkerProcess) -> None:
        def push() -> None:
            if not worker.push_request():
                self._loop.unwatch(worker.request_fd)

        if worker.push_request():
            self._loop.watch(worker.request_fd, push, events=selectors.EVENT_WRITE)

    def _find(self, number: int) -> WorkerProcess | None:
        return next((w for w in self._workers.values() if w.run_number == number), None)

    # --- time passes ---

    def _tick(self) -> None:
        now = time.monotonic()
        shows_output = now - self._last_output_at >= _OUTPUT_INTERVAL_S
        for worker in list(self._workers.values()):
            if worker.process.poll() is not None:
                self._reap(worker)
                continue
            if worker.run_number is not None:
                if worker.is_frozen(now):
                    worker.end("frozen", kill_after_s=0)
                elif self._splitter.is_empty and worker.is_deaf(now):
                    worker.end("deaf", kill_after_s=0)
                worker.watch_memory()
                self._check_time(worker, now)
                self._check_silence(worker, now)
                if shows_output:
                    self._emit_output(worker)
            if not worker.is_ready and now - worker.started_at > START_BUDGET_S:
                worker.end("start_timeout", kill_after_s=0)
            if worker.kill_at is not None and now >= worker.kill_at:
                worker.kill()
                if now - worker.kill_at > _DYING_BUDGET_S:
                    self._reap(worker)
        if shows_output:
            self._last_output_at = now
        self._throttle()
        self._start_due_spares(now)

    def _check_time(self, worker: WorkerProcess, now: float) -> None:
        timeout_s = worker.limits.timeout_s
        if timeout_s is None or worker.reason or worker.run_started_at is None:
            return
        if now - worker.run_started_at > timeout_s:
            worker.ask_where()
            worker.end("timeout", kill_after_s=_STACK_WAIT_S)

    def _check_silence(self, worker: WorkerProcess, now: float) -> None:
        silence_s = worker.silence_s(now)
        if silence_s < SILENCE_S:
            if worker.is_silent:
                worker.is_silent = False
                self._emit(worker, {"event": "responding"})
            return
        if not worker.is_silent:
            worker.is_silent = True
            worker.ask_where()
            worker.reported_silence_at = now - _SILENT_REPEAT_S + _TICK_S
        elif now - worker.reported_silence_at >= _SILENT_REPEAT_S:
            worker.reported_silence_at = now
            stack = worker.stack.decode("utf-8", "replace")
            state = process_tree.read_state(worker.pid)
            event = {"event": "silent", "seconds": silence_s, "stack": stack, "state": state}
            self._emit(worker, event)

    def _emit_output(self, worker: WorkerProcess) -> None:
        for stream, meter in worker.meters.items():
            if text := meter.take():
                ended = {"stream": stream, "text": text, "lines": meter.num_ends}
                self._emit(worker, {"event": "output", **ended})

    def _reap(self, worker: WorkerProcess) -> None:
        """After a worker's death: end what it left, read what it said last, inform the client."""
        del self._workers[worker.serial]
        worker.process.kill_rest()
        others = self._workers.values()
        process_tree.sweep_orphans([w.pid for w in others], [w.marker for w in others])
        for descriptor in worker.descriptors():
            self._loop.unwatch(descriptor)
        self._read_last_words(worker)
        ended = worker.describe_end()
        was_hit = ended["reason"] in _HITS or (worker.is_ready and ended["reason"] in _NO_ENDS)
        # It was killed and has not died yet, or something else has asked for its status.
        was_hit |= worker.process.returncode is None
        if worker.run_number is None:
            if not worker.reason:
                self._spares.note_idle_death()
                if was_hit:
                    self._spares.add(worker.key, 0.0)
        elif not (was_hit and not worker.has_begun and self._give_to_another(worker)):
            self._emit_output(worker)
            self._emit(worker, ended)
            if worker.is_ready and worker.has_successor:
                self._spares.add(worker.key, 0.0)
        worker.close()

    def _give_to_another(self, worker: WorkerProcess) -> bool:
        """Let another worker have the run of one that was hit before it began with it."""
        if worker.num_tries + 1 >= _MAX_TRIES:
            return False
        self._spares.note_idle_death()
        try:
            successor = self._take_spare(worker.key) or self._spawn(worker.key)
        except OSError:
            return False  # then it is told how this one ended
        worker.hand_over(successor)
        self._watch_request(successor)
        return True

    def _read_last_words(self, worker: WorkerProcess) -> None:
        for descriptor in worker.output_fds:
            while has_more(descriptor) and worker.read_output(descriptor):
                pass
        while has_more(worker.stack_fd) and worker.read_stack():
            pass
        while has_more(worker.heartbeat_fd) and worker.read_heartbeat():
            pass
        while not worker.has_closed_reply and has_more(worker.reply_fd):
            self._on_reply(worker)

    def _end_all(self) -> None:
        for worker in self._workers.values():
            worker.kill()
        deadline = time.monotonic() + 1.0
        for worker in self._workers.values():
            with contextlib.suppress(Exception):
                while worker.process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.005)
                remove_scratch(worker.pid)
        process_tree.sweep_orphans([], [])


def _drain(descriptor: int) -> None:
    while read(descriptor):
        pass


def main(_arguments: Sequence[str] = ()) -> None:
    """Serve the client at the other end of the standard streams until it goes."""
    # Private copies first: nothing that this process starts or prints may touch the stream.
    input_descriptor, output_descriptor = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    if HAS_SIGNALS:
        import resource  # Windows has none

        process_tree.adopt_orphans()
        # User code may have stopped this process; it must go on, to end what the client left.
        process_tree.get_signal_when_parent_dies(signal.SIGCONT)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Supervisor(input_descriptor, output_descriptor).run()
    if not HAS_SIGNALS:
        os._exit(0)  # a thread may still wait in a pipe
