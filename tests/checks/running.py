"""Runs the checks on a call of a file, as a capture does, without compiling it."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

from jaxscope.model.capture import Check
from jaxscope.worker.checks import run_checks
from jaxscope.worker.checks.effects import EffectWatch
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.provenance.traced_program import trace_call


@functools.cache
def _execute(file: str) -> Any:
    return execute_file(file, Path(file).read_text("utf-8"))


def findings_of(file: str, text: str, target: str = "cpu") -> list[Check]:
    """What is found in a call of a file, for a target that need not be here."""
    call = parse_call(text, call_namespace(vars(_execute(file))), file=file)
    watch, effects = PurityWatch(call.base, read_source(file)), EffectWatch(call.base)
    with warnings.catch_warnings(), effects.watching():
        warnings.filterwarnings("ignore", "Explicitly requested dtype")
        program = trace_call(call)
    found, failed = run_checks(CheckedCall(call, program, watch, effects, target))
    assert not failed, failed
    assert {each.equation for each in found} <= {"", *program.base_ids}
    return found
