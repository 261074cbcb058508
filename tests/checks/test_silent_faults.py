"""What the checks of silent mistakes say is what JAX alone does."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.worker.checks import gathers
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from tests.checks import planted
from tests.checks.running import findings_of

INDEPENDENT = (
    "grad(constant)(f32[8])",
    "grad(linear_beside_a_mask)(f32[8], f32[8])",
    "grad(unused_comparison)(f32[8])",
    "grad(compares_in_a_loop)(f32[8])",
    "grad(by_a_rule_of_its_own)(f32[8])",
    "grad(floor_in_a_loop)(f32[8])",
)
"""Their gradient is 0, and no step that is seen is why: the result does not depend on the argument,
a rule says so, or a loop does it."""
X = jnp.arange(8.0) + 1.0


@pytest.mark.parametrize(
    ("name", "expected", "told"),
    [
        ("eleventh", 16.0, "Index 10 is out of bounds: axis 0 has 8 elements. JAX reads element 7"),
        ("ninth_from_the_end", 1.0, "Index -9 is out of bounds: axis 0 has 8 elements. JAX reads"),
        ("slice_off_the_end", X[4:], "4 elements from 6 on do not fit into axis 0"),
        ("set_off_the_end", X, "The update is dropped there."),
        ("add_off_the_end", X, "The update is dropped there."),
        ("update_off_the_end", X.at[4:].set(1.0), "the slice is moved, and writes from 4 on."),
        ("taken_off_the_end", np.nan, "What is read there is NaN."),
    ],
)
def test_an_index_outside_does_what_is_said(name: str, expected: Any, told: str) -> None:
    np.testing.assert_array_equal(getattr(planted, name)(X), expected)
    np.testing.assert_array_equal(jax.jit(getattr(planted, name))(X), expected)
    (found,) = findings_of(planted.__file__, f"{name}(f32[8])")
    if "PROMISE_IN_BOUNDS" in str(jax.make_jaxpr(getattr(planted, name))(X)):  # as in JAX 0.8.0
        told = f"{told.partition(' JAX ')[0]} JAX promises XLA that all are within"
    assert told in found.message


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("slice_off_the_end", [7.0, 8.0, 0.0, 0.0]),
        ("update_off_the_end", [*X[:6].tolist(), 1.0, 1.0]),
        ("eleventh", 0.0),
    ],
)
def test_what_is_advised_leaves_the_array_where_the_code_did(name: str, expected: Any) -> None:
    (found,) = findings_of(planted.__file__, f"{name}(f32[8])")
    code = found.remedy.rpartition(": ")[2].removesuffix(".").partition(", x.at")[0]
    places = {"x": X, "start": 6, "size": 4, "y": jnp.ones(4), "i": 10, "jnp": jnp}
    np.testing.assert_array_equal(eval(code, places), expected)


def test_an_index_that_checkify_may_find_is_not_said_to_raise_nothing(tmp_path: Path) -> None:
    file = tmp_path / "checked.py"
    file.write_text(
        "import jax\nfrom jax.experimental import checkify\n\n\n"
        "@jax.jit\ndef eleventh(x):\n    return x[10]\n\n\n"
        "def checked(x):\n"
        "    return checkify.checkify(eleventh, errors=checkify.index_checks)(x)\n"
    )
    namespace: dict[str, Any] = {}
    exec(file.read_text(), namespace)
    error, value = namespace["checked"](X)
    assert value == X[7]
    assert "out-of-bounds" in error.get()
    (found,) = findings_of(str(file), "checked(f32[8])")
    assert found.message.endswith(
        "JAX reads element 7 instead. JAX raises no error; checkify finds it if it checks indices."
    )


def test_indices_are_computed_once_however_many_ways_lead_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each doubling is read twice: 2^25 ways lead from the last to the first."""
    file = tmp_path / "doubled.py"
    file.write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n"
        "def doubled(x):\n    i = jax.lax.iota('int32', 1)\n"
        "    for _ in range(25):\n        i = i + i\n"
        "    return jax.lax.dynamic_slice(x, [i[0] + 9], (1,))\n"
    )
    computed: list[Site] = []

    def count(site: Site, value: TracedValue, inputs: list[Any]) -> Any:
        computed.append(site)
        return compute(site, value, inputs)

    compute = gathers._compute
    monkeypatch.setattr(gathers, "_compute", count)
    (found,) = findings_of(str(file), "doubled(f32[8])")
    assert found.rule == "index-out-of-bounds"
    num_equations = len(set(computed))
    assert num_equations >= 25
    assert len(computed) <= 2 * num_equations, "each of them for both questions that are asked"
    assert all(len(repr(site)) < 10_000 for site in computed)


def _parse(text: str) -> Call:
    return parse_call(text, call_namespace(vars(planted)), file=planted.__file__)


def _gradients(text: str, *, fill: float | None = None) -> list[Any]:
    """The gradients of a call, at its arguments or at arrays of one number."""
    call = _parse(text)
    args = call.args
    if fill is not None:
        args = jax.tree.map(lambda leaf: jnp.full_like(leaf, fill), args)
    found = call.compose(call.base)(*args, **call.kwargs)
    if "has_aux" in text:
        found = found[0] if not text.startswith("value_and") else found[1]
    elif "value_and_grad" in text:
        found = found[1]
    return jax.tree.leaves(found)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("text", planted.FAULTS["zero-gradient"])
def test_gradients_that_are_said_to_be_0_are_0_everywhere(text: str) -> None:
    for fill in (None, 0.0, -1.5, 0.5, 1e6):
        assert all(not np.any(np.asarray(each)) for each in _gradients(text, fill=fill))


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "text", [t for t in planted.ALIKE["zero-gradient"] if "grad(" in t and t not in INDEPENDENT]
)
def test_gradients_of_which_nothing_is_said_are_not_0(text: str) -> None:
    assert any(np.any(np.asarray(each)) for each in _gradients(text))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("text", planted.FAULTS["root-gradient-at-zero"])
def test_roots_have_no_gradient_at_0(text: str) -> None:
    assert any(np.any(np.isnan(each)) for each in _gradients(text, fill=0.0))
    assert all(np.all(np.isfinite(each)) for each in _gradients(text))


@pytest.mark.parametrize("name", ["shifted_norm", "safe_norm", "clamped_norm"])
def test_roots_of_which_nothing_is_said_have_one(name: str) -> None:
    assert all(np.all(np.isfinite(e)) for e in _gradients(f"grad({name})(f32[8])", fill=0.0))


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("jnp.zeros(4, dtype=jnp.float64)", "float32"),
        ("x.astype(np.float64)", "float32"),
        ("jnp.asarray(x, dtype='complex128')", "complex64"),
    ],
)
def test_what_asks_for_float64_gets_float32(body: str, given: str, tmp_path: Path) -> None:
    for is_wide in (False, True):
        file = tmp_path / f"wide_{is_wide}.py"  # JAX traces a function once
        file.write_text(
            f"import numpy as np\nimport jax.numpy as jnp\n\ndef f(x):\n    return {body}\n"
        )
        with jax.enable_x64(is_wide):
            found = findings_of(str(file), "f(f32[4])")
            told = [each for each in found if each.rule == "float64-not-available"]
            assert [each.line for each in told] == [5] * (not is_wide)
            names = call_namespace({})
            exec(file.read_text(), names)
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                result = names["f"](jnp.ones(4, jnp.float32))
            asked = [str(each.message) for each in seen if "Explicitly requested" in str(each)]
            assert (result.dtype == given, bool(asked)) == (not is_wide, not is_wide)
            assert all(f"JAX gives {given}" in each.message for each in told)


def test_float64_that_a_library_asks_for_is_not_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "wide_library.py").write_text(
        "import jax.numpy as jnp\ndef widen(x):\n    return x.astype(jnp.float64)\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    file = tmp_path / "own.py"
    file.write_text("import wide_library\ndef f(x):\n    return wide_library.widen(x)\n")
    assert findings_of(str(file), "f(f32[4])") == []
