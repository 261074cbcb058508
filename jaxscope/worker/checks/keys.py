"""Random keys that are made of one number again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import Said, say
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.checks.unrolled_loops import is_in_loop
from jaxscope.worker.checks.user_places import own_frame
from jaxscope.worker.provenance.tagging import nested_jaxprs

IN_LOOP, TWICE = "constant-key-in-loop", "same-seed-twice"
_PASSED = frozenset({"random_wrap", "random_unwrap", "random_split", "slice", "squeeze", "unstack"})
_LESSON = "samples/random_keys.py"


def find_constant_keys(subject: CheckedCall) -> Iterator[Check]:
    """Keys of a known number, made in each round of a loop, or in two places, and drawn from."""
    first: dict[float, tuple[Site, tuple[str, int, int]]] = {}
    for site in subject.base.sites:
        seed = site.inputs[0].number() if site.name == "random_seed" else None
        place = subject.caller_place(site) if seed is not None else None
        if seed is None or place is None or not _is_drawn_from(site.outputs[0]):
            continue
        if site.loops():
            yield Check(
                IN_LOOP,
                Severity.WARNING,
                say(
                    "The key of the number {seed:.0f} is made inside of a loop: each round draws "
                    "the same numbers.",
                    seed=seed,
                ),
                say(
                    "Make the key before the loop and jax.random.fold_in(key, i) in it, or scan "
                    "over jax.random.split(key, n)."
                ),
                _LESSON,
                site.id,
                *place[:2],
            )
        elif seed not in first:
            first[seed] = site, place
        elif first[seed][1] != place and not _are_alternatives(first[seed][0], site):
            yield Check(
                TWICE,
                Severity.WARNING,
                say(
                    "The key of the number {seed:.0f} is made {where}: what is drawn from the two "
                    "is not independent.",
                    seed=seed,
                    where=_where(place, first[seed][1]),
                ),
                "key = jax.random.key(0); one, other = jax.random.split(key)",
                _LESSON,
                site.id,
                *place[:2],
            )


def _where(place: tuple[str, int, int], other: tuple[str, int, int]) -> Said:
    if other[:2] != place[:2]:
        return say("here and in line {line}", line=other[1])
    return say("twice in this line")


def _are_alternatives(one: Site, other: Site) -> bool:
    """Whether they stand in different branches of one equation, of which only one is run."""
    branches = other.body.branches()
    return any(branches.get(cond, body) is not body for cond, body in one.body.branches().items())


def _is_drawn_from(key: TracedValue, depth: int = 6) -> bool:
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


# Random keys that are used twice, by JAX's own checker of jaxprs.
#
# The checker (`jax.experimental.key_reuse`) says whether a program uses a key up more than once;
# this finds the equations. A program of n equations is checked whole, then by halves, so about log
# n times; the equation found is entered where its own program fails alone. Keys in raw form
# (`PRNGKey`) are wrapped anew for each use: wraps of one value are taken for one key.
#
# Only the base function is looked at: transforms repeat draws on purpose, to compute a value again.
# Uses inside of an installed library are passed over: a tree of Brownian motion asks one key twice
# on purpose. What the checker does not know it lets pass.

RULE = "key-reuse"
_REMEDY = say(
    "key, subkey = jax.random.split(key), and use each of the two once; in a loop, split the key "
    "in each round or use jax.random.fold_in(key, i)."
)
_MAX_EQUATIONS = 5_000


def find_reused_keys(subject: CheckedCall) -> Iterator[Check]:
    """The first use of a key that was used before."""
    found = find_key_reuse(subject.program.base.jaxpr)
    if found is not None:
        yield found


def find_key_reuse(jaxpr: Any) -> Check | None:
    """The first equation that uses a key up which was used up before, or None."""
    inner = compat.open_jaxpr(jaxpr)
    if not 0 < _count_draws(inner, _MAX_EQUATIONS) <= _MAX_EQUATIONS:
        return None
    return _find(_with_one_wrap(inner), "")


def _find(inner: Any, prefix: str) -> Check | None:
    if not compat.reuses_keys(inner):
        return None
    low, high = 0, len(inner.eqns)  # the first `low` pass, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        if compat.reuses_keys(_only(inner, range(middle))):
            high = middle
        else:
            low = middle
    number = high - 1
    equation = inner.eqns[number]
    for name, nested in nested_jaxprs(equation.params):
        found = _find(compat.open_jaxpr(nested), f"{prefix}{number}/{name}/")
        if found is not None:
            return found
    first = _find_first_use(inner, number)
    id = f"{prefix}{number}"
    own = own_frame(equation)
    if first is not None:
        earlier = inner.eqns[first]
        before = own_frame(earlier)
        if own is None or before is None or (own == before and not is_in_loop(*own)):
            return None
        message = say(
            "Equation {id} ({primitive}) uses a random key that equation {first} ({earlier}, line "
            "{line}) has used already: what comes of the two is not independent.",
            id=id,
            primitive=equation.primitive.name,
            first=f"{prefix}{first}",
            earlier=earlier.primitive.name,
            line=before[1],
        )
    elif own is not None and equation.primitive.name in ("scan", "while"):
        message = say(
            "Equation {id} ({primitive}) is a loop that uses one random key in every round: each "
            "round draws the same numbers.",
            id=id,
            primitive=equation.primitive.name,
        )
    else:
        return None
    return Check(RULE, Severity.WARNING, message, _REMEDY, "samples/random_keys.py", id, *own[:2])


def _find_first_use(inner: Any, number: int) -> int | None:
    """The earlier use of the key that equation `number` reuses; None where no single one is."""
    makers = [
        place
        for place in range(number)
        if not any(_is_key(atom) for atom in inner.eqns[place].invars)
        or inner.eqns[place].primitive.name in ("random_wrap", "random_unwrap")
    ]
    for place in range(number):
        kept = sorted({*makers, *_made_before(inner, place), place, number})
        if place not in makers and compat.reuses_keys(_only(inner, kept)):
            return place
    return None


def _made_before(inner: Any, number: int) -> list[int]:
    """Equations that the keys of an equation come from, by way of keys."""
    wanted = {atom for atom in inner.eqns[number].invars if not compat.is_literal(atom)}
    found = []
    for place in reversed(range(number)):
        equation = inner.eqns[place]
        if wanted & {*equation.outvars}:
            found.append(place)
            wanted |= {atom for atom in equation.invars if not compat.is_literal(atom)}
    return found


def _only(inner: Any, places: Any) -> Any:
    """The jaxpr with some of its equations: what the others make is an input."""
    equations = [inner.eqns[place] for place in places]
    made = {variable for equation in equations for variable in equation.outvars}
    read = {
        atom: None
        for equation in equations
        for atom in equation.invars
        if not compat.is_literal(atom) and atom not in made
    }
    inputs = [*inner.invars, *(v for v in read if v not in {*inner.invars, *inner.constvars})]
    return compat.make_part(inner, equations, inputs)


def _with_one_wrap(inner: Any) -> Any:
    """The same with one equation for all wraps of one raw key."""
    wraps: dict[Any, Any] = {}
    renamed: dict[Any, Any] = {}
    equations = []
    for equation in inner.eqns:
        invars = [
            atom if compat.is_literal(atom) else renamed.get(atom, atom) for atom in equation.invars
        ]
        if equation.primitive.name == "random_wrap" and not compat.is_literal(invars[0]):
            key = (invars[0], str(equation.params.get("impl")))
            if key in wraps:
                renamed[equation.outvars[0]] = wraps[key]
            else:
                wraps[key] = equation.outvars[0]
        equations.append(equation.replace(invars=invars))
    return inner.replace(eqns=equations)


def _count_draws(inner: Any, most: int) -> int:
    """Equations of a program that uses keys, its nested ones included; 0 of one that uses none."""
    count, has_keys, waiting = 0, False, [inner]
    while waiting and count <= most:
        each = waiting.pop()
        for equation in each.eqns:
            count += 1
            has_keys = has_keys or equation.primitive.name.startswith("random_")
            waiting += (compat.open_jaxpr(nested) for _, nested in nested_jaxprs(equation.params))
    return count if has_keys else 0


def _is_key(atom: Any) -> bool:
    return str(getattr(atom.aval, "dtype", "")).startswith("key<")
