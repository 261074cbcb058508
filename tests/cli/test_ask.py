"""`ask`: named questions, answered with what was planted in a program."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.ad_checkpoint import print_saved_residuals
from pytestqt.qtbot import QtBot

from cli.commands import CommandLine
from cli.conftest import PLANTED
from fates.small_graphs import build
from jaxscope.cli.ask import find_evidence
from jaxscope.client.requests import CallRequest
from jaxscope.errors import UsageError
from jaxscope.model import Graph, Unavailable
from jaxscope.model.units import format_bytes
from jaxscope.program.links import NO_LINKS
from jaxscope.program.passes.first_modules import FirstModule, find_first_modules
from jaxscope.report.answers import (
    MAX_BYTES,
    QUESTIONS,
    answer_question,
    answer_to_document,
    answer_to_json,
    find_question,
)
from jaxscope.report.document import write_text
from jaxscope.report.moves import SAME_MEMORY, describe_change
from jaxscope.schema.json_text import write_json
from jaxscope.ui.selection.capture_facts import FateReader
from jaxscope.ui.selection.inspector import describe_node

PROGRAM = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

TABLE = np.linspace(0.0, 1.0, 64 * 64, dtype=np.float32).reshape(64, 64)


def planted(x):
    def body(carry, _):
        return jnp.tanh(carry @ TABLE), carry.sum()

    carry, sums = lax.scan(body, x, None, length=7)
    unused = jnp.exp(sums)
    return jnp.log(sums[0] - sums[0])


def looped(x, key):
    def body(carry, _):
        return carry * 2, None

    y = lax.scan(body, x, None, length=8, unroll=4)[0]
    z = jax.scipy.sparse.linalg.cg(lambda v: 2 * v, y)[0]
    return z + jax.random.uniform(key, x.shape)


def again(n):
    return jax.jit(lambda x: x * 2)(jnp.ones(n))


@jax.jit
def double(x):
    return x * 2


# jaxscope: double(f32[3])
# jaxscope: double(f32[4])
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ask") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("constants", "16.0 KiB"),  # 64 · 64 · 4 bytes
        ("which loops run?", "7 rounds"),
        ("removed", "exp"),
        ("line 14", "dead"),
        ("line 6", "No equation came from line 6"),
        ("what became of program.py:11?", "Line 11 of program.py made"),
        ("what became of other.py:11?", "The capture holds no file other.py"),
        ("size", "jaxpr"),
        ("donation", "No argument is donated"),
        ("sharding", "runs on one device"),
    ],
)
def test_what_was_planted_is_told(
    jaxscope: CommandLine, saved: Path, question: str, told: str
) -> None:
    answer = jaxscope("ask", saved, question)

    assert answer.status == 0, answer.errors
    assert told in answer.output


def test_two_counts_of_the_bytes_of_a_fusion_are_told_apart(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """The sum is XLA's, for which each of four slices of one array counts by itself."""
    file = tmp_path / "grid.py"
    text = (
        "import jax.numpy as jnp\n"
        "def spread(u):\n"
        "    p = jnp.pad(u, 1)\n"
        "    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u\n"
    )
    file.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    compiled = jax.jit(names["spread"]).lower(np.ones((32, 32), np.float32)).compile()
    array, padded, zero = 32 * 32 * 4, 34 * 34 * 4, 4
    by_xla = int(compiled.cost_analysis()["bytes accessed"])
    assert by_xla == (array + zero + padded) + (4 * array + array + array)

    told = jaxscope("ask", file, "spread(f32[32, 32])", "fusions").output
    assert f"Optimized: 2 kernel launches, {format_bytes(by_xla)}." in told
    own, other = format_bytes(padded + array + array), format_bytes(4 * array + array + array)
    assert f"reads and writes {own}, by XLA {other}." in told
    assert "counts otherwise for 1 fusion:" in told
    plain = jaxscope("ask", file, "spread(f32[32, 32])", "kernels").output
    assert f"(fusion): {other}, " in plain


def test_a_line_of_unknown_bytes_is_not_said_to_have_the_most(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """XLA counts nothing of a custom call, which sorting by top_k is on the CPU."""
    file = tmp_path / "best.py"
    text = (
        "import jax\n"
        "def best(x):\n"
        "    values, places = jax.lax.top_k(x, 3)\n"
        "    return -values, places\n"
    )
    file.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    compiled = jax.jit(names["best"]).lower(np.ones(20, np.float32)).compile().as_text()
    assert compiled is not None and 'custom_call_target="TopK"' in compiled

    told = jaxscope("ask", file, "best(f32[20])", "costs").output
    assert "best.py:3: bytes unknown" in told
    assert told.startswith("Of what is counted, most traffic of a line: best.py:4. ")


RULES = """\
import jax
import jax.numpy as jnp


@jax.custom_vjp
def norm(x):
    return jnp.sqrt(jnp.sum(x * x))


def forward(x):
    n = norm(x)
    return n, (x, n)


def backward(kept, g):
    x, n = kept
    return (g * x / n,)


norm.defvjp(forward, backward)


def cost(x):
    return norm(x * 3.0)
"""


def test_a_captured_array_that_no_result_needs_is_no_part_of_the_program(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "tables.py"
    text = (
        "import numpy as np\n"
        "used, idle = np.arange(4096.0, dtype='f'), np.arange(512.0, dtype='f')\n"
        "def scaled(x):\n"
        "    aside = (x[:512] * idle).sum()\n"
        "    return x * used\n"
    )
    file.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    lowered = jax.jit(names["scaled"]).lower(np.ones(4096, np.float32)).as_text()
    assert "tensor<4096xf32>" in lowered and "tensor<512xf32>" not in lowered

    told = jaxscope("ask", file, "scaled(f32[4096])", "constants").output
    assert "holds 1 captured array, 16.0 KiB in all. Besides, it captures 1 further array, " in told
    assert "f32[512], 2.00 KiB, read by 1 equation, needed by no result" in told
    report = jaxscope("memory", file, "scaled(f32[4096])").output
    part = report.partition("Captured arrays, which are part of the program")[2]
    assert "f32[4096]" in part and "f32[512]" not in part
    assert "Besides, it captures 1 further array, 2.00 KiB, that no result needs" in part


def test_a_line_inside_of_a_statement_names_the_lines_that_equations_do(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """JAX names where a call begins, not where its arguments stand."""
    file = tmp_path / "calls.py"
    text = (
        "import jax.numpy as jnp\n\n\ndef f(x):\n    y = (\n        jnp.clip(\n"
        "            x,\n            -1.0,\n        )\n        * 2\n    )\n    return y + 1\n"
    )
    file.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    equations = jax.make_jaxpr(names["f"])(np.ones(3, np.float32)).eqns
    lines = {
        next(f.line_num for f in e.source_info.traceback.frames if f.file_name == str(file))
        for e in equations
    }
    assert lines == {6, 12}
    told = jaxscope("ask", file, "f(f32[3])", "line 8").output
    assert told == ("No equation names line 8, but of the same statement equations name line 6.\n")


@pytest.mark.slow
def test_the_lines_of_a_rule_are_not_said_to_make_nothing(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """JAX gives what the forward rule calls that line, what the backward rule computes another."""
    file = tmp_path / "rules.py"
    file.write_text(RULES, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(RULES, str(file), "exec"), names)
    equations = jax.make_jaxpr(jax.grad(names["cost"]))(np.ones(3, np.float32)).eqns
    lines = [
        next(f.line_num for f in e.source_info.traceback.frames if f.file_name == str(file))
        for e in equations
    ]
    assert lines.count(11) == 1 and 17 not in lines and lines.count(24) == len(lines) - 1

    def ask(line: int) -> str:
        return jaxscope("ask", file, "grad(cost)(f32[3])", f"line {line}").output

    assert ask(11) == "Line 11 made no equation of the jaxpr, but 1 equation of grad.\n"
    assert ask(17).startswith("No equation names line 17: what a rule of custom_vjp")
    assert "line that calls the function" in ask(17)
    assert ask(15) == (
        "No equation came from line 15. "
        "This line begins a function, backward: what it computes is in the lines below.\n"
    )


def test_the_size_is_told_of_the_program_that_was_asked_for(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """Of a gradient of a gradient not that of the function: JAX makes the one without the other."""

    def cube(x: jax.Array) -> jax.Array:
        return x * x * x + 2.0 * x

    file = tmp_path / "cube.py"
    file.write_text("def cube(x):\n    return x * x * x + 2.0 * x\n", encoding="utf-8")
    asked = jax.grad(jax.grad(cube))
    num = len(jax.make_jaxpr(asked)(1.0).eqns)
    assert num > len(jax.make_jaxpr(cube)(1.0).eqns)
    for verb in ("ask", "capture"):
        words = ("size",) if verb == "ask" else ()
        told = jaxscope(verb, file, "grad(grad(cube))(f32[])", *words).output
        assert f"From {num} equations (grad(grad)) to " in told


def test_the_origin_of_nan_has_its_line(jaxscope: CommandLine, program: Path) -> None:
    found = jaxscope("ask", program, PLANTED, "where is the NaN?", "--json").json()

    assert found["question"] == "nan"
    assert "log" in found["answer"]
    assert "program.py:15" in found["answer"]


def test_the_loops_are_those_that_run(jaxscope: CommandLine, program: Path) -> None:
    """Not those of a linear solve's other rules; with those that only lowering makes."""
    found = jaxscope("ask", program, "looped(f32[64], key(0))", "loops", "--json").json()

    told = [fact["text"] for fact in found["facts"]]
    scan, solve, *made = told
    assert scan.endswith(": 8 rounds, unroll=4")
    assert solve.endswith(": nobody knows before it runs how often")
    assert found["answer"].startswith("2 loops in the jaxpr.")
    assert len(made) == 1 and "made of" in made[0] and "random_bits" in made[0]
    assert made[0].endswith(": 5 rounds")


def test_two_words_of_a_question_need_no_quotes(jaxscope: CommandLine, saved: Path) -> None:
    quoted = jaxscope("ask", saved, "line 14")
    assert quoted.status == 0
    assert jaxscope("ask", saved, "line", "14").output == quoted.output
    answer = jaxscope("ask", saved, "lime", "14")
    assert answer.status == 2 and "'14' is none that is known" in answer.errors


@pytest.mark.parametrize("call", [[], ["f(1.0)"]])
def test_a_question_before_the_file_is_told_the_other_way_round(
    jaxscope: CommandLine, call: list[str]
) -> None:
    answer = jaxscope("ask", "costs", "my step.py", *call)
    assert answer.status == 2
    assert shlex.join(["jaxscope", "ask", "my step.py", *call, "costs"]) in answer.errors


def test_what_has_no_known_origin_is_no_line_that_costs_most(saved: Path) -> None:
    question = find_question("costs")[0]
    told = question.answer(find_evidence(question, CallRequest(str(saved)))).text
    assert told.startswith("Most traffic of a line: program.py:")


def test_where_no_line_has_traffic_none_is_said_to_have_most(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "constant.py"
    file.write_text("import jax.numpy as jnp\ndef total(x):\n    return jnp.sum(x)\n", "utf-8")
    told = jaxscope("ask", file, "total(f32[0])", "costs").output
    assert "of no known origin" in told and not told.startswith("Most")


def test_recompilations_are_told_by_what_differs(jaxscope: CommandLine, program: Path) -> None:
    found = jaxscope("ask", program, "what recompiled?", "--json").json()

    assert found["answer"].startswith("1 recompilation in 2 calls")
    assert "f32[3]" in found["facts"][0]["text"]
    assert "f32[4]" in found["facts"][0]["text"]


def test_what_the_file_compiles_as_it_is_imported_is_in_none_of_the_calls(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "loop.py"
    file.write_text(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\ndef double(x, n=2): return x * n\n"
        "for size in (1, 2, 3): double(jnp.ones(size))\n",
        "utf-8",
    )
    told = jaxscope("ask", file, "double(f32[4], 3)", "recompiled").output
    assert told.startswith("3 recompilations: 2 while the file was imported, 1 in 1 call, ")
    assert "1 argument by position → 2 arguments by position" in told


def test_copies_name_the_first_module_that_has_them(saved: Path) -> None:
    from jaxscope.schema.archive import load_capture

    question = find_question("copies")[0]
    facts = question.answer(find_evidence(question, CallRequest(str(saved)))).facts
    proven = [fact for fact in facts if fact.certainty == "proven"]
    assert proven, "the program was to have copies that XLA made"
    texts = {r.number: (r.before, r.text) for r in load_capture(str(saved)).passes}
    for fact in proven:
        name = fact.text.split(" ")[0]
        before, after = texts[int(fact.text.partition("after pass ")[2].split(" ")[0])]
        assert f"%{name} = " in after
        assert f"%{name} = " not in before


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.needs in ("capture", "passes")])
def test_every_answer_is_short(saved: Path, question: object) -> None:
    assert isinstance(question, type(QUESTIONS[0]))
    evidence = find_evidence(question, CallRequest(str(saved)))
    evidence = dataclasses.replace(evidence, line=11)
    answer = answer_question(question, evidence)

    assert len(write_text(answer_to_document(answer)).encode()) <= MAX_BYTES
    assert len(write_json(answer_to_json(question, answer, evidence))) <= MAX_BYTES
    kept = len(answer.facts) + answer.left_out
    whole = question.answer(evidence)
    assert kept == len(whole.facts) + whole.left_out


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_found_by_its_name_and_by_its_words(question: object) -> None:
    assert isinstance(question, type(QUESTIONS[0]))
    assert find_question(question.name)[0] is question
    asks = question.asks.replace("line N", "line 3")
    assert find_question(asks)[0] is question


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Why is my code slow?", "costs"),
        ("what is slow", "costs"),
        ("Where does the time go?", "costs"),
        ("is jit slower", "speed"),
        ("where does compile time go", "compile"),
        ("where is the NaN", "nan"),
    ],
)
def test_a_question_is_found_as_people_ask_it(words: str, name: str) -> None:
    assert find_question(words)[0].name == name


@pytest.mark.parametrize("words", ["", "how is the weather", "sin(x)", "\x00", "?" * 10_000])
def test_what_is_no_question_is_answered_with_the_list(words: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_question(words)
    assert "costs" in caught.value.explanation.remedy


def test_a_name_has_no_pass_where_a_module_between_is_not_kept(saved: Path) -> None:
    from jaxscope.schema.archive import load_capture

    passes = load_capture(str(saved)).passes
    began = find_first_modules(passes)
    made = {name for name, told in began.items() if "copies" in told.pass_name}
    assert made
    place = next(n for n, record in enumerate(passes) if "copies" in record.name and record.packed)
    gone = dataclasses.replace(passes[place], packed=b"")
    began_now = find_first_modules([*passes[:place], gone, *passes[place + 1 :]])

    told = f"{gone.number} ({gone.name})"
    lost = {name for name in made if began[name].pass_name == told}
    assert lost
    assert not lost & began_now.keys()
    assert began_now.items() <= began.items()
    assert FirstModule() in began.values()
    assert FirstModule() not in find_first_modules(passes[1:]).values()


def test_what_lowering_made_is_not_made_by_the_pass_that_inlined_it(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """The exchange of parts is lowered to one with a transpose, in a function of its own."""
    file = tmp_path / "exchange.py"
    file.write_text(
        "import jax, numpy as np\n"
        "from jax.sharding import Mesh, PartitionSpec as P\n"
        "mesh = Mesh(np.array(jax.devices()), ('i',))\n"
        "def part(x):\n"
        "    return jax.lax.all_to_all(x, 'i', split_axis=1, concat_axis=0, tiled=True)\n"
        "exchange = jax.shard_map(part, mesh=mesh, in_specs=P('i'), out_specs=P(None, 'i'))\n"
    )
    words = ("ask", file, "exchange(f32[16, 8])", "copies", "--target", "cpu:4", "--json")
    facts = jaxscope(*words).json()["facts"]
    (found,) = [fact for fact in facts if "(transpose " in fact["text"]]
    assert found["text"].endswith("received, under another name, so lowering made it")
    assert found["certainty"] == "inferred"


@pytest.mark.slow
def test_what_a_pass_made_is_not_taken_for_what_it_removed(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """XLA computes bf16 as f32 here: it removes converts that JAX wrote, and makes others."""
    file = tmp_path / "program.py"
    file.write_text("import jax\ndef total(x, w):\n    return jax.nn.softmax(x @ w).sum()\n")
    found = jaxscope("ask", file, "total(bf16[32, 16], bf16[16, 8])", "copies", "--json").json()

    assert " from XLA" in found["answer"]
    assert " from lowering" not in found["answer"], found  # it lowers to no convert of its own


def test_what_jax_wrote_is_not_made_by_the_pass_that_fused_it(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """JAX lowers a power of an integer with a convert; fusing clones it under a new name."""
    file = tmp_path / "program.py"
    file.write_text("def power(x, n):\n    return x * (0.9**n)\n", encoding="utf-8")
    found = jaxscope("ask", file, "power(f32[8], i32[])", "copies", "--json").json()

    assert found["facts"], found
    assert not [fact for fact in found["facts"] if fact["certainty"] == "proven"]
    assert " from XLA" not in found["answer"]


def test_copies_that_xla_did_not_receive_are_made_by_it_whether_or_not_passes_are_recorded(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file, saved = tmp_path / "program.py", tmp_path / "program.jaxscope"
    body = (
        "import jax\ndef total(x):\n    return jax.lax.scan(lambda c, r: (c + r, c * r), x[0], x)\n"
    )
    file.write_text(body, encoding="utf-8")
    jaxscope("capture", file, "total(f32[8, 4])", "-o", saved)
    found = jaxscope("ask", saved, "copies", "--json").json()

    names: dict[str, Any] = {}
    exec(body, names)
    lowered = jax.jit(names["total"]).lower(jax.ShapeDtypeStruct((8, 4), "float32"))
    assert " copy(" not in lowered.compiler_ir("hlo").as_hlo_text()
    copies = [fact for fact in found["facts"] if "(copy " in fact["text"]]
    assert copies
    assert {fact["certainty"] for fact in copies} == {"proven"}
    assert "--passes" in found["answer"]


def test_a_transpose_of_an_equation_that_reached_xla_without_one_is_made_or_moved_by_xla(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """XLA turns the operand of the product; the program's own transpose is of another equation."""
    file, saved = tmp_path / "program.py", tmp_path / "program.jaxscope"
    file.write_text(
        "import jax.numpy as jnp\n"
        "def mixed(x, w):\n"
        "    return jnp.einsum('ijk,lj->ikl', x, w), x.T + 1\n"
    )
    call = "mixed(f32[4, 8, 6], f32[5, 8])"
    jaxscope("capture", file, call, "-o", saved)
    facts = jaxscope("ask", saved, "copies", "--json").json()["facts"]
    (guessed,) = [fact for fact in facts if "reached XLA without a transpose" in fact["text"]]
    assert guessed["certainty"] == "inferred"
    name = guessed["text"].split(" ")[0]
    facts = jaxscope("ask", file, call, "copies", "--json").json()["facts"]
    (known,) = [fact for fact in facts if fact["text"].startswith(f"{name} ")]
    assert "first in the module after pass" in known["text"] and known["certainty"] == "proven"


KEPT = """
import jax, jax.numpy as jnp
def passed(x, y): return x, y + 1
def put(y, x): return y + 1, x.at[2].set(1.0)
def loop(x, y): return jax.lax.fori_loop(0, 5, lambda i, c: c.at[i].set(2.0), x), y.sum()
def own(x, y): return jnp.copy(x), y * 2
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "place", "told"),
    [
        ("passed(f32[500], f32[5])", 0, "a result may not lie in the memory of x, as that is not"),
        ("put(f32[5], f32[500])", 1, "that of x must stay as it is, as it is not donated"),
        ("own(f32[500], f32[5])", 0, "a result may not lie in the memory of x, as that is not"),
        ("loop(f32[500], f32[5])", 0, "that of x must stay as it is, as it is not donated"),
    ],
)
def test_a_copy_of_an_argument_that_is_not_donated_says_so(
    jaxscope: CommandLine, tmp_path: Path, call: str, place: int, told: str
) -> None:
    file, names = tmp_path / "program.py", dict[str, Any]()
    file.write_text(KEPT, encoding="utf-8")
    facts = jaxscope("ask", file, call, "copies", "--json").json()["facts"]
    (reason,) = [fact["text"] for fact in facts if "not donated" in fact["text"]]
    assert told in reason and "(copy f32[500]," in reason
    # By JAX alone: with the argument donated the copy goes, without it is there.
    exec(KEPT, names)
    name, _, rest = call.partition("(")
    shapes = [jax.ShapeDtypeStruct((int(n),), "float32") for n in re.findall(r"\[(\d+)\]", rest)]
    for donated, is_copied in (((), True), ((place,), False)):
        compiled = jax.jit(names[name], donate_argnums=donated).lower(*shapes).compile()
        assert bool(re.search(r"= f32\[500\]\S* copy\(", compiled.as_text())) is is_copied
    own = f"jit({name}, donate_argnums={place})({rest}"
    facts = jaxscope("ask", file, own, "copies", "--json").json()["facts"]
    assert not [fact for fact in facts if "not donated" in fact["text"]]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("passed(f32[500], f32[5])", "a result may not lie in the memory of x, as that is not"),
        ("put(f32[5], f32[500])", "that of x must stay as it is, as it is not donated"),
        ("jit(put, donate_argnums=1)(f32[5], f32[500])", ""),
    ],
)
def test_the_inspector_tells_the_reason_of_a_copy_as_the_answer_does(
    tmp_path: Path, qtbot: QtBot, call: str, told: str
) -> None:
    file = tmp_path / "program.py"
    file.write_text(KEPT, encoding="utf-8")
    capture = find_evidence(find_question("copies")[0], CallRequest(str(file), call)).taken
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    reader = FateReader()
    reader.read(capture)
    with qtbot.waitSignal(reader.changed):
        pass
    nodes = stage.graph.nodes_of(["copy"])
    assert bool(nodes) is bool(told), "what is donated is not copied"
    pages = [describe_node(stage, node, NO_LINKS, "#888", reader) for node in nodes]
    texts = [re.sub("<[^>]*>|&#8203;|\u200b", "", page) for page in pages]
    assert not told or [text for text in texts if "as it is; " in text and told in text]


GAUSSIAN_PROCESS = """
import jax, jax.numpy as jnp
def loss(x):
    matrix = jnp.exp(-(x[:, None] - x[None]) ** 2) + jnp.eye(x.size)
    matrix = matrix + jnp.tril(matrix @ jnp.cos(matrix)).T
    factor = jnp.linalg.cholesky(matrix)
    return jax.scipy.linalg.solve_triangular(factor, x, lower=True).sum()
gradient = jax.grad(loss)
"""


INSTRUCTION = re.compile(
    r" *(?:ROOT )?%?(?P<name>\S+) = \w+\[[\d,]*\](?:\{(?P<layout>[\d,]*)\})? "
    r"(?P<operation>[\w-]+)\(%?(?P<operand>[^,) ]*)(?:.*dimensions=\{(?P<dimensions>[\d,]*)\})?"
)


@pytest.mark.slow
def test_copies_and_transposes_change_layouts_as_the_text_of_the_module_says(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file, saved = tmp_path / "program.py", tmp_path / "program.jaxscope"
    file.write_text(GAUSSIAN_PROCESS, encoding="utf-8")
    jaxscope("capture", file, "gradient(f32[30])", "-o", saved)
    question = find_question("copies")[0]
    answer = question.answer(find_evidence(question, CallRequest(str(saved))))
    told = {fact.text.split(" ")[0]: fact.text for fact in answer.facts}

    names: dict[str, Any] = {}
    exec(GAUSSIAN_PROCESS, names)
    shaped = jax.ShapeDtypeStruct((30,), "float32")
    module = jax.jit(names["gradient"]).lower(shaped).compile().as_text()
    layouts, kinds = dict[str, str](), list[str]()
    for found in filter(None, map(INSTRUCTION.match, module.splitlines())):
        after = layouts[found["name"]] = found["layout"] or ""
        text, before = told.get(found["name"], ""), layouts.get(found["operand"])
        if found["operation"] == "copy":
            is_changed = before != after
            kinds.append("changed" if is_changed else "kept")
            assert (f"from layout {{{before}}} to {{{after}}}" in text) == is_changed
            assert (" as it is" in text) != is_changed
        elif found["operation"] == "transpose":
            order = found["dimensions"].split(",")
            is_still = [order[int(each)] for each in after.split(",")] == (before or "").split(",")
            kinds.append("still" if is_still else "moved")
            assert ("of the same memory" in text) == is_still
    counts = Counter(kinds)
    assert counts["changed"] > 4 and counts["kept"] and counts["still"], counts
    num_copies = counts["changed"] + counts["kept"]
    assert f"change a layout: {counts['changed']} of {num_copies}." in answer.text
    assert f"move nothing: {counts['still']} of {counts['still'] + counts['moved']}." in answer.text
    assert any("(lapack_strsm_ffi)" in text for text in told.values())


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("{1,0:T(8,128)}", "{1,0:T(8,128)}", "as it is"),
        ("{1,0}", "{1,0:S(5)}", "from layout {1,0} to {1,0:S(5)}"),  # to the memory of the host
        ("{1,0:T(8,128)}", "{1,0:T(8,128)S(1)}", "to {1,0:T(8,128)S(1)}"),
    ],
)
def test_a_copy_to_another_memory_or_into_other_tiles_is_not_made_as_it_is(
    before: str, after: str, told: str
) -> None:
    graph = build(
        f"ins p parameter :f32[8,128] layout={before}\nins c copy <p :f32[8,128] layout={after}"
    )
    assert describe_change(graph, 1).endswith(told)


def test_a_transpose_in_tiles_is_not_said_to_move_nothing() -> None:
    graph = build(
        "ins p parameter :f32[8,128] layout={1,0:T(8,128)}\n"
        "ins t transpose <p :f32[128,8] dimensions={1,0} layout={0,1:T(8,128)}"
    )
    assert describe_change(graph, 1) == ""


@given(order=st.permutations(range(4)), layout=st.permutations(range(4)))
def test_a_transpose_moves_nothing_where_numpy_would_take_a_view(
    order: list[int], layout: list[int]
) -> None:
    def braces(numbers: Iterable[int]) -> str:
        return "{" + ",".join(map(str, numbers)) + "}"

    view = np.empty((2, 3, 4, 5)).transpose(order)
    kept = np.argsort(view.strides).tolist()  # from the dimension that varies fastest
    for after in (kept, layout):
        sizes = ",".join(map(str, view.shape))
        graph = build(
            f"ins p parameter :f32[2,3,4,5] layout={braces([3, 2, 1, 0])}\n"
            f"ins t transpose <p :f32[{sizes}] dimensions={braces(order)} layout={braces(after)}"
        )
        assert (describe_change(graph, 1) == SAME_MEMORY) == (after == kept)


def test_a_derivative_is_held_against_what_it_was_made_of(
    jaxscope: CommandLine, program: Path
) -> None:
    call = "jax.vmap(jax.grad(lambda x: jnp.sin(x) * 2.0))(jnp.ones(1000))"
    found = jaxscope("ask", program, call, "gradient", "--json").json()

    # The function of one number before, not the thousand of vmap after.
    told = found["answer"]
    assert told.startswith("What is differentiated does ")
    assert "k" not in told.partition(", before optimization")[0]
    assert [fact["text"].split(" (")[0] for fact in found["facts"][:2]] == ["jaxpr", "grad"]


def test_values_that_came_in_are_told(jaxscope: CommandLine, program: Path) -> None:
    found = jaxscope("ask", program, "double(jnp.array([jnp.nan]))", "nan", "--json").json()

    assert "An argument holds them already." in found["answer"]


def test_a_saved_capture_tells_what_its_checks_found(jaxscope: CommandLine, tmp_path: Path) -> None:
    """As `check` prints it of the call."""
    program, saved = tmp_path / "drawn.py", tmp_path / "drawn.jaxscope"
    program.write_text(
        "import jax\n"
        "def drawn(key):\n"
        "    return jax.random.normal(key, (3,)) + jax.random.normal(key, (3,))\n",
        encoding="utf-8",
    )
    assert jaxscope("capture", program, "drawn(key(0))", "-o", saved).status == 0
    (checked,) = jaxscope("check", program, "drawn(key(0))", "--json").json()["checks"]

    found = jaxscope("ask", saved, "checks", "--json").json()
    assert found["answer"].startswith("1 finding. The first is key-reuse. Found when it was capt")
    assert checked["rule"] == "key-reuse" and checked["line"] == 3
    (fact,) = found["facts"]
    assert fact["text"].startswith(f"warning: key-reuse: {checked['message'][:100]}")
    assert fact["place"] == "drawn.py:3"

    dump = tmp_path / "plain.txt"  # a module of which nobody traced the call was not checked
    dump.write_text(jax.jit(lambda x: x + 1).lower(1.0).compile().as_text() or "")
    opened = tmp_path / "opened.jaxscope"
    assert jaxscope("open", dump, "-o", opened).status == 0
    answer = jaxscope("ask", opened, "checks")
    assert answer.status == 2 and "Nothing was found" not in answer.output
    assert "was not traced" in answer.errors


def test_a_saved_capture_says_that_it_cannot_run(jaxscope: CommandLine, saved: Path) -> None:
    answer = jaxscope("ask", saved, "recompiled")

    assert answer.status == 2
    assert "takes a run" in answer.errors


@pytest.mark.slow
def test_a_capture_of_a_script_names_the_command_that_runs_it_again(
    jaxscope: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "a script.py"
    script.write_text(
        "import sys, jax, jax.numpy as jnp\n"
        "f = jax.jit(lambda x: jnp.log(x - 2))\n"
        "f(jnp.ones(3) * 5)\n"
        "f(jnp.ones(3))\n"
        "assert sys.argv[1:] == ['two words']\n"
    )
    out = tmp_path / "out"
    assert jaxscope("run", "--out", out, "--catch", "<lambda>", script, "two words").status == 0
    (caught,) = out.glob("*.jaxscope")

    def run_again(question: str) -> str:
        told = jaxscope("ask", caught, question).errors
        (command,) = re.findall(r"Run the script again: (.+)", told)
        words = shlex.split(command)
        assert words[:2] == ["jaxscope", "run"] and words[-2:] == [str(script), "two words"]
        again = jaxscope(*words[1:])
        assert again.status == 0
        return again.output

    assert "1 program" in run_again("recompiled"), "it answers what was asked"
    run_again("nan")
    (other,) = (tmp_path / "jaxscope-run").glob("*.jaxscope")
    assert "(log, a script.py:2)" in jaxscope("ask", other, "nan").output
    speed = jaxscope("ask", caught, "speed").errors
    assert f"jaxscope ask {shlex.quote(str(script))} CALL" in speed
    caught.rename(tmp_path / "alone.jaxscope")
    assert "Name the Python file." in jaxscope("ask", tmp_path / "alone.jaxscope", "nan").errors


@pytest.mark.slow
def test_kernels_whose_work_is_not_counted_are_kernels(
    jaxscope: CommandLine, program: Path
) -> None:
    call = "jnp.linalg.eigh(jnp.eye(16))"
    found = jaxscope("ask", program, call, "kernels", "--json").json()

    own = [fact for fact in found["facts"] if fact["certainty"] == "unknown"]
    assert len(own) == 1, "eigh is a call of LAPACK, which XLA cannot look into"
    assert "custom-call" in own[0]["text"]
    assert f"has {len(found['facts'])} kernels" in found["answer"]
    assert "the work of 1 kernel." in found["answer"]


def test_a_line_with_a_call_that_xla_does_not_count_costs_at_least_the_rest(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "factors.py"
    file.write_text(
        "import jax.numpy as jnp\n"
        "def values(a):\n"
        "    return jnp.linalg.eigh(a)[0]\n"
        "def total(a):\n"
        "    return (a + 1).sum() + values(a).sum()\n",
        encoding="utf-8",
    )

    told = jaxscope("ask", file, "total(f32[16,16])", "costs", "--json").json()["facts"]

    of_line = {fact["text"].partition(":")[2].partition(":")[0]: fact["text"] for fact in told}
    assert "≥ " in of_line["3"] or "unknown" in of_line["3"], "eigh is a call of LAPACK"
    assert "≥" not in of_line["5"]
    assert "unknown" not in of_line["5"]
    assert not any("%" in text or " 0 FLOP" in text for text in of_line.values())


def test_what_a_library_does_counts_for_the_line_that_calls_it(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "library.py").write_text(
        "def twice(a, b):\n    return a @ (a @ b)\n", encoding="utf-8"
    )
    file = tmp_path / "mine.py"
    file.write_text(
        "from library import twice\n"
        "def total(a, b):\n"
        "    c = twice(a, b)\n"
        "    return (c * b).sum()\n",
        encoding="utf-8",
    )

    told = jaxscope("ask", file, "total(f32[64,64], f32[64,8])", "costs", "--json").json()["facts"]

    products, rest = 2 * (2 * 64 * 64 * 8), 64 * 8 + (64 * 8 - 1)
    first = f"mine.py:3, with what it calls in other files: {products / (products + rest):.1%} "
    assert told[0]["text"].startswith(first), told
    assert told[0]["place"] == "mine.py:3"
    assert told[1]["place"] == "mine.py:4"
    assert any(fact["place"] == "library.py:2" for fact in told)
    for fact in told:  # one line is in both lists, so each says of which stage it is
        is_own = "with what it calls" in fact["text"]
        assert (" of jaxpr: " in fact["text"]) == is_own
        assert (", in optimized: " in fact["text"]) != is_own
    assert [fact["place"] for fact in told].count("mine.py:4") == 2


def test_the_list(jaxscope: CommandLine, saved: Path) -> None:
    lines = jaxscope("ask", saved, "help").output.splitlines()
    assert [line.split()[0] for line in lines] == [question.name for question in QUESTIONS]


def test_residuals_that_are_alike_are_told_together(tmp_path: Path) -> None:
    """A scan stacks what each round hands over: two values of one round, seven rounds, four bytes
    for each of eight elements."""
    file = tmp_path / "kept.py"
    file.write_text(
        "import jax.numpy as jnp\nfrom jax import lax\n\n\n"
        "def total(x):\n"
        "    body = lambda c, _: (jnp.sin(c) * jnp.cos(c), None)\n"
        "    return lax.scan(body, x, None, length=7)[0].sum()\n"
    )

    question = find_question("residuals")[0]
    request = CallRequest(str(file), "grad(total)(f32[8])")
    facts = question.answer(find_evidence(question, request)).facts

    (stacked,) = [fact.text for fact in facts if "f32[7,8]" in fact.text]
    told = re.fullmatch(r"(\d) × f32\[7,8\] of scan .*, (\d+) B", stacked)
    assert told is not None
    assert int(told[1]) > 1
    assert int(told[2]) == int(told[1]) * 7 * 8 * 4


DERIVATIVES = """\
import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.ad_checkpoint import checkpoint_policies as policies


def wave(x):
    return jnp.sin(x) * x**2


def halve(x):
    return lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (x, 0))[1]


def grow(n, x):
    return lax.fori_loop(0, n, lambda i, y: y * 2, x)


def logdet(a):
    return jnp.linalg.slogdet(a)[1]


def norm(a):
    return jnp.linalg.svd(a, compute_uv=False)[0]


def kept(x, w):
    h = checkpoint_name(jnp.tanh(x @ w), "h")
    return jnp.sum(jnp.sin(h @ w))


offload = jax.checkpoint(
    kept,
    policy=policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["h"],
        offload_src="device",
        offload_dst="pinned_host",
    ),
)
"""


def ask_of_derivatives(tmp_path: Path, name: str, call: str) -> Any:
    file = tmp_path / "derivatives.py"
    file.write_text(DERIVATIVES)
    question = find_question(name)[0]
    return question.answer(find_evidence(question, CallRequest(str(file), call)))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("transform", ["vjp", "linearize"])
def test_what_vjp_hands_out_is_kept_by_the_caller(tmp_path: Path, transform: str) -> None:
    _, pull = jax.vjp(lambda x: jax.numpy.sin(x) * x**2, np.ones(8, np.float32))
    sizes = [leaf.nbytes for leaf in jax.tree.leaves(pull)]
    answer = ask_of_derivatives(tmp_path, "residuals", f"{transform}(wave, f32[8])")
    told = f"a part of the results: {sum(sizes)} B in {len(sizes)} arrays."
    assert answer.text.startswith(transform) and answer.text.endswith(told)
    assert [fact.text.partition(", ")[2] for fact in answer.facts] == [f"{n} B" for n in sizes]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("halve(f32[])", "None of its results is a float."),
        ("vmap(halve)(f32[8])", "none of its results is a float."),
        ("grow(3, f32[8])", "Reverse-mode differentiation does not work for lax.while_loop"),
        ("vmap(logdet)(f32[3, 4, 4])", "ask of vmap(grad(logdet))(…)"),
    ],
)
def test_why_a_call_has_no_gradient(tmp_path: Path, call: str, told: str) -> None:
    assert told in ask_of_derivatives(tmp_path, "gradient", call).text


def test_the_gradient_that_is_proposed_is_one(tmp_path: Path) -> None:
    answer = ask_of_derivatives(tmp_path, "gradient", "vmap(grad(logdet))(f32[3, 4, 4])")
    assert answer.text.startswith("What is differentiated does at least")
    notes = [fact.text for fact in answer.facts if "cost" in fact.text]
    assert [note.partition(":")[0] for note in notes] == ["jaxpr", "grad"]


def test_work_that_is_unknown_is_said_in_a_sentence(tmp_path: Path) -> None:
    told = ask_of_derivatives(tmp_path, "gradient", "norm(f32[6, 4])").text
    assert told.startswith("The work of what is differentiated is unknown; with its derivative")


def test_one_equation_is_one(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("def one(x):\n    return x + 1\n\n\ndef none(x):\n    return x\n")
    question = find_question("removed")[0]
    told = [
        question.answer(find_evidence(question, CallRequest(str(file), f"{name}(f32[8])"))).text
        for name in ("one", "none")
    ]
    assert told == ["Nothing: its one equation is still there.", "The function has no equations."]


def test_nothing_is_counted_in_the_words_of_its_stage(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("def none(x):\n    return x\n")
    question = find_question("size")[0]
    told = question.answer(find_evidence(question, CallRequest(str(file), "none(f32[8])")))
    rows = [fact.text for fact in told.facts]
    assert "jaxpr: 0 equations" in rows and "stablehlo: 0 operations" in rows


def test_a_call_that_nobody_typed_or_offered_is_named(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "square.py"
    file.write_text("def square(x): return x * x\n")
    assert jaxscope("ask", file, "size").output.splitlines()[-1] == "The call is square(f32[()])"
    assert "The call" not in jaxscope("ask", file, "square(f32[3])", "size").output
    file.write_text("# jaxscope: square(f32[2])\ndef square(x): return x * x\n")
    assert "The call" not in jaxscope("ask", file, "size").output


def test_the_memory_of_captured_arrays_is_told_beside_the_plan(tmp_path: Path) -> None:
    file = tmp_path / "table.py"
    lines = ["import jax.numpy as jnp", "import numpy as np"]
    lines += ["TABLE = np.arange(4096, dtype=np.float32)"]
    lines += ["def look_up(i): return jnp.asarray(TABLE)[i]", "def double(i): return i * 2"]
    file.write_text("\n".join(lines))
    question = find_question("memory")[0]
    told = [
        question.answer(find_evidence(question, CallRequest(str(file), call))).text
        for call in ("look_up(3)", "double(3)")
    ]
    assert "Besides, the program holds 16.0 KiB of captured arrays." in told[0]
    assert "captured" not in told[1]


def test_what_is_unknown_is_not_said_to_be_still_there(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text("import jax.numpy as jnp\ndef two(x):\n    return jnp.sin(x) + 1\n")
    question = find_question("removed")[0]
    evidence = find_evidence(question, CallRequest(str(file), "two(f32[8])"))
    fates = dict(evidence.taken.fates)
    fates["0"] = dataclasses.replace(fates["0"], fate="unknown", certainty="")
    capture = dataclasses.replace(evidence.taken, fates=fates)
    told = question.answer(dataclasses.replace(evidence, capture=capture)).text
    assert told == "Nothing of 2 equations, as far as is known. What became of 1 is not known."


def test_a_function_without_equations_computes_no_derivative_itself(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("def none(x):\n    return x\n")
    question = find_question("gradient")[0]
    for call in ("none(f32[8])", "grad(none)(f32[])"):
        found = question.answer(find_evidence(question, CallRequest(str(file), call))).text
        assert found.startswith("What is differentiated does 0 FLOP; with its derivative ")


@pytest.mark.parametrize("name", ["fates", "removed", "gradient"])
def test_of_a_stage_that_cannot_be_read_no_answer_says_that_it_is_empty(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "one.py"
    file.write_text("def one(x):\n    return x + 1\n")
    evidence = find_evidence(find_question(name)[0], CallRequest(str(file), "grad(one)(f32[])"))
    reason = "It could not be read."
    for missing in ("jaxpr", "optimized"):
        stages = tuple(
            dataclasses.replace(stage, graph=Unavailable(reason, stage.name))
            if stage.name == missing
            else stage
            for stage in evidence.taken.stages
        )
        capture = dataclasses.replace(evidence.taken, stages=stages, fates={})
        answer = answer_question(
            find_question(name)[0], dataclasses.replace(evidence, capture=capture)
        )
        if (name, missing) != ("gradient", "optimized"):
            assert answer.text == f"That is not known: {reason}"


def test_one_round_is_one(tmp_path: Path) -> None:
    file = tmp_path / "rounds.py"
    file.write_text(
        "from jax import lax\n\n\n"
        "def once(x):\n    return lax.fori_loop(0, 1, lambda _, y: y * 2, x)\n"
    )
    question = find_question("loops")[0]
    (fact,) = question.answer(find_evidence(question, CallRequest(str(file), "once(f32[8])"))).facts
    assert fact.text.endswith(": 1 round")


def test_what_lies_in_the_hosts_memory_has_its_size(tmp_path: Path) -> None:
    answer = ask_of_derivatives(tmp_path, "residuals", "grad(offload)(f32[8, 16], f32[16, 16])")
    (fact,) = [fact.text for fact in answer.facts if "<host>" in fact.text]
    assert fact.startswith("f32<host>[8,16] of device_put") and fact.endswith(f"{8 * 16 * 4} B")


def test_arguments_that_the_backward_part_reads_are_those_that_jax_saves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "attend.py"
    file.write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n"
        "def attend(q, k, v):\n"
        "    return jnp.sum(jax.nn.softmax(q @ k.T) @ v)\n"
    )
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    print_saved_residuals(space["attend"], *[np.ones((8, 16), np.float32)] * 3)
    saved = set(re.findall(r"from the argument (\w+)", capsys.readouterr().out))
    question = find_question("residuals")[0]
    call = "grad(attend, argnums=(0, 1, 2))(f32[8, 16], f32[8, 16], f32[8, 16])"
    answer = question.answer(find_evidence(question, CallRequest(str(file), call)))
    told = [fact.text for fact in answer.facts if "argument" in fact.text]
    assert saved == {"q", "v"}
    assert {re.findall(r"of the argument (\w+), 512 B", text)[0] for text in told} == saved
    assert "It also reads 2 arrays of the arguments (1.00 KiB)" in answer.text
