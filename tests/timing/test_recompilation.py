"""Keys of jitted calls: what changed, what it cost, what to do. Real JAX in real workers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import jax
import pytest

from jaxscope.client.requests import RecompilationRequest
from jaxscope.client.session import Session
from jaxscope.model.experiments import KeyChange, Recompilation, Signature
from jaxscope.program.recompilation import advise, bucket_of, num_recompilations, wasted_seconds
from jaxscope.report.measurement_documents import describe_advice
from jaxscope.worker.timing.recompilation import name_of, place_of

from .recompiled_programs import PROGRAMS

Watch = Callable[..., Recompilation]


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    path = tmp_path_factory.mktemp("recompilation") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    with Session() as session:

        def watch(*calls: str, target: str = "cpu") -> Recompilation:
            result = session.start(RecompilationRequest(str(path), calls, target)).wait()
            assert isinstance(result, Recompilation)
            return result

        yield watch


def kinds(found: Recompilation) -> list[list[str]]:
    return [[change.kind for change in s.changes] for s in found.signatures]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("lengths(3, 6)", [[], ["shape"], ["shape"]]),
        ("jits_in_a_loop()", [[], ["new_function"], ["new_function"]]),
        ("weak()", [[], ["weak_type"]]),
        ("exponents()", [[], ["static"], ["static"]]),
        ("structures()", [[], ["tree"]]),
        ("dtypes()", [[], ["dtype"]]),
        ("precisions()", [[], ["config"]]),
        ("types()", [[], ["static"], ["static"]]),
        ("partials()", [[], ["new_function"]]),
        ("cleared()", [[], ["cleared"]]),
        ("wide()", [[], ["config"]]),
    ],
)
def test_the_cause_is_found_and_jax_agrees(
    watch: Watch, call: str, expected: list[list[str]]
) -> None:
    found = watch(call)
    assert kinds(found) == expected
    for signature, causes in zip(found.signatures[1:], expected[1:], strict=True):
        # Since 0.12, JAX sees that something static differs, and cannot say that it is that.
        is_unexplained = "cache miss explanation unavailable" in signature.jax_says
        assert signature.agrees is (None if is_unexplained else True)
        assert not is_unexplained or causes == ["static"]
    for signature in found.signatures:
        assert signature.seconds > 0
        assert signature.trace > 0
        assert signature.compile > 0
    again = sum(signature.seconds for signature in found.signatures[1:])
    assert found.wasted == pytest.approx(again)


def test_a_weak_type_is_not_told_as_a_python_number(watch: Watch) -> None:
    found = watch("weak_arrays()")
    assert kinds(found) == [[], ["weak_type"]]
    assert "x is a Python number" not in found.advice[0].text
    assert "weak type in some calls only" in found.advice[0].text
    assert not [text for text in found.warnings if "configuration" in text], "ours is no change"


def test_static_objects_that_are_equal_share_a_program(watch: Watch) -> None:
    assert [s.num_calls for s in watch("objects('same')").signatures] == [3]
    other = watch("objects('other')")
    assert kinds(other) == [[], ["static"], ["static"]]
    assert "__eq__ and __hash__" in other.advice[0].text


def test_what_needs_no_signature_of_its_own_gets_none(watch: Watch) -> None:
    found = watch("unhashable()", "donated()", "mapped()", "checks()")
    assert [text for text in found.warnings if "must be hashable" in text]
    assert not [text for text in found.warnings if "uses no jit" in text]
    calls = [(s.function, s.num_calls) for s in found.signatures if s.nearest is None]
    assert calls[0] == ("consume", 3)  # consumed arguments are no reason
    assert calls[1][0] == "double"  # checked or not; with jit disabled it is not called
    assert all(s.agrees is not False for s in found.signatures)
    (program,) = [program for program in found.outside if program.function == "double"]
    assert program.count == 2  # by `vmap`, for two sizes
    assert program.seconds > 0


def test_arguments_by_name_are_another_structure_or_none(watch: Watch) -> None:
    for signature in watch("by_name()").signatures[1:]:
        assert {change.kind for change in signature.changes} <= {"tree", "static"}
        assert not any(change.before.strip() == "keys" for change in signature.changes)
        assert signature.agrees is not False


def test_shardings_and_meshes_are_told_apart(watch: Watch) -> None:
    found = watch("placed()", target="cpu:4")
    assert kinds(found) == [[], ["sharding"], ["config"]]
    (place,) = found.signatures[1].changes
    assert place.before == "on the default device"
    assert "NamedSharding" in place.after
    assert "mesh" in found.signatures[2].changes[0].path


def test_axes_of_a_mesh_in_a_type_are_no_other_shape(watch: Watch) -> None:
    assert kinds(watch("spread()", target="cpu:4")) == [[], ["sharding"]]


def test_calls_that_find_their_program_are_counted_with_it(watch: Watch) -> None:
    (signature,) = watch("same(5)").signatures
    assert signature.num_calls == 5
    assert signature.arguments == ("x: f32[3]",)


def test_several_calls_share_their_programs(watch: Watch) -> None:
    found = watch("double(f32[3])", "double(f32[4])", "double(f32[3])")
    assert [s.num_calls for s in found.signatures] == [2, 1]
    assert [s.call for s in found.signatures] == ["double(f32[3])", "double(f32[4])"]


def test_jits_inside_of_a_jit_are_part_of_it(watch: Watch) -> None:
    found = watch("jit(nested)(f32[3])")
    assert [s.function for s in found.signatures] == ["nested"]


def test_a_function_without_jit_is_jitted_and_that_is_said(watch: Watch) -> None:
    found = watch("plain(f32[3])", "plain(f32[4])")
    assert kinds(found) == [[], ["shape"]]
    assert [w for w in found.warnings if "plain uses no jit" in w]


@pytest.mark.slow
def test_transforms_of_a_function_are_functions_of_their_own(watch: Watch) -> None:
    made = ["squares", "grad(squares)", "vmap(squares)", "vmap(squares)"]
    found = watch("transformed(f32[3])")
    names = [*made, "jacfwd(jacrev(squares))", "gelu"]
    assert [s.function for s in found.signatures] == names and not found.advice
    found = watch("squares(f32[3])", "grad(squares)(f32[3])")
    assert [s.function for s in found.signatures] == made[:2] and not found.advice
    assert "grad(squares) uses no jit; it was run as jit(grad(squares))." in found.warnings


def test_wrappers_that_go_round_have_a_name_all_the_same() -> None:
    def own(x: float) -> float:
        return x

    own.__wrapped__ = own  # type: ignore[attr-defined]  # as code that is wrong may have it
    assert name_of(own) == "own" and name_of(jax.grad(own)) == "grad(own)"
    assert place_of(own).startswith(__file__)


def test_a_call_that_fails_keeps_what_was_seen(watch: Watch) -> None:
    found = watch("fails(f32[3])", "double(f32[4])")
    assert kinds(found) == [[], ["shape"]]
    assert [w for w in found.warnings if w.startswith("fails(f32[3]) failed")]


def test_advice_for_lengths_names_buckets(watch: Watch) -> None:
    (advice,) = watch("lengths(9, 17)").advice
    assert advice.kind == "shape"
    assert "8 sizes" in advice.text
    assert "16" in advice.text


def signature(number: int, *changes: KeyChange, seconds: float = 1.0) -> Signature:
    nearest = number - 1 if number else None
    return Signature(
        number, "f", "f.py:1", "f()", (), nearest, changes, 0.0, 0.0, seconds, False, 1, "", None
    )


def test_the_first_signature_of_a_function_is_not_wasted() -> None:
    signatures = [signature(0, seconds=5.0), signature(1, seconds=2.0), signature(2, seconds=1.0)]
    assert wasted_seconds(signatures) == 3.0


def test_advice_comes_costliest_first() -> None:
    shape = KeyChange("shape", "x", "f32[3]", "f32[4]")
    static = KeyChange("static", "n", "1", "2")
    found = advise([signature(0), signature(1, shape), signature(2, static, seconds=9.0)])
    assert [advice.kind for advice in found] == ["static", "shape"]


def test_a_compilation_that_counts_with_other_advice_is_not_told_as_free() -> None:
    both = KeyChange("shape", "x", "f32[3]", "f32[4]"), KeyChange("static", "n", "1", "2")
    told = [describe_advice(each) for each in advise([signature(0), signature(1, *both)])]
    assert len(told) == 2
    assert [text.partition(": ")[0] for text in told] == ["f (1.00 s)", "f"]


def test_a_default_that_some_calls_give_is_to_be_given_by_all_or_none() -> None:
    by_default = KeyChange("static", "mode", "absent", "'fast'")
    (advice,) = advise([signature(0), signature(1, by_default)])
    assert "Give mode in every call or in none" in advice.text
    plain = KeyChange("static", "mode", "'slow'", "'fast'")
    (advice,) = advise([signature(0), signature(1, plain)])
    assert "or in none" not in advice.text


def test_advice_on_an_argument_names_its_own_types_alone() -> None:
    changes = [
        KeyChange("dtype", "p['w']", "f32[8,2]", "bf16[8,2]"),
        KeyChange("dtype", "p['b']", "f32[2]", "bf16[2]"),
        KeyChange("dtype", "k", "key<fry>[]", "u32[2]"),
    ]
    (found,) = advise([signature(0), signature(1, *changes)])
    told = "p['w'] comes in several dtypes (f32[8,2], bf16[8,2]). So do p['b'], k. "
    assert found.text == f"{told}Cast it once, before the calls."


def test_several_ranks_are_not_padded() -> None:
    found = advise([signature(0), signature(1, KeyChange("shape", "x", "f32[]", "f32[4]"))])
    assert "several numbers of dimensions" in found[0].text


@pytest.mark.parametrize(("length", "bucket"), [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32)])
def test_buckets_are_powers_of_two(length: int, bucket: int) -> None:
    assert bucket_of(length) == bucket


def test_functions_of_one_name_are_told_apart_by_their_lines(watch: Watch) -> None:
    found = watch("two_rules()")
    assert [s.num_calls for s in found.signatures] == [3, 3]
    (change,) = found.signatures[1].changes
    first = PROGRAMS.split("\n").index("    double = lambda x: 2 * x") + 1
    before, after = (f"(programs.py:{line})" for line in (first, first + 1))
    assert change.before.endswith(before) and change.after.endswith(after)
    assert "took 2 values" in found.advice[0].text
    again = watch("new_rules()")
    assert kinds(again) == [[], ["static"], ["static"]]
    assert "came as several objects" in again.advice[0].text


def test_of_a_static_value_the_part_that_changed_is_named(watch: Watch) -> None:
    found = watch("parts()")
    changes = [change for s in found.signatures for change in s.changes]
    assert [(c.kind, c.path, c.before, c.after) for c in changes] == [
        ("static", "how.rates[1]", "0.1", "0.2"),
        ("static", "how.kind", "Kind.PLAIN", "Kind.ROUND"),
    ]
    assert "how.rates[1] took 2 values (0.1, 0.2)" in found.advice[0].text
    assert "So did how.kind." in found.advice[0].text


def test_of_a_structure_the_part_that_changed_is_named(watch: Watch) -> None:
    found = [*watch("deep()").signatures, *watch("carried()").signatures]
    changes = [change for signature in found for change in signature.changes]
    assert [(c.kind, c.path, c.before, c.after) for c in changes] == [
        ("tree", "tree['layer']", "keys b, w", "keys c, w"),
        ("tree", "tree['layer']['w']", "*", "[*, *]"),
        ("tree", "tree, data of Node[0]", "first", "second"),
    ]


def test_a_static_argument_by_name_is_another_structure(watch: Watch) -> None:
    (_, second) = watch("power(jnp.ones(2), n=2)", "power(jnp.ones(2), 2)").signatures
    (change,) = second.changes
    assert (change.kind, change.path) == ("tree", "n")
    assert (change.before, change.after) == ("passed by name", "passed by position")


def test_of_a_default_that_is_given_the_number_of_arguments_is_named(watch: Watch) -> None:
    """`(*,)` and `(*, *)` are JAX's words for it."""
    found = watch("scaled(f32[3])", "scaled(f32[3], 2.0)", "scaled(f32[3], factor=2.0)")
    changes = [change for signature in found.signatures for change in signature.changes]
    assert [(c.path, c.before, c.after) for c in changes] == [
        ("", "1 argument by position", "2 arguments by position"),
        ("", "none by name", "factor by name"),
    ]


def test_shape_and_dtype_are_two_causes(watch: Watch) -> None:
    assert kinds(watch("double(f32[3])", "double(f16[4])")) == [[], ["shape", "dtype"]]


def test_a_setting_that_is_set_no_more_is_a_cause(watch: Watch) -> None:
    found = watch("unset()")
    (change,) = found.signatures[1].changes
    assert (change.kind, change.before, change.after) == ("config", "float32", "not set")
    assert [signature.num_calls for signature in found.signatures] == [1, 2]


@pytest.mark.slow
def test_loops_of_lax_with_a_new_body_each_time_are_recompilations(watch: Watch) -> None:
    found = watch("scans_in_a_loop()")
    assert num_recompilations(found) == 2
    (advice,) = found.advice
    assert (advice.function, advice.kind) == ("scan", "new_function")
    assert found.wasted == pytest.approx(advice.seconds)
    assert num_recompilations(watch("scans_one_body()")) == 0
    # A gradient scans forward and backward: programs of their own.
    found = watch("scanned(f32[3])", "grad(scanned)(f32[3])")
    assert num_recompilations(found) == 0 and not found.advice


def test_a_signature_counts_for_one_advice_and_types_that_follow_from_x64_for_none(
    watch: Watch,
) -> None:
    found = watch("wide_and_back()")
    assert [advice.kind for advice in found.advice] == ["config"]
    both = (KeyChange("shape", "x", "f32[3]", "f32[4]"), KeyChange("dtype", "x", "f32", "f64"))
    signature = Signature(1, "f", "f.py:1", "f(x)", (), 0, both, 1.0, 0.0, 0.0, False, 1, "", None)
    advised = advise(
        [dataclasses.replace(signature, number=0, nearest=None, changes=()), signature]
    )
    assert sum(advice.seconds for advice in advised) == 1.0


def test_kinds_of_random_keys_are_not_cast(watch: Watch) -> None:
    (advice,) = watch("random_keys()").advice
    assert "jax.random.key, of one implementation" in advice.text


def test_functions_in_one_wrapper_are_not_one_function(watch: Watch) -> None:
    first, second, third = watch("wrapped()").signatures
    assert (first.function, second.function, third.function) == ("one", "two", "two")
    assert second.nearest is None
    assert [change.kind for change in third.changes] == ["shape"]


def test_explanations_without_end_and_loggers_of_others_do_no_harm(watch: Watch) -> None:
    found = watch("explained_at_length()")
    assert len(found.signatures[1].jax_says) < 10_000
    assert found.signatures[1].changes
