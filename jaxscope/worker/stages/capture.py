"""The pipeline of one capture: file, call, trace, lower, compile, costs, texts.

Stages are sent as soon as they are there, graphs before texts, so a window shows the jaxpr while
XLA still compiles. A stage that fails ends the pipeline; those before it stay. A small program is
run once all of them have been sent. While a program is converted, the objects that live to the end
are frozen out of Python's garbage collection, which would take half of the time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import jax

from jaxscope.errors import EnvironmentProblem, JaxscopeError, TraceError
from jaxscope.model.capture import NONFINITE_RESULT
from jaxscope.model.graph import strings_to_arrays
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import TagTable, strip_tags
from jaxscope.model.said import said, say
from jaxscope.model.stages import stage_kind
from jaxscope.model.targets import is_absent
from jaxscope.model.units import format_place
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.checks import run_checks
from jaxscope.worker.checks.effects import EffectWatch
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.faults.explain import explain_exception, explain_missing, guard
from jaxscope.worker.faults.leaks import tell_kept, tell_made
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.function_source import (
    describe_function,
    find_call_place,
    find_wrapped,
    innermost_function,
    place_of,
    send_files,
    source_files,
)
from jaxscope.worker.host.source import SourceSnapshot
from jaxscope.worker.host.values import aval_bytes, aval_text
from jaxscope.worker.provenance.stand_in import StageJaxpr
from jaxscope.worker.provenance.traced_program import (
    NoGradient,
    TracedProgram,
    find_failed_stage,
    trace_call,
    trace_gradient,
    why_not_unasked,
)
from jaxscope.worker.stages.background import Background
from jaxscope.worker.stages.call_loader import choose_call, evaluate_call, load_names
from jaxscope.worker.stages.call_remedies import proposing_calls
from jaxscope.worker.stages.compilation import (
    CompiledProgram,
    XlaLog,
    catching_donations,
    compile_program,
    name_donated,
    place_note,
)
from jaxscope.worker.stages.hlo_cost import (
    UNKNOWN,
    Costs,
    Key,
    array_of_module,
    instruction_costs,
    module_cost,
)
from jaxscope.worker.stages.jaxpr import (
    AxesOf,
    ConvertedJaxpr,
    Frame,
    Provenance,
    convert_jaxpr,
    find_places,
    no_axes,
    print_jaxpr,
)
from jaxscope.worker.stages.machine_code import dump_folder
from jaxscope.worker.stages.nonfinite import REMEDY, look_for_nonfinite
from jaxscope.worker.stages.passes import PassWatch, send_passes
from jaxscope.worker.stages.sender import TITLES, StageSender
from jaxscope.worker.stages.stablehlo import convert_stablehlo, link_stablehlo_lines, print_module
from jaxscope.worker.targets.environment import describe_environment
from jaxscope.worker.targets.lowering import lower_for_target, send_memory_fit

# Keep the garbage collector away from objects that a capture holds to its end.
#
# Walking them takes half of the time of converting a program: of a 12-layer transformer's gradient
# one collection took 34 ms in lowering alone, where compiling without tags has none.


_OWN_USE = 1_000
"""More frozen objects than these are a program's own use of it: Python 3.12 freezes some itself."""


@contextlib.contextmanager
def gc_freeze() -> Iterator[Callable[[], None]]:
    """Rest the collector from all objects that there are; those made inside are collected.

    What is given may be called to rest it from what has been made since, too.
    """
    if gc.get_freeze_count() >= _OWN_USE:
        yield lambda: None
        return
    gc.freeze()
    try:
        yield gc.freeze
    finally:
        gc.unfreeze()


T = TypeVar("T")

_UNCONVERTED = ConvertedJaxpr(GraphBuilder().build(), {}, {}, {}, {}, {})
_DEEP = 100
"""Levels of nesting; XLA was seen to overflow an 8 MiB stack from 200 on."""

RUN_ONCE = "run_once"
"""The last step, of small programs only: all the rest has been sent before it."""

_MAX_NOTES = 50
_MIN_COST_BUDGET_S = 0.1
_COST_SHARE = 0.05
"""Per-instruction costs may take this share of what JAX and XLA took for the program."""


def handle_capture(request: dict[str, Any], channel: Channel) -> Any:
    """Answer a `capture` request.

    Returns:
        What the capture was made from: freeing it takes time, so let it go after the answer.

    Raises:
        JaxscopeError: The user's code failed; the stages before the failure have been sent.
    """
    source, names = load_names(request, channel)
    text = choose_call(request, source, names, channel)
    with proposing_calls(source, names, text, channel):
        call = evaluate_call(source, names, text, channel)
        # Standard error is this process's own; a function of another's is captured without this.
        return send_capture({**request, "listens": True}, channel, source, call)


def send_capture(
    request: dict[str, Any], channel: Channel, source: SourceSnapshot, call: Call
) -> Any:
    """Take a call through every stage, and send what is found.

    Returns:
        What it was made from, of no use but to be freed later.

    Raises:
        JaxscopeError: The user's code failed; the stages before the failure have been sent.
    """
    return _Pipeline(request, channel, source, call).run()


class _Pipeline:
    def __init__(
        self, request: dict[str, Any], channel: Channel, source: SourceSnapshot, call: Call
    ) -> None:
        self._pass_watch = PassWatch(bool(request.get("passes")))
        self._options: dict[str, str] = dict(request.get("options") or {})
        self._wants_gradient = bool(request.get("gradient"))
        self._target = str(request.get("target") or "cpu")
        self._target_name = str(request.get("target_name") or self._target)
        self._channel = channel
        self._source = source
        self._call = call
        self._sender = StageSender(channel)
        self._seconds = 0.0
        self._has_gradient = False
        self._log = XlaLog()
        self._num_told = 0
        self._base = _UNCONVERTED.graph
        self._known_costs: dict[Key, Costs] = {}
        self._listens = bool(request.get("listens"))

    def run(self) -> Any:
        if getattr(jax.config, "jax_disable_jit", False):
            self._channel.message(
                say(
                    "jax_disable_jit is on, so a run compiles nothing: this is the program that "
                    "jit makes where it is off."
                )
            )
        for text in compat.tell_losses():
            self._channel.message(text)
        try:
            with gc_freeze() as rest_again, compat.locations_with_frames(), jax.disable_jit(False):
                return self._run(rest_again)
        except AttributeError as error:
            if (missing := explain_missing(error)) is not None:
                raise EnvironmentProblem(missing) from error
            raise

    def _run(self, rest_again: Callable[[], None]) -> Any:
        watch = PurityWatch(self._call.base, self._source)
        effects = EffectWatch(self._call.base)
        tracing = self._step(
            "jaxpr", "trace", say("Tracing {function}", function=self._call.base_text)
        )
        with tracing, effects.watching():
            program = trace_call(self._call)
            _refuse_leaks(program, self._call.base)
        found, failed = run_checks(CheckedCall(self._call, program, watch, effects, self._target))
        for each in found:
            fields = dataclasses.asdict(each)
            self._channel.send("check", {**fields, "file": each.file or self._source.path})
        messages = [*program.messages, *failed]
        if self._options:
            told = ", ".join(f"{name}={value}" for name, value in self._options.items())
            messages.append(say("Compiled with options of XLA: {told}.", told=told))
        for message in messages:
            self._channel.message(message)
        self._seconds += program.derived.seconds
        self._send_head(program)
        rest_again()
        traced, derived, derived_ids = program.tag_derived()
        tags = TagTable(program.base_ids, derived_ids, dict(program.user_paths))
        self._channel.send(
            "tags",
            {"argument_paths": tags.argument_paths},
            {**strings_to_arrays(tags.base, "base"), **strings_to_arrays(tags.derived, "derived")},
        )
        last = self._send_jaxprs(program, tags, derived)
        try:
            with self._step("stablehlo", "lower", say("Lowering to StableHLO")):
                start = time.perf_counter()
                with catching_donations(self._log.notes):
                    lowered = lower_for_target(traced, self._target, self._channel)
                seconds = time.perf_counter() - start
            inputs = compat.open_jaxpr(program.derived.jaxpr).invars
            typed = [(p, v.aval) for p, v in _named(program.derived.argument_paths, inputs)]
            notes = self._log.notes
            notes[:] = [name_donated(note, lowered, typed) for note in notes]
        except JaxscopeError as error:
            self._send_gradient(program, tags, last)
            self._send_missing_after("stablehlo", error)
            raise
        self._seconds += seconds
        rest_again()
        compiled, cost = self._compile_and_send(lowered, tags, program, derived.name, last, seconds)
        self._send_files()
        self._sender.send_texts()
        self._look_for_nonfinite(program, compiled, cost)
        return program, traced, derived, lowered

    def _compile_and_send(
        self,
        lowered: Any,
        tags: TagTable,
        program: TracedProgram,
        name: str,
        last: ConvertedJaxpr,
        seconds: float,
    ) -> tuple[CompiledProgram, Costs]:
        """Convert and send what is there while XLA compiles, then what it made.

        Args:
            name: Of the last jaxpr-level stage of the call, which is `last`.

        Returns:
            The compiled program and its cost.
        """
        bytecode = _or_missing(lambda: compat.module_bytecode(lowered))
        listening = self._log.listening() if self._listens else contextlib.nullcontext()
        with listening, dump_folder(self._channel) as dump:
            if _is_deep(tags):
                # XLA may overflow the stack and take the process along: what is there goes first.
                self._send_gradient(program, tags, last)
                self._sender.send_texts()
            build = self._pass_watch.around(compile_program)
            compilation = Background(lambda: build(lowered, dump.compiler_options, self._options))
            self._send_lowered(lowered, bytecode, tags, last, seconds)
            self._sender.send_texts()
            try:
                with self._step("optimized", "compile", say("Compiling with XLA")):
                    # Warnings are sent while XLA compiles, so that a run that is stopped has them.
                    compiled = compilation.result(lambda: self._send_log(tags, last, name))
            except JaxscopeError as error:
                self._send_gradient(program, tags, last)
                self._send_missing_after("optimized", error)
                raise
            start = time.perf_counter()
            machine = dump.machine_code()
            machine_seconds = time.perf_counter() - start
        self._send_log(tags, last, name)
        self._seconds += compiled.seconds
        cost = module_cost(compat.cpu_client(), compiled.module)
        self._send_hlo("optimized", compiled.module, compiled.seconds, cost)
        memory, places = compiled.memory.result()
        self._channel.send("memory", memory, places)
        send_memory_fit(self._target, memory, self._channel)
        self._channel.send("placement", *compiled.placement)
        self._sender.send_machine(machine, machine_seconds)
        self._send_gradient(program, tags, last)  # of no use to the others, which it would delay
        if self._pass_watch.is_wanted:
            self._sender.send_texts()
            send_passes(lowered, self._channel, self._options, self._pass_watch)
        return compiled, cost

    def _send_log(self, tags: TagTable, last: ConvertedJaxpr, name: str) -> None:
        """Send what JAX and XLA warned of since the last time, each with its equation and line."""
        new = self._log.notes[self._num_told : _MAX_NOTES]
        self._num_told += len(new)
        for note in new:
            message, equation, file, line = place_note(note, tags, self._base, last.graph, name)
            self._channel.message(message)
            fields = {"rule": note.rule, "severity": "warning", "remedy": note.remedy}
            at = {"file": file or self._source.path, "line": line or self._line_of_base()}
            self._channel.send("check", {**fields, "message": message, "equation": equation, **at})

    def _line_of_base(self) -> int:
        """The first line of the function; 0 where it is none of the file."""
        code = getattr(inspect.unwrap(self._call.base), "__code__", None)
        if code is None or code.co_filename != self._source.path:
            return 0
        return int(code.co_firstlineno)

    def _look_for_nonfinite(
        self, program: TracedProgram, compiled: CompiledProgram, cost: Costs
    ) -> None:
        """Run a small program, once all that is known without running it has been sent.

        A first run may take a tenth of the time of compiling: libraries make their code in it.
        """
        if is_absent(self._target) or jax.process_count() > 1:
            return
        executable = compiled.executable
        found = look_for_nonfinite(
            program,
            self._call,
            executable,
            *cost[:2],
            lambda: self._channel.progress(RUN_ONCE, say("Looking for NaN and Inf")),
        )
        if found is None:
            return
        self._channel.message(found.text)
        # A constant of -inf that masks something may be meant; a value that turns into one is news.
        severity = "warning" if found.is_made else "info"
        fields = {
            "rule": NONFINITE_RESULT,
            "severity": severity,
            "message": found.text,
            "remedy": REMEDY,
        }
        at = {"file": found.file or self._source.path, "line": found.line}
        self._channel.send("check", {**fields, "equation": found.equation, **at})

    def _send_head(self, program: TracedProgram) -> None:
        derived = program.derived
        inner = compat.open_jaxpr(derived.jaxpr)
        arguments = [
            [path, aval_text(variable.aval), aval_bytes(variable.aval), False]
            for path, variable in _named(derived.argument_paths, inner.invars)
        ]
        arguments += [[path, text, 0, True] for path, text in program.static]
        results = [
            [path, aval_text(atom.aval), aval_bytes(atom.aval), False]
            for path, atom in _named(derived.result_paths, inner.outvars)
        ]
        call = self._call
        line, column = find_call_place(self._source, call.text)
        function = find_wrapped(call.base, call.args, call.kwargs)
        self._channel.send(
            "head",
            {
                "call_place": [self._source.path, line, column],
                "call": self._call.text,
                "base": self._call.base_text,
                "transforms": list(self._call.transforms),
                "source": describe_function(function, self._source, call.base_text, line),
                "environment": describe_environment(self._target),
                "target": self._target_name,
                "arguments": arguments,
                "results": results,
            },
        )

    def _send_jaxprs(self, program: TracedProgram, tags: TagTable, derived: Any) -> ConvertedJaxpr:
        """Send the jaxpr-level stages; returns the last one of the call."""
        last = self._send_jaxpr(
            program.base,
            stage_kind("jaxpr").title,
            tags,
            is_base=True,
            is_derived=not program.transformed,
        )
        base = last.provenances
        self._base = last.graph
        places = find_places(last) if program.is_linked_by_place else {}
        for stage in program.transformed:
            is_last = stage is program.transformed[-1]
            shown = derived if is_last else stage
            last = self._send_jaxpr(
                shown,
                stage.name,
                tags,
                is_derived=is_last,
                base=base,
                places=places,
                axes_of=program.batch_axes.axes_of if program.batch_axes.has_any else no_axes,
            )
        return last

    def _send_gradient(
        self, program: TracedProgram, tags: TagTable, converted: ConvertedJaxpr
    ) -> None:
        """Send the stage `gradient` of a call that applies no transform, once."""
        if program.transformed or self._has_gradient:
            return
        self._has_gradient = True
        base, title = program.base, stage_kind("gradient").title
        reason = "" if self._wants_gradient else why_not_unasked(converted.graph, base.seconds)
        if reason:
            self._sender.send_unavailable("gradient", title, reason, is_on_request=True)
            return
        self._channel.progress("gradient", "Differentiating")
        try:
            gradient, is_summed = trace_gradient(base)
        except NoGradient as error:
            self._sender.send_unavailable("gradient", title, error.args[0])
        except Exception as error:
            _, explanation = explain_exception(error, {self._source.path}, stage="trace")
            why = explanation.why.partition("\n")[0] or say(
                "{kind} is raised without a message.", kind=explanation.kind
            )
            reason = compat.tell_missing(error) or say(
                "JAX cannot differentiate it: {why}", why=why
            )
            self._sender.send_unavailable("gradient", title, reason)
        else:
            summed = say(" (results summed)") if is_summed else ""
            title = say(
                "{gradient} with respect to every float argument{summed}",
                gradient=say(title),
                summed=summed,
            )
            self._send_jaxpr(gradient, title, tags)

    def _send_jaxpr(
        self,
        stage: StageJaxpr,
        title: str,
        tags: TagTable,
        *,
        is_base: bool = False,
        is_derived: bool = False,
        base: Mapping[str, Provenance] | None = None,
        places: Mapping[Frame, str] | None = None,
        axes_of: AxesOf = no_axes,
    ) -> ConvertedJaxpr:
        try:
            converted = convert_jaxpr(
                stage.jaxpr,
                tags=tags,
                is_base=is_base,
                is_derived=is_derived,
                argument_paths=stage.argument_paths,
                result_paths=stage.result_paths,
                base=base or {},
                places=places or {},
                axes_of=axes_of,
            )
        except Exception as error:
            self._sender.send_unavailable(stage.name, title, _describe_bug(error))
            return _UNCONVERTED

        def text() -> tuple[str, Any]:
            printed = print_jaxpr(stage.jaxpr, converted)
            return printed.text, printed.line_nodes

        self._sender.send_graph(
            stage.name, title, stage.seconds, converted.graph, is_fetched=stage.is_fetched
        )
        self._sender.add_text(stage.name, text)
        return converted

    def _send_lowered(
        self,
        lowered: Any,
        bytecode: bytes | str,
        tags: TagTable,
        derived: ConvertedJaxpr,
        seconds: float,
    ) -> None:
        """Send StableHLO and the HLO that XLA makes of it."""
        if isinstance(bytecode, str):
            for name in ("stablehlo", "hlo"):
                self._sender.send_unavailable(name, TITLES[name], bytecode)
            return
        start = time.perf_counter()
        hlo = _or_missing(lambda: compat.hlo_module_of(lowered, bytecode))
        if isinstance(hlo, str):
            self._send_stablehlo(bytecode, tags, derived, seconds, UNKNOWN)
            self._sender.send_unavailable("hlo", TITLES["hlo"], hlo)
            return
        hlo_seconds = time.perf_counter() - start
        cost = module_cost(compat.cpu_client(), hlo)
        self._send_stablehlo(bytecode, tags, derived, seconds, cost)
        self._send_hlo("hlo", hlo, hlo_seconds, cost)

    def _send_stablehlo(
        self, bytecode: bytes, tags: TagTable, derived: ConvertedJaxpr, seconds: float, cost: Costs
    ) -> None:
        title = TITLES["stablehlo"]
        try:
            module = compat.parse_module(bytecode)
            converted = convert_stablehlo(module, tags, derived.provenances)
        except Exception as error:
            self._sender.send_unavailable("stablehlo", title, _describe_bug(error))
            return

        def text() -> tuple[str, Any]:
            printed = print_module(module)
            return printed, link_stablehlo_lines(printed, converted)

        self._sender.send_graph("stablehlo", title, seconds, converted.graph, cost)
        self._sender.add_text("stablehlo", text)

    def _send_hlo(self, name: str, module: Any, seconds: float, cost: Costs) -> None:
        self._channel.progress(name, say("Reading the stage {stage}", stage=said(TITLES[name])))
        proto = module.as_serialized_hlo_module_proto()
        budget = max(_MIN_COST_BUDGET_S, _COST_SHARE * self._seconds)
        arrays = {
            "proto": array_of_module(proto),
            "instruction_cost": instruction_costs(
                proto, client=compat.cpu_client(), budget_s=budget, known=self._known_costs
            ),
        }
        self._sender.send_stage(name, TITLES[name], seconds, "hlo", cost, arrays)
        self._sender.add_text(name, lambda: (strip_tags(module.to_string()), None))

    def _send_files(self) -> None:
        others = source_files(self._sender.graphs)
        function = find_wrapped(self._call.base, self._call.args, self._call.kwargs)
        send_files(self._channel, self._source, others, function)

    @contextlib.contextmanager
    def _step(self, stage: str, step: str, text: str) -> Iterator[None]:
        """Run a part of the pipeline; a failure names its stage."""
        self._channel.progress(step, text)
        try:
            files, call = {self._source.path}, self._call.text
            at = place_of(self._call.base, files)
            # A function of a library's own is not the place: the call of it is.
            is_of_call = not at
            if is_of_call and (line := find_call_place(self._source, call)[0]):
                at = format_place(self._source.path, line)
            with guard(step, files, at=at, call=call, is_of_call=is_of_call):
                yield
        except JaxscopeError as error:
            error.stage = find_failed_stage(error.__cause__) or stage
            raise

    def _send_missing_after(self, stage: str, error: JaxscopeError) -> None:
        names = list(TITLES)
        why = error.explanation.why.partition("\n")[0] or error.explanation.what
        for name in names[names.index(stage) :]:
            reason = (
                why
                if name == stage
                else say("The stage {stage} failed.", stage=said(TITLES[stage]))
            )
            self._sender.send_unavailable(name, TITLES[name], reason)
        with contextlib.suppress(JaxscopeError):
            self._send_files()
        self._sender.send_texts()


def _is_deep(tags: TagTable) -> bool:
    """Whether jaxprs are nested so deeply that compiling them may end the process."""
    return any(id.count("/") > 2 * _DEEP for id in tags.derived)


def _or_missing(make: Callable[[], T]) -> T | str:
    """What is made, or the sentence that names what this JAX lacks for it."""
    try:
        return make()
    except AttributeError as error:
        if missing := compat.tell_missing(error):
            return missing
        raise


def _describe_bug(error: Exception) -> str:
    """A conversion that fails costs its stage, never the capture."""
    if isinstance(error, RecursionError):
        return say("It is nested more deeply than jaxscope can follow.")
    if missing := compat.tell_missing(error):
        return missing
    why = " ".join(str(error).split())[:200]
    return f"jaxscope could not read it, which is a bug in jaxscope: {type(error).__name__}: {why}"


def _named(paths: tuple[str, ...], atoms: Any) -> Iterator[tuple[str, Any]]:
    for number, atom in enumerate(atoms):
        yield (paths[number] if number < len(paths) else f"[{number}]"), atom


def _refuse_leaks(program: TracedProgram, base: Any) -> None:
    """Refuse a program of a base function that captured a tracer of another trace.

    Such a program lowers and compiles without an error, and wants one more input than it has.
    """
    consts = compat.traced_consts(program.traced)
    leaked = next((at for at, const in enumerate(consts) if isinstance(const, compat.Tracer)), None)
    if leaked is not None:
        names = getattr(innermost_function(base), "__globals__", {})
        kept, _ = tell_kept(names, lambda tracer: tracer is consts[leaked])
        told = " ".join(filter(None, (tell_made(consts[leaked]), kept)))
        inner = compat.open_jaxpr(compat.traced_jaxpr(program.traced))
        variable = (*inner.constvars, *inner.invars)[leaked]
        users = (e for e in inner.eqns if any(each is variable for each in e.invars))
        used = next(filter(None, map(compat.user_place, users)), None)
        use = f" at {format_place(*used)}" if used is not None else ""
        raise TraceError(
            say("The function uses a tracer that leaked out of an earlier trace."),
            where=compat.tracer_place(consts[leaked]),
            why="A value of one call of a transformed function was stored outside of it and "
            f"used again by this call{use}. {told}".rstrip(),
            remedy=say(
                "Return the value instead of storing it in a global, a list or an attribute. "
                "See "
                "https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError"
            ),
            kind="UnexpectedTracerError",
        )
