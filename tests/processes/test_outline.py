"""What a file contains, found without running it."""

from __future__ import annotations

import ast

import pytest

from jaxscope.errors import SourceError
from jaxscope.model.outline import find_offered_calls
from jaxscope.worker.host.outline import find_functions, parse_source
from jaxscope.worker.host.source import SourceSnapshot

FILE = '''"""A lesson."""
# jaxscope: loss(f32[3])
import os

TEXT = "# jaxscope: not(a_call)"


def loss(x: Array, *, scale: float = 1.0) -> Array:
    """The loss."""
    # jaxscope: grad(loss)(f32[3])  # with a comment
    return x  # jaxscope: loss(f32[4])


class Model:
    def __call__(self, x):
        def inner(): ...
        return x


if os.name:
    async def late(): ...
'''


def parse(text: str) -> ast.Module:
    return parse_source(SourceSnapshot("/folder/file.py", text, ""))


def test_only_comments_offer_calls() -> None:
    calls = [(offer.call, offer.line) for offer in find_offered_calls(FILE)]

    assert calls == [
        ("loss(f32[3])", 2),
        ("grad(loss)(f32[3])  # with a comment", 10),
        ("loss(f32[4])", 11),
    ]


def test_functions_methods_and_classes_are_listed_with_their_lines() -> None:
    found = [(f.kind, f.signature, f.line) for f in find_functions(parse(FILE))]

    assert found == [
        ("function", "loss(x: Array, *, scale: float=1.0) -> Array", 8),
        ("class", "class Model", 14),
        ("method", "__call__(self, x)", 15),
        ("function", "late()", 21),
    ]
    assert find_functions(parse(FILE))[0].doc == "The loss."
    assert find_functions(parse(FILE))[2].name == "Model.__call__"


def test_lambdas_and_partials_with_a_name_are_functions() -> None:
    text = (
        "import functools, jax\n"
        "double = lambda x, *, by=2: x * by\n"
        "triple = functools.partial(double, by=3)\n"
        "with_static = functools.partial(jax.jit, static_argnums=0)\n"
        "number = 3\n"
        "class Model:\n"
        "    act = lambda x: x\n"
    )
    found = [(f.name, f.kind, f.signature, f.line) for f in find_functions(parse(text))]

    assert found == [
        ("double", "function", "double(x, *, by=2)", 2),
        ("triple", "function", "triple = functools.partial(double, by=3)", 3),
        ("Model", "class", "class Model", 6),
    ]


def test_offers_before_a_broken_place_stand() -> None:
    calls = find_offered_calls("# jaxscope: f(1)\nx = (\n")

    assert [offer.call for offer in calls] == ["f(1)"]


def test_a_syntax_error_has_its_place() -> None:
    with pytest.raises(SourceError) as caught:
        parse("x = 1\ny = = 2\n")

    assert caught.value.explanation.where == "file.py:2"
    assert "column 5" in caught.value.explanation.why


def test_a_nesting_bomb_is_refused() -> None:
    with pytest.raises(SourceError):
        parse("(" * 5000 + ")" * 5000)
    with pytest.raises(SourceError):
        parse("x = " + "-" * 100_000 + "1")


def test_a_file_with_thousands_of_functions_is_cut() -> None:
    text = "\n".join(f"def f{number}(): ..." for number in range(3000))

    assert len(find_functions(parse(text))) == 2000
