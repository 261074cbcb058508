"""Random keys that are made of one number again and again."""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.worker.checks.dataflow import Site, Value
from jaxscope.worker.checks.finding import Finding
from jaxscope.worker.checks.subject import Subject

IN_LOOP, TWICE = "constant-key-in-loop", "same-seed-twice"
_PASSED = frozenset({"random_wrap", "random_unwrap", "random_split", "slice", "squeeze", "unstack"})
_LESSON = "samples/random_keys.py"


def find_constant_keys(subject: Subject) -> Iterator[Finding]:
    """Keys of a known number, made in each round of a loop, or in two places, and drawn from."""
    first: dict[float, tuple[Site, tuple[str, int]]] = {}
    for site in subject.base.sites:
        seed = site.inputs[0].number() if site.name == "random_seed" else None
        place = subject.caller_place(site) if seed is not None else None
        if seed is None or place is None or not _is_drawn_from(site.outputs[0]):
            continue
        if site.loops():
            yield Finding(
                IN_LOOP,
                "warning",
                f"The key of the number {seed:.0f} is made inside of a loop: each round draws the "
                "same numbers.",
                "Make the key before the loop and jax.random.fold_in(key, i) in it, or scan over "
                "jax.random.split(key, n).",
                _LESSON,
                site.id,
                *place[:2],
            )
        elif seed not in first:
            first[seed] = site, place[:2]
        elif first[seed][1] != place[:2] and not _are_alternatives(first[seed][0], site):
            yield Finding(
                TWICE,
                "warning",
                f"The key of the number {seed:.0f} is made here and in line {first[seed][1][1]}: "
                "what is drawn from the two is not independent.",
                "key = jax.random.key(0); one, other = jax.random.split(key)",
                _LESSON,
                site.id,
                *place[:2],
            )


def _are_alternatives(one: Site, other: Site) -> bool:
    """Whether they stand in different branches of one equation, of which only one is run."""
    branches = other.body.branches()
    return any(branches.get(cond, body) is not body for cond, body in one.body.branches().items())


def _is_drawn_from(key: Value, depth: int = 6) -> bool:
    """Whether random bits come of a key, wrapped and split on the way, and are used."""
    for site in key.users if depth else ():
        if site.name in ("random_bits", "threefry2x32"):
            return _is_used(site)
        is_passed = site.name in _PASSED
        if is_passed and any(_is_drawn_from(value, depth - 1) for value in site.outputs):
            return True
    return False


def _is_used(site: Site) -> bool:
    return any(value.users or value.is_result for value in site.outputs)
