"""Are the values that are shown those that JAX computes, bit by bit?

    python -m bench.values             every call that the samples offer, and the library calls
    python -m bench.values WORD …      those of files or groups that have a word in their name

Each call is traced by JAX alone. Its jaxpr is then run equation by equation, once as jaxscope does
for `jaxscope values`, once by the few lines below, which share no code with that: each primitive is
bound by JAX; a jitted function, a rematerialized one, one with a custom rule and the chosen arm of
a branch are run in the same way, and a loop at once. Compared are the bits of every result of every
equation that runs outside of loops, and those of the program's results. A loop's own results are
those of the loop as JAX runs it eagerly, compiled as a whole; what single rounds compute is not
compared here.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_OFFERED = re.compile(r"^# jaxscope: (.+?)\s*$", re.MULTILINE)
_ROOT = Path(__file__).resolve().parents[1]
_INSIDE = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_TAKEN_APART = (
    *("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint", "remat2"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin"),
)


def run_plainly(jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Any], seen: list[Any]) -> Any:
    """The results of a jaxpr; adds those of each equation to `seen`, inner ones first."""
    from jax.extend.core import Literal

    known: dict[Any, Any] = {
        **dict(zip(jaxpr.constvars, consts, strict=True)),
        **dict(zip(jaxpr.invars, inputs, strict=True)),
    }
    for equation in jaxpr.eqns:
        values = [v.val if isinstance(v, Literal) else known[v] for v in equation.invars]
        results = _run_equation(equation, values, seen)
        seen.append((equation.primitive.name, results))
        known.update(zip(equation.outvars, results, strict=True))
    return [v.val if isinstance(v, Literal) else known[v] for v in jaxpr.outvars]


def _run_equation(equation: Any, values: list[Any], seen: list[Any]) -> list[Any]:
    name, parameters = equation.primitive.name, equation.params
    inner = None
    if name == "cond":
        branches = parameters["branches"]
        inner, values = branches[min(max(int(values[0]), 0), len(branches) - 1)], values[1:]
    elif name in _TAKEN_APART:
        inner = next((parameters[key] for key in _INSIDE if key in parameters), None)
    if inner is not None:
        opened = getattr(inner, "jaxpr", inner)
        return list(run_plainly(opened, getattr(inner, "consts", ()), values, seen))
    rest = equation.primitive.get_bind_params(parameters)
    with equation.ctx.manager:
        found = equation.primitive.bind(*values, **rest)
    return list(found) if equation.primitive.multiple_results else [found]


def compare(file: str, text: str) -> dict[str, Any]:
    """What is the same and what is not, of one call."""
    import jax

    from bench.identity import _parse, trace_plain
    from jaxscope.worker.values.evaluation import Evaluator

    class Kept(Evaluator):
        """Keeps what equations outside of loops gave."""

        def __init__(self) -> None:
            super().__init__("jaxpr", float("inf"))
            self._loops_until_s = 0.0  # rounds are not what is compared
            self.kept: list[tuple[str, list[Any]]] = []

        def _remember(self, id: str, equation: Any, results: list[Any]) -> None:
            if not self._iterations:
                self.kept.append((equation.primitive.name, results))

        def _judge(self, *_: Any) -> None:
            pass

    call = _parse(file, text, "values")
    closed = trace_plain(call).jaxpr
    inputs = [leaf for leaf in jax.tree.leaves((call.args, call.kwargs)) if _is_array(leaf)]
    if len(inputs) != len(closed.jaxpr.invars):
        return {"skipped": "arguments that are not all traced"}
    evaluator, seen = Kept(), []
    results = evaluator.run(closed, inputs)
    plain = run_plainly(closed.jaxpr, closed.consts, inputs, seen)
    apart = [
        f"{at} {name}"
        for at, ((name, ours), (other, theirs)) in enumerate(zip(evaluator.kept, seen, strict=True))
        if name != other or not all(map(_is_same, ours, theirs))
    ]
    apart += [f"result {at}" for at, pair in enumerate(zip(results, plain, strict=True))
              if not _is_same(*pair)]  # fmt: skip
    return {"equations": len(seen), "apart": apart}


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") or isinstance(leaf, (int, float, complex))


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values have the same type, shape and bits."""
    import jax
    import numpy as np

    if isinstance(one, jax.Array) and jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
        one, other = jax.random.key_data(one), jax.random.key_data(other)
    if not hasattr(one, "dtype"):
        return bool(one == other)
    left, right = (np.asarray(each, each.dtype) for each in (one, other))  # of JAX's numbers too
    alike = left.dtype == right.dtype and left.shape == right.shape
    return alike and left.tobytes() == right.tobytes()


def list_calls(words: Sequence[str], folder: str) -> Iterator[tuple[str, str, str]]:
    """Groups, files and calls: of the samples, and library calls."""
    from bench.identity_calls import GROUPS, PREAMBLE

    def is_wanted(name: str) -> bool:
        return not words or any(word in name for word in words)

    for path in sorted((_ROOT / "samples").glob("*.py")):
        for text in _OFFERED.findall(path.read_text("utf-8")) if is_wanted(path.stem) else ():
            yield path.stem, str(path), text
    for group in GROUPS:
        if is_wanted(group.name):
            path = Path(folder) / f"{re.sub('[^a-z]', '_', group.name)}.py"
            path.write_text(PREAMBLE + group.source)
            for text in group.calls:
                yield group.name, str(path), text


def main(words: list[str]) -> int:
    """Compare all; how many calls are not the same."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(_ROOT / "samples"))
    num_calls = num_equations = num_apart = 0
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for group, file, text in list_calls(words, folder):
            try:
                found = compare(file, text)
            except Exception as error:  # meant to fail, or without its library
                found = {"skipped": f"{type(error).__name__}: {error}"[:90]}
            if "skipped" in found:
                left_out.append(f"{group}: {text}: {found['skipped']}")
                continue
            num_calls, num_equations = num_calls + 1, num_equations + found["equations"]
            if found["apart"]:
                num_apart += 1
                print(f"{group}: {text}: {', '.join(found['apart'][:5])}", flush=True)
    print(*left_out, sep="\n")
    print(f"{num_calls - num_apart} of {num_calls} calls have the same bits in all of "
          f"{num_equations:,} equations; {len(left_out)} are left out")  # fmt: skip
    return num_apart


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
