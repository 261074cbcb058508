"""Is each instruction linked to the expression that it came from? Names of scopes are the witness.

    python -m bench.expressions             twenty generated programs, eight calls each
    python -m bench.expressions --seeds 3   the first three

Programs are generated in which every expression stands on a line of its own, in a named scope of
its own: `with jax.named_scope("u7_"): v7 = jnp.sin(v3)`. JAX alone compiles each call, and XLA's
names say which scopes an instruction comes from. That is compared with what a capture links it to:
the line of the equations that are its origins, the line of those it derives from, and its own place
in the source. A pair is one instruction and one of these. Nothing here is shared with the code that
makes links: scopes are read off XLA's text, and equations are known by their lines alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import identity

SEEDS = 20
CALLS = (
    "main(f32[4], f32[4, 4])",
    "grad(total)(f32[4], f32[4, 4])",
    "vmap(main, in_axes=(0, None))(f32[3, 4], f32[4, 4])",
    "vmap(grad(total), in_axes=(0, None))(f32[3, 4], f32[4, 4])",
    "grad(checkpoint(total), argnums=1)(f32[4], f32[4, 4])",
    "jit(value_and_grad(jit(total)))(f32[4], f32[4, 4])",
    "jvp(forward, (f32[4], f32[4, 4]), (f32[4], f32[4, 4]))",
    "hessian(forward_total)(f32[4], f32[4, 4])",
)
_NOWHERE = frozenset({0})
_SCOPE = re.compile(r"\bu(\d+)_")
_INSTRUCTION = re.compile(r'^\s+(?:ROOT )?%([\w.\-]+) = .*op_name="([^"]*)"')
_INSTRUCTION_NAME = re.compile(r"^\s+(?:ROOT )?%([\w.\-]+) = ", re.MULTILINE)
_UNARY = (
    "jnp.sin({0})",
    "jnp.tanh({0}) * 1.5",
    "{0} ** 2",
    "jax.nn.relu({0})",
    "jnp.exp(-{0} ** 2)",
)
_BINARY = (
    "{0} * {1}",
    "{0} + jnp.cos({1})",
    "jnp.where({0} > 0, {0}, {1})",
    "jnp.maximum({0}, {1})",
)
_OTHER = (
    "w @ {0}",
    "jnp.cumsum({0})",
    "{0} / (1.0 + jnp.sum({0} ** 2))",
    "jnp.roll({0}, 1)",
    "jnp.sort({0})",
)
"""Each takes vectors, and `w`, a square matrix; the result is a vector."""


class Generator:
    """Writes a program from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._calls_itself = seed % 2 == 1
        self._next = 0
        self._lines = ["import jax", "import jax.numpy as jnp", "from jax import lax", ""]

    def write(self) -> str:
        """The file: functions that share others, loops, branches, rules, and `main` over them."""
        shared = [self._function(f"shared{i}", "@jax.jit") for i in range(2)]
        saved = [self._function("saved", "@jax.checkpoint")]
        rules = [self._backward_rule(), self._forward_rule()]
        for name, calls in (("main", rules), ("forward", rules[1:])):
            self._lines.append(f"def {name}(x, w):")
            last = self._body("x", [*shared, *shared, *saved, *calls], 9, "    ")
            self._lines += [f"    return {last}", ""]
        for name, inner in (("total", "main"), ("forward_total", "forward")):
            self._lines += [f"def {name}(x, w):", f"    with {self._scope()}: y = {inner}(x, w)"]
            self._lines += [f"    with {self._scope()}: z = jnp.sum(y)", "    return z", ""]
        return "\n".join(self._lines)

    def _scope(self) -> str:
        self._next += 1
        return f'jax.named_scope("u{self._next}_")'

    def _body(self, first: str, functions: list[str], count: int, indent: str) -> str:
        values = [first]
        for _ in range(count):
            kind = self._random.randrange(10)
            a, b = self._random.choice(values[-3:]), self._random.choice(values)
            if kind < 3:
                text = self._random.choice(_UNARY).format(a)
            elif kind < 5:
                text = self._random.choice(_BINARY).format(a, b)
            elif kind < 6:
                text = self._random.choice(_OTHER).format(a)
            elif kind < 8 and functions:
                text = f"{self._random.choice(functions)}({a}, w)"
            elif kind < 9 and functions:
                text = self._loop(a, indent)
            else:
                text = self._branch(a, indent) if functions else f"{a} - {b}"
            values.append(f"v{self._next + 1}")
            self._lines.append(f"{indent}with {self._scope()}: {values[-1]} = {text}")
        return values[-1]

    def _function(self, name: str, decorator: str) -> str:
        self._lines += [decorator, f"def {name}(x, w):"]
        last = self._body("x", [], self._random.randrange(2, 5), "    ")
        self._lines += [f"    return {last}", ""]
        return name

    def _loop(self, value: str, indent: str) -> str:
        name = f"step{self._next}"
        self._lines.append(f"{indent}def {name}(c, i):")
        last = self._body("c", [], self._random.randrange(1, 4), f"{indent}    ")
        self._lines.append(f"{indent}    return {last}, None")
        return f"lax.scan({name}, {value}, None, length={self._random.randrange(2, 5)})[0]"

    def _branch(self, value: str, indent: str) -> str:
        names = []
        for side in ("yes", "no"):
            names.append(f"{side}{self._next}")
            self._lines.append(f"{indent}def {names[-1]}(x):")
            last = self._body("x", [], self._random.randrange(1, 3), f"{indent}    ")
            self._lines.append(f"{indent}    return {last}")
        return f"lax.cond(jnp.sum({value}) > 0, {names[0]}, {names[1]}, {value})"

    def _backward_rule(self) -> str:
        self._lines += ["@jax.custom_vjp", "def ruled(x, w):"]
        last = self._body("x", [], 2, "    ")
        self._lines += [f"    return {last}", "", "def ruled_forward(x, w):"]
        last = self._body("x", [], 2, "    ")
        if self._calls_itself:  # for the value, as many rules do
            last = f"v{self._next + 1}"
            self._lines.append(f"    with {self._scope()}: {last} = ruled(x, w)")
        self._lines += [f"    return {last}, (x, w)", "", "def ruled_backward(kept, g):"]
        self._lines.append("    x, w = kept")
        last = self._body("x", [], 2, "    ")
        self._lines.append(f"    with {self._scope()}: d = g * {last}")
        self._lines.append(f"    with {self._scope()}: e = jnp.outer(d, x)")
        self._lines += ["    return d, e", "", "ruled.defvjp(ruled_forward, ruled_backward)", ""]
        return "ruled"

    def _forward_rule(self) -> str:
        self._lines += ["@jax.custom_jvp", "def pushed(x, w):"]
        last = self._body("x", [], 2, "    ")
        self._lines += [f"    return {last}", "", "@pushed.defjvp", "def pushed_rule(p, t):"]
        self._lines.append("    x, w = p")
        last = self._body("x", [], 2, "    ")
        self._lines.append(f"    with {self._scope()}: d = t[0] * {last} + t[1] @ x")
        self._lines += [f"    with {self._scope()}: y = pushed(x, w)", "    return y, d", ""]
        return "pushed"


@dataclasses.dataclass
class Counts:
    """What was found of some calls.

    Attributes:
        pairs: Instructions that XLA names after a scope, with each kind of link.
        wrong: Those with a link to another expression.
        missing: Those without a link of that kind.
        examples: Of them in words: wrong ones first, then missing ones.
    """

    pairs: int = 0
    wrong: int = 0
    missing: int = 0
    examples: list[str] = dataclasses.field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Count others in."""
        self.pairs += other.pairs
        self.wrong += other.wrong
        self.missing += other.missing
        both = self.examples + other.examples
        self.examples = sorted(both, key=lambda example: not example.startswith("wrong"))[:20]


def check(source: str, call: str, capture: Any, plain_text: str) -> Counts:
    """Compare what a capture links with what the names of JAX's own compilation say.

    Args:
        source: The program.
        call: The call, for messages.
        capture: A `jaxscope.model.Capture` of it.
        plain_text: The optimized module that JAX alone makes of the call.
    """
    scope_of_line = {
        number: int(found[1])
        for number, line in enumerate(source.split("\n"), 1)
        if (found := _SCOPE.search(line))
    }
    base, last = capture.stages[0], _last_jaxpr(capture)
    base_scopes = _scopes_of_nodes(base.graph, scope_of_line)
    last_scopes = _scopes_of_nodes(last.graph, scope_of_line)
    has_equations = frozenset().union(*base_scopes.values())
    graph = capture.stage("optimized").graph
    counts, has_stacks = Counts(), "StackFrames" in plain_text
    # Both modules have the same instructions; numbers in names may be others (`bench/identity.py`).
    shown_as = _match_names(plain_text, capture.stage("optimized").text.text)
    for plain_name, op_name, line in _named_instructions(plain_text):
        name = shown_as.get(plain_name, plain_name)
        parts = (_without_caller(part) for part in op_name.split(";"))
        chains = [[int(n) for n in _SCOPE.findall(part)] for part in parts]
        chains = [chain for chain in chains if chain]
        if not chains:
            continue
        if name not in graph.index_by_id:
            counts.add(Counts(1, 0, 1, [f"missing: {call}: no node {name}"]))
            continue
        node = graph.node(graph.index_by_id[name])
        innermost = {chain[-1] for chain in chains}
        # XLA's names and its places may differ, where a rule is evaluated by JAX later on.
        own = {scope_of_line.get(line, 0)} if line else set()
        # What stands in a rule is no equation of the base function: its call there is the origin.
        origins = {next((n for n in chain[::-1] if n in has_equations), -1) for chain in chains}
        linked = [base_scopes.get(id, _NOWHERE) for id in node.origins]
        calls = dict(call.split("@", 1) for call in _list(node, "call") if "@" in call)
        derived = [_in_call(last.graph, last_scopes, id, calls.get(id, "")) for id in node.derived]
        # Without stacks, in JAX 0.8.0, the place of a `cond` is on all that is in its branches.
        own_too = own if has_stacks else own.intersection(*derived)
        place = scope_of_line.get(node.source[0].line, 0) if node.source else 0
        places = [frozenset({place})] if node.source else []
        for kind, found_scopes, wanted, allowed in (
            ("origins", linked, origins, origins),
            ("derived", derived, innermost, innermost | own),
            ("source", places, innermost, innermost | own_too),
        ):
            is_wrong = any(not scopes & allowed for scopes in found_scopes)
            told_of = frozenset().union(*found_scopes)
            is_missing = not told_of or (kind == "origins" and bool(wanted - told_of))
            example = f"{call}: {kind} of {name} are {sorted(told_of)}; XLA: {op_name}"
            told = [f"{'wrong' if is_wrong else 'missing'}: {example}"]
            told = told if is_wrong or is_missing else []
            counts.add(Counts(1, int(is_wrong), int(is_missing and not is_wrong), told))
    return counts


def _named_instructions(text: str) -> Iterator[tuple[str, str, int]]:
    """Name, `op_name` and line of each instruction that has a name; line 0 where it has none."""
    tables = identity.read_tables(text)
    for line in text.split("\n"):
        found = _INSTRUCTION.match(line)
        if found is not None:
            frame = re.search(r"stack_frame_id=(\d+)", line)
            place = re.search(r"source_line=(\d+)", line)  # as jaxlib 0.8.0 writes it
            frames = identity.read_frames(tables, int(frame[1])) if frame else []
            number = frames[0].split(":")[1] if frames else place[1] if place else 0
            yield found[1], found[2], int(number)


def _match_names(plain_text: str, shown_text: str) -> dict[str, str]:
    """The name that each instruction has in another text of the same module; empty if it is not."""
    plain, shown = (_INSTRUCTION_NAME.findall(text) for text in (plain_text, shown_text))
    return dict(zip(plain, shown, strict=True)) if len(plain) == len(shown) else {}


def _without_caller(op_name: str) -> str:
    """A name without that of the instruction which calls the computation it is in.

    XLA puts it before the instruction's own, which begins with the program's again.
    """
    program, *rest = op_name.split("/")
    while program in rest:
        rest = rest[rest.index(program) + 1 :]
    return "/".join(rest)


def _last_jaxpr(capture: Any) -> Any:
    names = [stage.name for stage in capture.stages]
    end = names.index("stablehlo")
    jaxprs = [stage for stage in capture.stages[:end] if stage.name != "gradient"]
    return jaxprs[-1]


def _scopes_of_nodes(graph: Any, scope_of_line: dict[int, int]) -> dict[str, frozenset[int]]:
    """The scope on the line of each equation, by its id.

    An equation of one of JAX's functions has no line where several lines call the function: it has
    the scopes of them all.
    """
    found: dict[str, frozenset[int]] = {}
    for index in range(len(graph.nodes)):
        node = graph.node(index)
        if node.source:
            found[node.id] = frozenset({scope_of_line.get(node.source[0].line, 0)})
    for index in range(len(graph.nodes)):
        id = graph.node(index).id
        while id.count("/") > 1 and id not in found:
            id = id.rsplit("/", 2)[0]
            if id in found and id in graph.index_by_id:
                caller = graph.node(graph.index_by_id[id])
                scopes = (found.get(each, _NOWHERE) for each in (id, *_list(caller, "shared_by")))
                found[graph.node(index).id] = frozenset().union(*scopes)
    return found


def _in_call(graph: Any, scopes: dict[str, frozenset[int]], id: str, calls: str) -> frozenset[int]:
    """The scopes of an equation, as the call that an instruction is of has them."""
    here = scopes.get(id, _NOWHERE)
    owner = id.rsplit("/", 2)[0]
    if len(here) == 1 or owner not in graph.index_by_id:
        return here
    innermost = calls.rsplit("@", 1)[-1]
    others = _list(graph.node(graph.index_by_id[owner]), "shared_by")
    return scopes.get(innermost if innermost in others else owner, _NOWHERE)


def _list(node: Any, attribute: str) -> list[str]:
    return [item for item in node.attributes.get(attribute, "").split(", ") if item]


def check_program(seed: int, calls: tuple[str, ...] = CALLS) -> Counts:
    """Capture the calls of a generated program, and compile them with JAX alone, a process each."""
    from jaxscope.client.requests import CaptureRequest
    from jaxscope.client.session import Session

    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"generated{seed}.py"
        source = Generator(seed).write()
        file.write_text(source)
        command = [sys.executable, "-m", "bench.expressions", "--plain", str(file), *calls]
        root = Path(__file__).parents[1]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
        texts = json.loads(done.stdout.splitlines()[-1])
        with Session() as session:
            for call in calls:
                capture = session.start(CaptureRequest(str(file), call)).wait()
                counts.add(check(source, f"seed {seed}, {call}", capture, texts[call]))
    return counts


def compile_plain(file: str, calls: tuple[str, ...]) -> dict[str, str]:
    """The optimized module that JAX alone makes of each call."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    names: dict[str, Any] = {}
    exec(compile(Path(file).read_text("utf-8"), file, "exec"), names)
    transforms = ("grad", "vmap", "jit", "value_and_grad", "checkpoint", "hessian")
    names |= {name: getattr(jax, name) for name in transforms}
    x, w = jax.numpy.ones(4), jax.numpy.ones((4, 4))
    texts = {}
    for call in calls:
        jax.clear_caches()  # a call has the lines that it has in a process of its own
        function, _, _ = call.rpartition("(") if "jvp" not in call else ("jvp", "", "")
        if function == "jvp":
            pushed = lambda p, t: jax.jvp(names["forward"], p, t)  # noqa: E731 # its name is set below
            pushed.__name__ = "forward"
            lowered = jax.jit(pushed).lower((x, w), (x, w))
        else:
            made = eval(function, names)
            shape = (3, 4) if "f32[3, 4]" in call else (4,)
            made = made if hasattr(made, "lower") else jax.jit(made)
            lowered = made.lower(jax.numpy.ones(shape), w)
        texts[call] = lowered.compile().as_text() or ""
    return texts


def check_all(seeds: int = SEEDS) -> Iterator[tuple[int, Counts]]:
    """Counts of each generated program."""
    for seed in range(seeds):
        yield seed, check_program(seed)


def main(arguments: list[str]) -> int:
    """Check, and return how many links are wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--plain", nargs="+", metavar="FILE CALL")
    options = parser.parse_args(arguments)
    if options.plain:
        print(json.dumps(compile_plain(options.plain[0], tuple(options.plain[1:]))))
        return 0
    total = Counts()
    for seed, counts in check_all(options.seeds):
        total.add(counts)
        for example in counts.examples:
            print(f"    {example}", flush=True)
        print(f"seed {seed}: {counts.pairs} pairs, {counts.wrong} wrong, {counts.missing} missing")
    print(f"{total.pairs:,} pairs: {total.wrong} wrong, {total.missing} without a link.")
    return total.wrong


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
