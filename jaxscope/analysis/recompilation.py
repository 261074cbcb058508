"""What recompilations cost, and what would avoid them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jaxscope.model.recompilation import Advice, KeyChange, Signature

_SHAPE = re.compile(r"\[([\d,]*)\]")
KIND_WORDS = {
    "shape": "another shape",
    "dtype": "another dtype",
    "weak_type": "weak type or not",
    "static": "another static value",
    "tree": "another structure",
    "sharding": "another sharding",
    "config": "another setting",
    "options": "other options of jit",
    "new_function": "a new function object",
    "unknown": "not visible in the keys",
}


def wasted_seconds(signatures: Sequence[Signature]) -> float:
    """Seconds of all but the first signature of each function."""
    return sum(s.seconds for s in signatures if s.nearest is not None)


def describe_change(change: KeyChange) -> str:
    """A difference in a few words, such as `x: f32[10] → f32[11]`."""
    words = KIND_WORDS.get(change.kind, change.kind)
    if change.kind in ("unknown", "new_function"):
        return f"{words} at {change.path}" if change.path else words
    name = f"{change.path}: " if change.path else ""
    return f"{name}{_shorten(change.before)} → {_shorten(change.after)} ({words})"


def advise(signatures: Sequence[Signature]) -> tuple[Advice, ...]:
    """What to do, the costliest first."""
    families: dict[str, list[Signature]] = {}
    for signature in signatures:
        families.setdefault(signature.place or signature.function, []).append(signature)
    found = [advice for family in families.values() for advice in _advise_family(family)]
    return tuple(sorted(found, key=lambda advice: -advice.seconds))


def bucket_of(length: int) -> int:
    """The power of two that a length is padded to."""
    return 1 << max(length - 1, 0).bit_length()


def _advise_family(family: Sequence[Signature]) -> Iterator[Advice]:
    """One advice for each kind of change that made this function compile again."""
    by_kind: dict[str, list[tuple[Signature, KeyChange]]] = {}
    for signature in family:
        for change in signature.changes:
            by_kind.setdefault(change.kind, []).append((signature, change))
    for kind, found in by_kind.items():
        seconds = sum(s.seconds for s in {s.number: s for s, _ in found}.values())
        text = _advice_text(kind, [change for _, change in found], family)
        yield Advice(family[0].function, kind, text, seconds)


def _advice_text(kind: str, changes: Sequence[KeyChange], family: Sequence[Signature]) -> str:
    first = changes[0]
    match kind:
        case "shape":
            return _advise_buckets(changes)
        case "static":
            values = dict.fromkeys(v for c in changes for v in (c.before, c.after))
            return (
                f"The static argument {first.path} took {len(values)} values "
                f"({_few(list(values))}), and each is a program of its own. If the value decides "
                "no shape and no Python branch, do not mark it static."
            )
        case "weak_type":
            return (
                f"{first.path} is a Python number in some calls and an array in others. Pass "
                f"jnp.asarray({first.path}, dtype) always, or a Python number always."
            )
        case "dtype":
            return (
                f"{first.path} comes in several dtypes ({_few([c.after for c in changes])}). "
                "Cast it once, before the calls."
            )
        case "tree":
            return (
                "The arguments come in several structures: other keys, lengths or types of "
                "containers, or arguments by name in some calls only. Build them the same way."
            )
        case "new_function":
            return (
                f"A new function is jitted each time ({len(family)} times, at {first.path}), so "
                "nothing compiled before can be found. Call jax.jit once, outside of the loop."
            )
        case "sharding":
            return (
                f"{first.path} lies on devices in several ways. Put it there with the same "
                "sharding each time, or name in_shardings."
            )
        case "config":
            return f"The setting {first.path} changed between the calls. Set it once, at the start."
        case "options":
            return "jit was given other options. Decorate the function once."
    return "The keys look alike; JAX's own explanation is beside the signature."


def _advise_buckets(changes: Sequence[KeyChange]) -> str:
    lengths: dict[tuple[str, int], set[int]] = {}
    for change in changes:
        old, new = _dimensions(change.before), _dimensions(change.after)
        for axis, pair in enumerate(zip(old, new, strict=True) if len(old) == len(new) else ()):
            if pair[0] != pair[1]:
                lengths.setdefault((change.path, axis), set()).update(pair)
    if not lengths:
        first = changes[0]
        return (
            f"{first.path} comes with several numbers of dimensions ({first.before} and "
            f"{first.after}). Bring it to one form before the call."
        )
    (path, axis), seen = max(lengths.items(), key=lambda item: len(item[1]))
    buckets = sorted({bucket_of(length) for length in seen})
    if len(buckets) >= len(seen):
        size = max(seen)
        return (
            f"Dimension {axis} of {path} took {len(seen)} sizes ({_few(sorted(seen))}). Pad it to "
            f"{size} and mask the rest: one program instead of {len(seen)}."
        )
    return (
        f"Dimension {axis} of {path} took {len(seen)} sizes ({_few(sorted(seen))}). Pad it to "
        f"buckets such as {_few(buckets)} and mask the rest: {len(buckets)} programs instead of "
        f"{len(seen)}."
    )


def _dimensions(type: str) -> list[int]:
    match = _SHAPE.search(type)
    return [int(part) for part in match[1].split(",") if part] if match else []


def _few(values: Sequence[object]) -> str:
    texts = [_shorten(str(value), 30) for value in dict.fromkeys(values)]
    return ", ".join(texts if len(texts) <= 6 else [*texts[:3], "…", texts[-1]])


def _shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
