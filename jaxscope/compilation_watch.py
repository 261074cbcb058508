"""Watch what a program compiles while it runs: what `jaxscope.watch` and `jaxscope run` do.

`jax.jit` is replaced for that time, so every function that is jitted meanwhile is known with its
arguments; of what was jitted before only names and seconds are known. A function that is caught is
captured at one of its calls, from the real arguments, before the call is made. A call that compiles
nothing costs a few attribute reads and a look at the types of its arguments (`bench/recording.py`),
unless its function has several programs: then its arguments decide which one it was.

Where the first NaN is looked for, each call is waited for and its results are read on the host;
what a function donates is copied before.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import re
import socket
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jaxscope.client.experiment_collectors import RecompilationCollector
from jaxscope.errors import JaxscopeError
from jaxscope.export.measurement_files import recompilation_to_json
from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import NONFINITE_RESULT, Capture, Check, Severity
from jaxscope.model.experiments import Recompilation, Signature
from jaxscope.model.ranks import LIST_NAME, Rank, find_launched_rank, rank_folder
from jaxscope.program.recompilation import LOOP_PREFIX, bare_name, describe_key_change
from jaxscope.schema.archive import save_capture
from jaxscope.schema.contract import Json, number_to_json
from jaxscope.schema.whole_file import write_bytes
from jaxscope.wire.messages import Message
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.host.live_call import describe_live_call
from jaxscope.worker.stages.nonfinite import REMEDY, copy_arrays, count_odd, explain_nonfinite
from jaxscope.worker.targets.environment import describe_environment
from jaxscope.worker.timing.conditions import read_setting
from jaxscope.worker.timing.recompilation import (
    CallKey,
    CompilationWatch,
    JitRecorder,
    RecordedJit,
    find_key,
    name_of,
)
from jaxscope.worker.timing.traffic import PAUSE_PER_COST, MemoryLog, Traffic, find_moved

_WRITE_EVERY_S = 2.0
_DONATIONS = ("donate_argnums", "donate_argnames")
_MOST_NAMES = 8

_Owner = tuple[str, str]
"""Name and place of a function."""


class EnoughSeen(BaseException):  # like KeyboardInterrupt: it ends a program
    """Ends a script of which enough was seen; what catches errors lets it pass."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Which functions a watch captures, and where it writes.

    Attributes:
        out: Folder for the list and for captures; None keeps neither. Of several processes of one
            job each has a folder `rank-N` in it.
        catch: Names of functions to capture; empty for every function, where there is a folder;
            None for no function, although there is a folder for the list.
        after: Calls of a function that are let pass before it is captured.
        stop_after: Calls of caught functions after which the script is ended; None lets it run.
        at_nan: Whether a function is captured at its first call that returns NaN or Inf although
            its arguments hold none, in place of its first call.
        on_folder: Told the folder of this process once that is known.
    """

    out: Path | None = None
    catch: tuple[str, ...] | None = ()
    after: int = 0
    stop_after: int | None = None
    at_nan: bool = False
    on_folder: Callable[[Path], object] = lambda _folder: None


@dataclass(frozen=True, slots=True)
class _Captured:
    """A call that was to be captured: the file's name, if it was, and what JAX did before it.

    Attributes:
        seconds: Of stages that JAX does not do again for the call itself, by name.
    """

    file: str
    seconds: Mapping[str, float]


class _CheapRecorder(JitRecorder):
    """Reads the arguments of a call only where it compiled, or where they decide."""

    def __init__(
        self,
        before_call: Callable[[RecordedJit, Any, Any], _Captured | None],
        find_looked_at: Callable[[RecordedJit, Any, Any], _Owner | None],
        after_call: Callable[[RecordedJit, _Owner, Any, Any, Any], str],
        on_looked: Callable[[], None],
        on_trouble: Callable[[str, Exception], None],
        *listeners: Any,
    ) -> None:
        """
        Args:
            before_call: Called before each call; returns what it captured, or nothing.
            find_looked_at: Called before each call; returns its function, if its results are to
                be looked at.
            after_call: Called after each such call, with its function, its arguments as they were
                and its results; returns the name of its capture, if it captured it.
            on_looked: Called when the memory was looked at, which is now and then.
            on_trouble: Told the function's name and the error where a call could not be noted.
            listeners: As of `JitRecorder`.
        """
        super().__init__(*listeners)
        self._on_looked, self._on_trouble = on_looked, on_trouble
        self.is_watching = False
        self.captures: dict[int, str] = {}
        self.find_number: Callable[[CallKey], int | None] = lambda _key: None
        self._before_call, self._after_call = before_call, after_call
        self._find_looked_at = find_looked_at
        self._moved: dict[tuple[Any, ...], list[tuple[str, str]] | None] = {}
        self.traffic, self.memory = Traffic(), MemoryLog()
        self.programs: Counter[int] = Counter()
        self.calls_of_only: Counter[int] = Counter()
        self._loops: weakref.WeakKeyDictionary[Any, RecordedJit] = weakref.WeakKeyDictionary()

    def run_loop(self, program: Any, function: Any, run: Any, args: tuple[Any, ...]) -> Any:
        """Run an operation with a body that Python runs outside of jit; see `watching_loops`."""
        jitted = self._loops.get(program)
        if jitted is None:
            # JAX's word for the program is `jit_scan`; a function of the user's may be called scan.
            named = functools.wraps(function)(lambda: None)
            named.__name__ = f"{LOOP_PREFIX}{function.__name__}"
            jitted = RecordedJit(run, named, {}, self, self.original(function))
            self._loops[program] = jitted
        return self.call(jitted, args, {})

    def call(self, jitted: RecordedJit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        is_own = self.is_watching and not self._now.is_inside
        is_own = is_own and not read_setting("jax_disable_jit")  # then nothing is jitted
        if not is_own or not compat.is_outside_of_traces():
            return jitted.inner(*args, **kwargs)
        captured = self._before_call(jitted, args, kwargs)
        owner = self._find_looked_at(jitted, args, kwargs)
        kept = (args, kwargs) if owner is None else self._copy_donated(jitted, args, kwargs)
        self.num_calls += 1
        with self.watching() as now:
            result = jitted.inner(*args, **kwargs)
        try:
            self._note_call(jitted, args, kwargs, captured, now)
            if owner is not None:
                file = self._after_call(jitted, owner, *kept, result)
                self._note_file(file, self._key(jitted, args, kwargs))
        except Exception as error:  # whatever it is, the user's program goes on
            self._on_trouble(name_of(jitted.function), error)
        if self.memory.look():
            self._on_looked()
        return result

    def _note_call(
        self,
        jitted: RecordedJit,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        captured: _Captured | None,
        now: Any,
    ) -> None:
        """Keep what a call compiled, and what it moved between host and device."""
        owner, key = id(jitted.function), None
        before = captured.seconds if captured else {}
        # A program that was compiled ahead of time is only traced, which the capture did already.
        if now.durations or (before and not self.programs[owner]):
            for name, seconds in before.items():
                now.durations.setdefault(name, [seconds])
            self._alive[owner] = jitted.function
            self.programs[owner] += 1
            # Shapes and types of arguments that were donated are still there.
            key = self._key(jitted, args, kwargs)
            self.report_compiled(jitted, key, now)
        elif self.programs[owner] == 1:
            self.calls_of_only[owner] += 1
        else:
            key = self._key(jitted, args, kwargs)
            self._on_called(jitted, key)
        if captured and captured.file:
            self._note_file(captured.file, key or self._key(jitted, args, kwargs))
        if host := self.traffic.host_values(args, kwargs):
            known = (owner, self.programs[owner], host)
            if known not in self._moved:
                key = key or self._key(jitted, args, kwargs)
                with self.watching():  # what this traces is none of the program's
                    moved = find_moved(jitted.program, jitted.options, key.leaves, args, kwargs)
                self._moved[known] = moved
            self.traffic.note_call(name_of(jitted.function), self._moved[known])

    def _copy_donated(
        self, jitted: RecordedJit, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments that can still be read after the call."""
        if jitted.options.keys().isdisjoint(_DONATIONS):
            return args, kwargs
        try:
            with self.watching():  # what copying compiles is none of the program's
                copies: tuple[tuple[Any, ...], dict[str, Any]] = copy_arrays((args, kwargs))
                return copies
        except Exception as error:  # whatever it is, the user's program goes on
            self._on_trouble(name_of(jitted.function), error)
            return args, kwargs

    def _note_file(self, file: str, key: CallKey) -> None:
        """Note which program a capture shows; known only after the captured call."""
        number = self.find_number(key) if file else None
        if number is not None:
            self.captures[number] = file

    def note_program(self, module: Any) -> None:
        """Keep the fingerprint of what a call of the program's compiles."""
        if self._now.is_inside and self.is_user_code:
            with contextlib.suppress(Exception):  # without it nothing is said of it
                self._now.programs.append(compat.fingerprint(module))

    def fingerprint_of_call(self) -> str | None:
        """Of all that the call compiled that this thread made last; None where it is not known."""
        found = self._now.programs
        if len(found) < 2:
            return found[0] if found else None
        return hashlib.sha256("".join(found).encode()).hexdigest()

    def _key(self, jitted: RecordedJit, args: Any, kwargs: Any) -> CallKey:
        place = jitted.place(args, kwargs)
        return find_key(jitted.function, jitted.options, args, kwargs, place)


class _ListChannel(Channel):
    """A channel that ends in a collector."""

    def __init__(self, collector: RecompilationCollector) -> None:
        super().__init__(-1)
        self._collector = collector

    def send(self, type: str, fields: Any, arrays: Any = None) -> None:
        message = Message(type, {"run": "", **fields}, dict(arrays or {}))
        list(self._collector.feed(message))


class Watch(contextlib.ContextDecorator):
    """Watches while it is entered; `found` says what was compiled, how often it ran, and why again.

    Use it around what is to be seen, before the functions are jitted:

        with jaxscope.watch(out="seen") as seen:
            train()
        print(seen)

    Attributes:
        exit_status: Of the script that is watched, once it ended.
    """

    def __init__(self, options: WatchOptions, title: str = "watch") -> None:
        self._options, self._title = options, title
        self._collector = RecompilationCollector(title)
        self._watch = CompilationWatch(_ListChannel(self._collector), self._make_recorder)
        self._lock = threading.RLock()
        self._calls: Counter[_Owner] = Counter()
        self._problems: dict[str, str] = {}
        self._nonfinite: dict[_Owner, Json] = {}
        self._functions: list[int] = []
        self._fingerprints: list[str | None] = []
        self._rank: Rank | None = None
        self._folder: Path | None = None
        self._write_next_s = 0.0
        self._is_described = self._is_over = False
        self.exit_status: int | None = None

    def _make_recorder(self, on_called: Any, on_compiled: Any) -> _CheapRecorder:
        def on_compiled_here(jitted: RecordedJit, *details: Any) -> None:
            with self._lock:
                on_compiled(jitted, *details)
                self._functions.append(id(jitted.function))
                self._fingerprints.append(self._recorder.fingerprint_of_call())
                self._write_now_and_then()

        self._recorder = _CheapRecorder(
            self._before_call,
            self._find_looked_at,
            self._look_for_nan,
            self._write_now_and_then,
            self._on_trouble,
            on_called,
            on_compiled_here,
        )
        return self._recorder

    def __enter__(self) -> Watch:
        self._recorder.find_number = self._watch.find
        self._recorder.install()
        self._recorder.is_user_code = self._recorder.is_watching = True
        self._reads = contextlib.ExitStack()
        self._reads.enter_context(compat.watching_reads(self._on_read))
        self._reads.enter_context(compat.watching_loops(self._recorder.run_loop))
        with contextlib.suppress(AttributeError):  # a release without it has no fingerprints
            self._reads.enter_context(compat.watching_programs(self._recorder.note_program))
        return self

    def __exit__(self, *_error: object) -> None:
        self._recorder.is_watching = False  # functions that were jitted meanwhile live on
        self._recorder.uninstall()
        self._reads.close()
        if self._recorder.num_calls:  # so JAX has started
            self._recorder.memory.look(is_last=True)
        self._is_over = True
        self.write()

    def _on_read(self, array: Any) -> None:
        if self._recorder.is_user_code:
            self._recorder.traffic.note_read(array)

    def _find_folder(self) -> Path:
        """The folder of this process; it has a number once the program compiles something."""
        assert self._options.out is not None
        if self._folder is None:
            job = compat.find_job()
            launched = find_launched_rank(os.environ)
            self._rank = launched or (Rank(job[1], job[2]) if job is not None else None)
            folder = rank_folder(self._options.out, self._rank)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / LIST_NAME).unlink(missing_ok=True)  # of an earlier run
            self._options.on_folder(folder)
            self._folder = folder
        return self._folder

    @property
    def found(self) -> Recompilation:
        """What was seen so far."""
        with self._lock:
            self._describe()
            self._watch.send_counts()
            found = self._collector.result()
        functions, only = self._functions, self._recorder.calls_of_only
        signatures = []
        for signature in found.signatures:
            owner = functions[signature.number]
            # Calls that were not looked at were made while the function had its first program.
            more = only[owner] if functions.index(owner) == signature.number else 0
            signatures.append(dataclasses.replace(signature, num_calls=signature.num_calls + more))
        return dataclasses.replace(found, signatures=tuple(signatures))

    def _describe(self) -> None:
        """Say where this runs, once JAX has started by itself: the program may still set it up."""
        if self._is_described or not self._functions:
            return
        self._is_described = True
        channel = _ListChannel(self._collector)
        environment = describe_environment()
        channel.send("timed", {"call": self._title, "environment": environment})
        channel.send("sequence", {"calls": [self._title]})

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.measurement_documents import recompilation_to_document

        return write_text(recompilation_to_document(self.found))

    def _find_owner(self, jitted: RecordedJit, args: Any, kwargs: Any) -> _Owner | None:
        """Name and place of a function that is to be caught; None of others."""
        options = self._options
        if options.catch is None or (options.out is None and options.stop_after is None):
            return None
        name = name_of(jitted.function)
        if options.catch and not {name, bare_name(name)} & {*options.catch}:
            return None
        return name, jitted.place(args, kwargs)

    def _before_call(self, jitted: RecordedJit, args: Any, kwargs: Any) -> _Captured | None:
        """Count, and capture the function where this is the call to do it at."""
        options = self._options
        owner = self._find_owner(jitted, args, kwargs)
        if owner is None:
            return None
        with self._lock:
            self._calls[owner] += 1
            count = self._calls[owner]
        total = sum(self._calls.values()) if options.stop_after is not None else 0
        if options.stop_after is not None and total > options.stop_after:
            raise EnoughSeen
        if options.out is None or options.at_nan or count != options.after + 1:
            return None
        self._recorder.is_user_code = False
        # JAX keeps the trace, so that of the call itself would not be seen.
        with self._recorder.watching() as now, contextlib.suppress(Exception):
            trace = getattr(jitted.inner, "trace", None) or jitted.inner.lower  # pmap has no trace
            trace(*args, **kwargs)
        seconds = {name: max(values) for name, values in now.durations.items()}
        return _Captured(self._capture(jitted, owner, args, kwargs), seconds)

    def _find_looked_at(self, jitted: RecordedJit, args: Any, kwargs: Any) -> _Owner | None:
        """The function of a call, where NaN and Inf are looked for among its results."""
        owner = self._find_owner(jitted, args, kwargs) if self._options.at_nan else None
        if owner is None or owner in self._nonfinite or self._calls[owner] <= self._options.after:
            return None
        return owner

    def _look_for_nan(
        self, jitted: RecordedJit, owner: _Owner, args: Any, kwargs: Any, results: Any
    ) -> str:
        """Capture a function where this is its first call that made NaN or Inf."""
        self._recorder.is_user_code = False
        try:
            made = count_odd(results)
            if not made or count_odd((args, kwargs)):
                return ""
        finally:
            self._recorder.is_user_code = True
        file, _, line = owner[1].rpartition(":")
        told = {
            "function": owner[0],
            "file": file or None,
            "line": int(line) if line.isdecimal() else None,
            "call": self._calls[owner],
            "message": f"{made}.",
            "capture": None,
        }
        self._nonfinite[owner] = told

        def complete(capture: Capture) -> Capture:
            known = next(
                (check for check in capture.checks if check.rule == NONFINITE_RESULT), None
            )
            if known is None:
                call = describe_live_call(jitted.program, args, kwargs)
                found = explain_nonfinite(call, results)
                severity = Severity.WARNING if found.is_made else Severity.INFO
                at = found.equation, found.file, found.line
                known = Check(NONFINITE_RESULT, severity, found.text, REMEDY, "", *at)
                capture = dataclasses.replace(capture, checks=(*capture.checks, known))
            told["message"] = str(known.message)
            return capture

        name = self._capture(jitted, owner, args, kwargs, complete)
        told["capture"] = name or None
        return name

    def _capture(
        self,
        jitted: RecordedJit,
        owner: _Owner,
        args: Any,
        kwargs: Any,
        complete: Callable[[Capture], Capture] = lambda capture: capture,
    ) -> str:
        """The name of a call's capture; functions of one name are numbered in it.

        Args:
            complete: What is written in place of the capture itself.
        """
        from jaxscope.in_process import capture_function  # most scripts have nothing captured

        name = owner[0]
        self._recorder.is_user_code = False
        try:
            folder = self._find_folder()
            with self._recorder.watching():  # what this compiles is none of the program's
                capture = complete(capture_function(jitted.program, args, kwargs))
            number = [known for known in self._calls if known[0] == name].index(owner)
            more = f"-{number + 1}" if number else ""
            path = folder / f"{_file_name(name)}{more}.jaxscope"
            save_capture(capture, path)
            return path.name
        except Exception as error:  # whatever the user's objects do: the program goes on
            told = f"{type(error).__name__}: {error}"
            said = error.explanation.what if isinstance(error, JaxscopeError) else told
            self._problems[name] = f"{name} was not captured: {said}"
            return ""
        finally:
            self._recorder.is_user_code = True

    def _on_trouble(self, name: str, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        self._problems[name] = f"What calls of {name} compiled is not known in full: {told}"

    def _write_now_and_then(self) -> None:
        if self._options.out is None or time.monotonic() < self._write_next_s:
            return
        with self._lock:
            began = time.monotonic()
            self.write()
            cost = time.monotonic() - began
            self._write_next_s = began + max(_WRITE_EVERY_S, cost * PAUSE_PER_COST)

    def write(self) -> None:
        """Write the list, where a folder was named."""
        if self._options.out is None:
            return
        folder = self._find_folder()
        data = json.dumps(self.to_json(), indent=2, allow_nan=False)
        write_bytes(folder / LIST_NAME, data.encode())

    def to_json(self) -> Json:
        """As the contract has it, with what else is known."""
        found = self.found
        memory = self._recorder.memory.to_json()
        functions: dict[_Owner, list[Signature]] = {}
        for signature in found.signatures:
            functions.setdefault((signature.function, signature.place), []).append(signature)
        rank = self._rank
        return {
            "rank": rank
            and {**rank._asdict(), "host": socket.gethostname(), "jax": version("jax")},
            "compilations": [
                self._function_to_json(name, place, variants)
                for (name, place), variants in functions.items()
            ],
            "outside": [dataclasses.asdict(program) for program in found.outside],
            "transfers": self._recorder.traffic.to_json(),
            "transfer_notes": self._recorder.traffic.notes() if memory is not None else [],
            "memory": memory,
            "non_finite": [*self._nonfinite.values()] if self._options.at_nan else None,
            "problems": [*self._problems.values(), *self._never_called(found)],
            "exit_status": self.exit_status,
            "recompilation": recompilation_to_json(found)["recompilation"],
        }

    def _never_called(self, found: Recompilation) -> Iterator[str]:
        """A sentence for each name to catch that no function had."""
        called = {signature.function: None for signature in found.signatures}
        names = [*dict.fromkeys(map(bare_name, called))]
        listed = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        known = {*called, *names, *(name for name, _ in self._calls)}
        known |= {bare_name(name) for name, _ in self._calls}
        outside = {program.function for program in found.outside}
        for name in (self._options.catch or ()) if self._is_over else ():
            if name not in known and name in outside:
                yield (
                    f"{name} was not caught: it was compiled, but not by a call of a function that "
                    "was jitted while the script ran, or only in one that a transform such as grad "
                    "traced. What `lower(…).compile()` returns is called unseen."
                )
            elif name not in known:
                told = f"{name} was not caught: no jitted function of that name was called"
                seen = f" Those that compiled: {listed}." if names else ""
                yield f"{told} outside of a trace.{seen}"

    def _function_to_json(self, name: str, place: str, variants: Sequence[Signature]) -> Json:
        file, _, line = place.rpartition(":")
        return {
            "function": name,
            "file": file or None,
            "line": int(line) if line.isdecimal() else None,
            "calls": sum(each.num_calls for each in variants),
            "variants": [
                {
                    "arguments": list(each.arguments),
                    "calls": each.num_calls,
                    "seconds": {
                        name: number_to_json(getattr(each, name))
                        for name in ("trace", "lower", "compile")
                    },
                    "reason": "; ".join(map(describe_key_change, each.changes)) or None,
                    "capture": self._recorder.captures.get(each.number),
                    "fingerprint": self._fingerprints[each.number],
                }
                for each in variants
            ],
        }


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "function"
