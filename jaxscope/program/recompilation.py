"""What recompilations cost, and what would avoid them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jaxscope.model.experiments import (
    Advice,
    KeyChange,
    OutsideCompilation,
    Recompilation,
    Signature,
)
from jaxscope.model.said import Said, said, say, say_count, say_joined
from jaxscope.model.types import parse_array_type
from jaxscope.model.units import file_name, format_seconds, shorten

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
KEY_CHANGE_TEXTS = {
    "shape": "another shape",
    "dtype": "another dtype",
    "weak_type": "weak type or not",
    "static": "another static value",
    "tree": "another structure",
    "sharding": "another sharding",
    "config": "another setting",
    "options": "other options of jit",
    "new_function": "a new function object",
    "cleared": "JAX had lost the program",
    "unknown": "not visible in the keys",
}


WITH_BODY = frozenset({"scan", "while", "while_loop", "cond", "checkpoint", "remat"})
"""Operations that hold a function: run from Python, each new one is compiled as a program."""


_ABSENT = "absent"
"""What a worker calls the value of a static argument that a call leaves to its default."""

LOOP_PREFIX = "lax."
"""Before the name of such an operation where it is listed like a jitted function: `lax.scan`."""


def bare_name(function: str) -> str:
    """`loss` of `grad(loss)`: the name that JAX gives a program of it."""
    return function.rpartition("(")[2].rstrip(")")


def repeated_outside(outside: Sequence[OutsideCompilation]) -> tuple[OutsideCompilation, ...]:
    """Operations with a body that a line of a function compiled anew, outside of jit."""
    return tuple(p for p in outside if p.function in WITH_BODY and p.num_again)


def num_recompilations(found: Recompilation) -> int:
    """How often something was compiled again."""
    again = sum(signature.nearest is not None for signature in found.signatures)
    return again + sum(program.num_again for program in repeated_outside(found.outside))


def wasted_seconds(
    signatures: Sequence[Signature], outside: Sequence[OutsideCompilation] = ()
) -> float:
    """Seconds of all but the first signature of each function, and of each repeated operation."""
    again = sum(s.seconds for s in signatures if s.nearest is not None)
    return again + sum(map(_wasted_outside, repeated_outside(outside)))


def _wasted_outside(program: OutsideCompilation) -> float:
    return program.seconds * program.num_again / program.count


def describe_key_change(change: KeyChange) -> str:
    """A difference in a few words, such as `x: f32[10] → f32[11]`."""
    words = said(KEY_CHANGE_TEXTS.get(change.kind, change.kind))
    if change.kind in ("unknown", "cleared", "new_function"):
        return say("{words} at {place}", words=words, place=change.path) if change.path else words
    name = f"{change.path}: " if change.path else ""
    told = f"{name}{shorten(change.before)} → {shorten(change.after)}"
    return say("{told} ({interval})", told=told, interval=words)


def advise(
    signatures: Sequence[Signature], outside: Sequence[OutsideCompilation] = ()
) -> tuple[Advice, ...]:
    """What to do, the costliest first; the seconds of a signature count once."""
    families: dict[tuple[str, str], list[Signature]] = {}
    for signature in signatures:
        families.setdefault((signature.place, signature.function), []).append(signature)
    found = [advice for family in families.values() for advice in _advise_family(family)]
    found += [
        Advice(
            program.function,
            "new_function",
            _advise_body(program.function, program.num_again + 1),
            _wasted_outside(program),
        )
        for program in repeated_outside(outside)
    ]
    return tuple(sorted(found, key=lambda advice: -advice.seconds))


def _advise_body(name: str, count: int) -> str:
    return say(
        "{name} was run from Python, outside of jit, and compiled {count} times: it is compiled "
        "anew for each new function that it is given, such as a lambda made in a loop, and for "
        "each new shape. Define the function once, outside of the loop, or jit what is around it.",
        name=name,
        count=count,
    )


def bucket_of(length: int) -> int:
    """The power of two that a length is padded to."""
    return 1 << max(length - 1, 0).bit_length()


def describe_outside(found: Recompilation) -> str:
    """What was compiled outside of calls of jitted functions; empty if nothing was."""
    if not found.outside:
        return ""
    total = sum(program.count for program in found.outside)
    seconds = format_seconds(sum(program.seconds for program in found.outside))
    named = [f"{p.function} ×{p.count}" if p.count > 1 else p.function for p in found.outside]
    return say(
        "Besides, {programs} ({seconds}) were compiled outside of calls of jitted functions, for "
        "single operations and within transforms: {named}.",
        programs=say_count(total, "program"),
        seconds=seconds,
        named=_few(named),
    )


def _advise_family(family: Sequence[Signature]) -> Iterator[Advice]:
    """One advice for each kind of change that made this function compile again."""
    by_kind: dict[str, list[tuple[Signature, KeyChange]]] = {}
    for signature in family:
        for change in _causes(signature):
            by_kind.setdefault(change.kind, []).append((signature, change))
    counted: set[int] = set()
    for kind, found in by_kind.items():
        fresh = {s.number: s for s, _ in found if s.number not in counted}
        counted |= fresh.keys()
        seconds = sum(signature.seconds for signature in fresh.values())
        text = _advice_text(kind, [change for _, change in found], family)
        yield Advice(family[0].function, kind, text, seconds)


def _causes(signature: Signature) -> list[KeyChange]:
    """The changes without those that follow from another: 64-bit types from their setting."""
    changes = list(signature.changes)
    if signature.function.startswith(LOOP_PREFIX) and changes[:1]:
        # Another body has other operands.
        return [c for c in changes if c.kind == "new_function"] or changes
    if any(c.kind == "config" and "x64" in c.path for c in changes):
        return [c for c in changes if c.kind not in ("dtype", "weak_type")]
    return changes


def _advice_text(kind: str, changes: Sequence[KeyChange], family: Sequence[Signature]) -> str:
    first = changes[0]
    match kind:
        case "shape":
            return _advise_buckets(changes)
        case "static":
            if all(_without_address(c.before) == _without_address(c.after) for c in changes):
                return say(
                    "The static argument {path} came as several objects, and no two are equal, as "
                    "far as Python can tell. Where they mean the same, pass one object, or give "
                    "its class __eq__ and __hash__ (a frozen dataclass has them).",
                    path=first.path,
                )
            return _advise_static(changes)
        case "weak_type":
            return say(
                "{path} has a weak type in some calls only, as Python's int, float and complex "
                "have, and arrays made of them without a dtype. Pass jnp.asarray({path}, dtype) "
                "always, or a Python number always.",
                path=first.path,
            )
        case "dtype":
            return _advise_dtypes(changes)
        case "tree":
            return say(
                "The arguments come in several structures: other keys, lengths or types of "
                "containers, other fields that are no arrays, or arguments by name, or left to "
                "their default, in some calls only. Build them the same way."
            )
        case "cleared":
            return say(
                "The same key was compiled before, and its program is gone: jax.clear_caches() was "
                "called, or the jitted function was made again and the old one thrown away."
            )
        case "new_function" if family[0].function.startswith(LOOP_PREFIX):
            place = file_name(family[0].place)
            return _advise_body(say("The operation at {place}", place=place), len(family))
        case "new_function":
            at = say(", at {place}", place=first.path) if first.path else ""
            return say(
                "A new function is jitted each time ({count} times{at}), so nothing compiled "
                "before can be found. Call jax.jit once, outside of the loop.",
                count=len(family),
                at=at,
            )
        case "sharding":
            return say(
                "{path} lies on devices in several ways. Put it there with the same sharding each "
                "time, or name in_shardings.",
                path=first.path,
            )
        case "config":
            names = _few([change.path for change in changes])
            return say(
                "The setting changed between the calls: {names}. Set it once, at the start.",
                names=names,
            )
        case "options":
            return say("jit was given other options. Decorate the function once.")
    return say("The keys look alike; JAX's own explanation is beside the signature.")


def _find_most_changed(changes: Sequence[KeyChange]) -> tuple[str, list[str], list[str]]:
    """The argument, or the part of one, that took most values, these values, and the others."""
    by_path: dict[str, dict[str, None]] = {}
    for change in changes:
        by_path.setdefault(change.path, {}).update({change.before: None, change.after: None})
    path, values = max(by_path.items(), key=lambda item: len(item[1]))
    return path, list(values), [other for other in by_path if other != path]


def _advise_dtypes(changes: Sequence[KeyChange]) -> str:
    path, values, others = _find_most_changed(changes)
    besides = say("So do {others}.", others=_few(others)) if others else ""
    if any(value.startswith("key<") for value in values):
        told = say(
            "{path} comes as several kinds of random key ({kinds}).", path=path, kinds=_few(values)
        )
        advice = say("Make all by jax.random.key, of one implementation.")
    else:
        told = say("{path} comes in several dtypes ({dtypes}).", path=path, dtypes=_few(values))
        advice = say("Cast it once, before the calls.")
    return say_joined((told, besides, advice))


def _advise_static(changes: Sequence[KeyChange]) -> str:
    """On the argument, or the part of it, that changed most often."""
    path, values, others = _find_most_changed(changes)
    told = say(
        "The static argument {path} took {count} values ({values}), and each is a program of its "
        "own.",
        path=path,
        count=len(values),
        values=_few(values),
    )
    besides = say("So did {others}.", others=_few(others)) if others else ""
    advice = say(
        "If it is a number or an array, and decides no shape and no Python branch, pass it as an "
        "array that is not static."
    )
    defaulted = [c.path for c in changes if _ABSENT in (c.before, c.after)]
    if defaulted:
        default = say(
            "Give {path} in every call or in none: a default is another value to JAX than the "
            "same value given.",
            path=defaulted[0],
        )
        besides = say_joined((besides, default))
    return say_joined((told, besides, advice))


def _advise_buckets(changes: Sequence[KeyChange]) -> str:
    lengths: dict[tuple[str, int], set[int]] = {}
    for change in changes:
        old, new = _dimensions(change.before), _dimensions(change.after)
        for axis, pair in enumerate(zip(old, new, strict=True) if len(old) == len(new) else ()):
            if pair[0] != pair[1]:
                lengths.setdefault((change.path, axis), set()).update(pair)
    if not lengths:
        first = changes[0]
        return say(
            "{path} comes with several numbers of dimensions ({before} and {after}). Bring it to "
            "one form before the call.",
            path=first.path,
            before=first.before,
            after=first.after,
        )
    (path, axis), seen = max(lengths.items(), key=lambda item: len(item[1]))
    buckets = sorted({bucket_of(length) for length in seen})
    told = say(
        "Dimension {axis} of {path} took {count} sizes ({sizes}).",
        axis=axis,
        path=path,
        count=len(seen),
        sizes=_few(sorted(seen)),
    )
    if len(buckets) >= len(seen):
        advice = say(
            "Pad it to {size} and mask the rest: one program instead of {count}.",
            size=max(seen),
            count=len(seen),
        )
    else:
        advice = say(
            "Pad it to buckets such as {buckets} and mask the rest: {programs} instead of {count}.",
            buckets=_few(buckets),
            programs=_programs(len(buckets)),
            count=len(seen),
        )
    return say_joined((told, advice))


def _programs(count: int) -> Said:
    return say("one program") if count == 1 else say("{count} programs", count=count)


def _without_address(text: str) -> str:
    return _ADDRESS.sub("", text)


def _dimensions(type: str) -> tuple[int, ...]:
    array = parse_array_type(type)
    return () if array is None else array.shape


def _few(values: Sequence[object]) -> str:
    texts = [shorten(str(value), 30) for value in dict.fromkeys(values)]
    return ", ".join(texts if len(texts) <= 6 else [*texts[:3], "…", texts[-1]])
