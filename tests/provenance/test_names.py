"""No tag stays in a name that a reader sees: XLA calls some instructions after the tag alone."""

from __future__ import annotations

import jax
import numpy as np
from compiling import compile_tagged

from jaxscope.analysis.hlo.graph import convert_hlo
from jaxscope.analysis.hlo.text_lines import link_hlo_lines
from jaxscope.model.op_name import strip_tags
from jaxscope.worker import compat
from jaxscope.worker.call import call_namespace, parse_call


def test_instructions_without_a_name_of_their_own_are_called_the_same_in_graph_and_text() -> None:
    """The generator of random numbers leaves a loop's results unnamed."""
    call = parse_call(
        "f(key(0))",
        call_namespace({"__name__": "file", "f": lambda k: jax.random.normal(k, (3,))}),
        file="f.py",
    )
    compiled, _, tags = compile_tagged(call)
    module = compat.optimized_module_of(compiled)
    assert "%jxs" in module.to_string()

    graph = convert_hlo(module.as_serialized_hlo_module_proto(), tags, None, None, "optimized")
    text = strip_tags(module.to_string())

    assert not any("jxs" in string for string in graph.strings)
    linked = link_hlo_lines(text, graph)
    assert set(linked[linked >= 0].tolist()) == set(np.arange(len(graph.nodes)).tolist())
