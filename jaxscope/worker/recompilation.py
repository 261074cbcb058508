"""Answer a `recompile` request: run calls in turn and tell of everything that jit compiles.

Causes come from the keys of the calls themselves, and are checked against JAX's own explanation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax

from jaxscope.errors import CallError, Explanation
from jaxscope.worker import compat
from jaxscope.worker.call import Call, parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.conditions import Conditions
from jaxscope.worker.environment import describe_environment
from jaxscope.worker.explain import explain_exception, guard
from jaxscope.worker.jit_keys import CallKey
from jaxscope.worker.jit_recorder import JitRecorder, RecordedJit
from jaxscope.worker.loading import load_names
from jaxscope.worker.outline import find_offered_calls

Change = tuple[str, str, str, str]
"""Kind, path, before and after."""
MAX_SIGNATURES = 2_000
_MAX_CALLS = 1_000
_MAX_SAID = 8_000
"""Characters of JAX's explanation: of many functions inside of one there are many."""
_JAX_WORDS = {
    "never seen function": {"new_function", "cleared"},
    "different input pytree": {"tree", "static"},
    "different input types": {"shape", "dtype", "weak_type", "sharding"},
    "different tracing context": {"config", "sharding"},
    "different values of static args": {"static"},
    "tracing context doesn't match": {"config", "sharding"},
    "static args": {"static"},
    "static kwargs": {"static", "tree"},
}
_WEIGHTS = {"tree": 3}
"""Where the structure differs, the leaves of the two cannot be compared: that weighs more."""
_DIFFERS = re.compile(r"\* (?P<name>[\w.]+) differs: now (?P<now>.*?) and before (?P<before>.*)")
"""What JAX says about a miss, and the kinds of change that it means by it."""


def handle_recompile(request: dict[str, Any], channel: Channel) -> None:
    """Run the calls of a request, and send each signature that was compiled.

    Raises:
        JaxscopeError: The file or a call is wrong; what was seen before has been sent.
    """
    watch = _Watch(channel)
    watch.recorder.install()
    source, names = load_names(request, channel)
    texts = [str(text) for text in (request.get("calls") or [])[:_MAX_CALLS]]
    texts = texts or [offered.call for offered in find_offered_calls(source.text)]
    if not texts:
        raise CallError(
            Explanation(
                what="There is no call to run.",
                remedy="Name calls: --recompilations 'f(f32[10])' 'f(f32[11])'",
                kind="NoCall",
            )
        )
    # Arguments are random numbers that JAX makes: what that compiles is none of the user's.
    channel.send("timed", {"call": texts[0], "environment": describe_environment()})
    channel.send("sequence", {"calls": texts})
    conditions = Conditions()
    try:
        for number, text in enumerate(texts, 1):
            channel.progress("call", f"Running call {number} of {len(texts)}: {text[:80]}")
            with guard("call", {source.path}):
                call = parse_call(text, names, file=source.path)
            watch.begin(text)
            try:
                watch.run(call)
            except Exception as error:
                _, explanation = explain_exception(error, {source.path}, stage="run")
                where = f" ({explanation.where})" if explanation.where else ""
                channel.send("warning", {"text": f"{text} failed{where}: {explanation.what}"})
    finally:
        watch.send_counts()
        channel.send("conditions", conditions.numbers())


class _Watch:
    """Numbers the signatures of all jitted functions and finds each one's nearest."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.recorder = JitRecorder(self._on_called, self._on_compiled)
        self._call = ""
        self._known: dict[str, list[tuple[int, CallKey]]] = {}
        self._counts: list[int] = []
        self._jitted: dict[tuple[int, tuple[str, ...]], tuple[Any, RecordedJit]] = {}

    def begin(self, call: str) -> None:
        """The next call of the sequence."""
        self._call = call

    def run(self, call: Call) -> None:
        """Run a call. A function that uses no jit at all is jitted, to see what that would do."""
        before = self.recorder.num_calls + self.recorder.num_within
        composed = call.compose(call.base)
        key = (id(call.base), call.transforms)
        if not compat.is_jitted(composed) and key not in self._jitted:
            self._run(composed, call)
            if self.recorder.num_calls + self.recorder.num_within > before:
                return
            self._channel.send(
                "warning",
                {"text": f"{call.base_text} uses no jit; it was run as jit({call.base_text})."},
            )
        target = composed if compat.is_jitted(composed) else self._jit_once(call, composed)
        self._run(target, call)

    def _run(self, function: Callable[..., Any], call: Call) -> None:
        self.recorder.is_user_code = True
        try:
            result = function(*call.args, **call.kwargs)
            jax.block_until_ready(result)  # type: ignore[no-untyped-call] # JAX does not annotate it
        finally:
            self.recorder.is_user_code = False

    def send_counts(self) -> None:
        """Say how often each signature was called, and what was compiled besides."""
        self._channel.send("signature_calls", {"counts": self._counts})
        programs = [[name, *found] for name, found in self.recorder.outside.items() if found[0]]
        self._channel.send("outside", {"programs": programs[:MAX_SIGNATURES]})

    def _jit_once(self, call: Call, composed: Callable[..., Any]) -> Any:
        """The same jitted function for every call of the same base, as a program would have."""
        key = (id(call.base), call.transforms)
        if key not in self._jitted:
            self._jitted[key] = (call.base, self.recorder.jit(composed))
        return self._jitted[key][1]

    def _on_called(self, jitted: RecordedJit, key: CallKey) -> None:
        number = self._find(key)
        if number is not None:
            self._counts[number] += 1

    def _on_compiled(
        self,
        jitted: RecordedJit,
        key: CallKey,
        seconds: dict[str, float],
        is_from_cache: bool,
        explanation: str,
    ) -> None:
        if len(self._counts) >= MAX_SIGNATURES:
            return
        name = getattr(jitted.function, "__name__", type(jitted.function).__name__)
        # Libraries wrap many functions by one of theirs, which takes the name of each.
        family = self._known.setdefault(f"{key.place} {name}", [])
        nearest, changes = _find_nearest(key, family, explanation)
        if family and not changes:
            changes = _read_unseen(explanation)
        is_confirmed = agrees(changes, explanation)
        if is_confirmed is False and any(
            agrees(key.changes_from(known), explanation) for _, known in family
        ):
            is_confirmed = None  # JAX compares it with another key, where it is right as well
        number = len(self._counts)
        family.append((number, key))
        self._counts.append(1)
        self._channel.send(
            "signature",
            {
                "number": number,
                "function": name,
                "place": key.place,
                "call": self._call,
                "arguments": key.describe(),
                "nearest": nearest,
                "changes": changes,
                "trace": seconds.get("trace"),
                "lower": seconds.get("lower"),
                "compile": seconds.get("compile"),
                "is_from_cache": is_from_cache,
                "jax_says": _shorten(explanation),
                "agrees": is_confirmed,
            },
        )

    def _find(self, key: CallKey) -> int | None:
        """The signature whose program a call found: that of the same key, or the most alike.

        What is in the key need not matter to JAX, such as checks that are switched on.
        """
        alike = [
            (distance(key.changes_from(known)), -number)
            for family in self._known.values()
            for number, known in family
            if known.function == key.function
        ]
        return -min(alike)[1] if alike else None


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SAID else f"{text[:_MAX_SAID]}…"


def agrees(changes: list[Change], explanation: str) -> bool | None:
    """Whether JAX explains a miss by what was found; None for the first, or without a word."""
    said = explanation.lower()
    meant = set().union(*(kinds for words, kinds in _JAX_WORDS.items() if words in said))
    if not meant or not changes:
        return None
    return any(kind in meant for kind, *_ in changes)


def distance(changes: list[Change]) -> int:
    """How far two keys are apart."""
    return sum(_WEIGHTS.get(kind, 1) for kind, *_ in changes)


def _find_nearest(
    key: CallKey, family: list[tuple[int, CallKey]], explanation: str
) -> tuple[int | None, list[Change]]:
    """The key with the fewest differences, and those.

    Of several, the latest that JAX compares with as well: of two equal explanations it gives one.
    """
    found = [(number, key.changes_from(known)) for number, known in reversed(family)]
    if not found:
        return None, []
    return min(found, key=lambda pair: (distance(pair[1]), agrees(pair[1], explanation) is False))


def _read_unseen(explanation: str) -> list[Change]:
    """What made JAX compile again where the keys look alike: JAX's own word, if it has one."""
    if "never seen function" in explanation:
        return [("cleared", "", "", "")]
    settings = [
        ("config", found["name"], found["before"][:500], found["now"][:500])
        for found in _DIFFERS.finditer(explanation)
    ]
    return settings or [("unknown", "", "", "")]
