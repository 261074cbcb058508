"""Collect the answers to experiments (profile, scaling, recompilation, remat, calibration,
comparison, agreement), one collector per request; all of it was written by a worker and is
checked.

Statistics are made here, from the raw durations; a worker that was stopped leaves what it sent.
"""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from jaxscope.client.events import (
    ArrayViewed,
    BlockMeasured,
    Event,
    MeasurementArrived,
    OutcomeArrived,
    Result,
    ResultGrew,
    ResultsCompared,
    SideEnded,
    SideReady,
    Stepped,
    SteppingReady,
)
from jaxscope.client.requests import (
    AgreementRequest,
    CalibrationRequest,
    ComparisonRequest,
    CompileTimeRequest,
    ProfileRequest,
    RecompilationRequest,
    RematRequest,
    Request,
    ScalingRequest,
    SideRequest,
    StepRequest,
    TraceLinesRequest,
    ValuesRequest,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Cost, Stage, Unavailable
from jaxscope.model.capture import Environment
from jaxscope.model.experiments import (
    Agreement,
    CompileLine,
    CompileSpan,
    CompileTime,
    EquationAgreement,
    KeyChange,
    LeafAgreement,
    NumericDivergence,
    OutsideCompilation,
    ProgramComparison,
    ProgramCost,
    Recompilation,
    RematOutcome,
    RematPolicies,
    ResultsAgreement,
    Signature,
)
from jaxscope.model.graph import graph_from_arrays
from jaxscope.model.hardware import Ceiling, Ceilings
from jaxscope.model.op_name import TagTable
from jaxscope.model.said import say
from jaxscope.model.timing import (
    Measurement,
    NodeTime,
    NodeTimes,
    Profile,
    ScalePoint,
    Scaling,
    Timeline,
    Timing,
    tell_page_faults,
    with_remark,
)
from jaxscope.model.tracing import TracedLine, Tracing
from jaxscope.model.unavailable import is_available
from jaxscope.model.values import (
    ArraySummary,
    ArrayView,
    EquationValues,
    FormComparison,
    NonfiniteOrigin,
    PassTrial,
    Step,
    Stepping,
    StepValue,
    Values,
)
from jaxscope.program.memory.residuals import find_kept
from jaxscope.program.recompilation import advise, wasted_seconds
from jaxscope.program.scaling import find_crossovers, fit_slopes
from jaxscope.schema.capture_messages import LongText, ShortText, Size, read_message_fields
from jaxscope.schema.records import Codec, Rules
from jaxscope.schema.timing_messages import (
    MAX_ENTRIES,
    MalformedTiming,
    MeasuredSubject,
    disturb,
    make_measurement,
    make_ratio,
    read_column,
    read_matrix,
    read_measurement,
    read_names,
    read_number,
    read_text,
    read_timeline,
)
from jaxscope.wire.messages import Message

if TYPE_CHECKING:
    from jaxscope.program.cost.work import ProgramWork

# Collects the messages of one `time` run into a `Timing`.
#
# What arrives is checked by `schema.timing_messages`.

_MAX_NAMES = 200
_SLOWED = (
    "{name}: recorded calls kept the device at work longer than whole calls take unrecorded. "
    "Recording, or a busier machine, slowed them: that time is too long."
)


class TimingAssembler:
    """Collects the messages of one `time` run. A later message replaces one of the same name."""

    def __init__(self, call: str = "") -> None:
        """Start empty; `call` stands until the worker names the call that it took."""
        self._subject = MeasuredSubject(call)
        self._measurements: dict[str, Measurement] = {}
        self._ratios: dict[str, tuple[npt.NDArray[np.float64], str]] = {}

    def feed(self, message: Message) -> bool:
        """Take the next message of the worker.

        Returns:
            Whether it was one of a timing; others are left to whoever knows them.

        Raises:
            MalformedTiming: It is one, but not well formed.
        """
        if self._subject.feed(message):
            return True
        match message.type:
            case "measurement":
                measurement = read_measurement(message)
                self._put(self._measurements, measurement.name, measurement)
            case "device_time":
                self._add_device_time(message)
            case "ratio":
                name, why_not = read_text(message, "name"), read_text(message, "why_not")
                log_ratios = read_column(message, "log_ratios", np.float64)
                make_ratio(name, log_ratios)  # which refuses impossible ones
                self._put(self._ratios, name, (log_ratios, why_not))
            case _:
                return False
        return True

    def timing(self) -> Timing:
        """What was measured so far; complete once the run is done, useful before."""
        environment = self._subject.environment
        measurements = tuple(disturb(each, environment) for each in self._measurements.values())
        noisy = {measurement.name for measurement in measurements if measurement.is_noisy}
        ratios = (
            make_ratio(name, values, why_not, is_noisy=bool(noisy & set(name.split("/"))))
            for name, (values, why_not) in self._ratios.items()
        )
        slowed = filter(_is_slowed_by_recorder, measurements)
        warnings = [
            *tell_page_faults(measurements),
            *self._subject.warnings,
            *(_SLOWED.format(name=m.name) for m in slowed),
        ]
        return Timing(
            call=self._subject.call,
            environment=environment,
            measurements=measurements,
            ratios=tuple(with_remark(ratio, measurements) for ratio in ratios),
            warnings=tuple(dict.fromkeys(warnings)),
        )

    def _add_device_time(self, message: Message) -> None:
        """Keep it beside the measurement of that name, in fields of its own."""
        name = read_text(message, "name")
        seconds = read_column(message, "seconds", np.float64)
        known = self._measurements.get(name)
        if known is None or not len(seconds):
            raise MalformedTiming(f"a device time of {name}, which was not measured")
        if not (np.all(np.isfinite(seconds)) and np.all(seconds >= 0)):
            raise MalformedTiming(f"a device time of {name} is impossible")
        self._measurements[name] = dataclasses.replace(
            known,
            device_seconds=float(np.median(seconds)),
            device_low=float(seconds.min()),
            device_high=float(seconds.max()),
        )

    @staticmethod
    def _put(table: dict[str, Any], name: str, value: Any) -> None:
        if name not in table and len(table) >= _MAX_NAMES:
            raise MalformedTiming(f"a timing has more than {_MAX_NAMES} entries")
        table.pop(name, None)  # what is reported again comes last
        table[name] = value


def _is_slowed_by_recorder(measurement: Measurement) -> bool:
    """Whether the device worked longer in a recorded call than a whole call takes: impossible.

    Recording costs some time for each step, which a program of thousands of tiny ones is full of.
    """
    return measurement.device_low > 1.25 * measurement.median


T = TypeVar("T")

# How the model's records look on the wire, and how much a worker may say.


@dataclass(frozen=True, slots=True)
class _Equations:
    """Fields of the message `equations`."""

    stage: str = ""
    num_equations: int = 0
    equations: tuple[EquationAgreement, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ends:
    """Fields of the message `values`."""

    stage: str = ""
    arguments: tuple[ArraySummary, ...] = ()
    results: tuple[ArraySummary, ...] = ()
    argument_paths: tuple[str, ...] = ()
    result_paths: tuple[str, ...] = ()
    given: str = ""


@dataclass(frozen=True, slots=True)
class _EquationValuesFields:
    """Fields of the message `equation_values`."""

    equations: tuple[EquationValues, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ready:
    """Fields of the message `stepping`."""

    stage: str = ""
    num_equations: int = 0
    argument_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _TracedLines:
    """Fields of the message `traced_lines`."""

    lines: tuple[TracedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class _Traced:
    """Fields of the message `traced`."""

    stage: str = ""
    num_equations: int = 0
    num_unplaced: int = 0
    num_lines: int = 0
    calls_back: bool = False
    reruns: tuple[int, ...] = ()
    no_reruns: str = ""
    failure: str = ""


_MAX_VALUES = 1_000_000
_MAX_ORIGINS = 4
"""Of NaN and of Inf, in the program and in its gradient."""
_NotNegative = Annotated[float, msgspec.Meta(ge=0)]
_Some = msgspec.Meta(min_length=1)
_ANSWERS = Codec(
    text=ShortText,
    whole=Size,
    many=msgspec.Meta(max_length=10_000),
    rules={
        ProgramCost: Rules(
            kinds=dict.fromkeys(("flops", "bytes_accessed", "memory"), _NotNegative),
            left_out=("counting",),
        ),
        LeafAgreement: Rules(
            kinds=dict.fromkeys(("max_ulp", "max_absolute", "max_relative"), _NotNegative)
        ),
        PassTrial: Rules(
            kinds={
                "outcome": Literal["equal", "both", "unchanged", "changed", "failed"],
                "whole": Literal["", "equal", "unchanged", "changed", "failed"],
            }
        ),
        NumericDivergence: Rules(
            kinds=dict.fromkeys(("equations", "operations"), Annotated[tuple[str, ...], _Some])
        ),
        NonfiniteOrigin: Rules(kinds={"kind": Literal["nan", "inf"]}),
        StepValue: Rules(kinds={"kind": Literal["argument", "operand", "result"]}),
        TracedLine: Rules(
            kinds={
                "statement": Literal["", "def", "if", "for", "while", "return"],
                "outcome": Literal["", "body", "else", "past", "round", "over"],
            }
        ),
        ArrayView: Rules(left_out=("picture", "highest", "odd", "counts", "edges")),
        KeyChange: Rules(as_list=True),
        CompileSpan: Rules(
            kinds={"parent": Annotated[int, msgspec.Meta(ge=-1)], "seconds": _NotNegative}
        ),
        CompileLine: Rules(kinds=dict.fromkeys(("trace", "lower"), _NotNegative)),
        Signature: Rules(
            kinds=dict.fromkeys(("trace", "lower", "compile"), _NotNegative),
            defaults={"num_calls": 1},
        ),
        OutsideCompilation: Rules(
            kinds={
                "count": Annotated[int, msgspec.Meta(ge=1)],
                "seconds": _NotNegative,
                "num_again": Annotated[int, msgspec.Meta(ge=0)],
            },
            as_list=True,
        ),
    },
)


def _read_answer(message: Message, kind: type[T]) -> T:
    """Raises: ValueError: The message is malformed."""
    return _ANSWERS.read(kind, dict(message.fields))


def _fields_of(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def read_cost(message: Message, fields: Any, prefix: str = "") -> ProgramCost:
    """Work, traffic and memory of a program.

    Where XLA did not count it as a whole, its kernels are counted one by one.

    Args:
        fields: The numbers.
        prefix: Of the names of the columns in the message.

    Raises:
        ValueError: The message is malformed.
    """
    cost = _ANSWERS.read(ProgramCost, fields)
    if not (math.isnan(cost.flops) or math.isnan(cost.bytes_accessed)):
        return cost
    work = _read_work(message, prefix)
    return dataclasses.replace(
        cost, flops=work.flops, bytes_accessed=work.num_bytes, counting=work.counting
    )


def _read_work(message: Message, prefix: str) -> ProgramWork:
    # Here and below: what reads programs takes as long to load as all the rest of a watched script.
    from jaxscope.program.cost.work import ProgramWork, find_program_work
    from jaxscope.program.hlo.graph import convert_hlo

    data = message.arrays.get(f"{prefix}hlo")
    costs = message.arrays.get(f"{prefix}instruction_cost")
    if data is None:
        return ProgramWork(math.nan, math.nan)
    if data.dtype != np.uint8 or costs is None or costs.dtype != np.float64 or costs.ndim != 2:
        raise ValueError(f"{message.type} has a program without its costs")
    graph = convert_hlo(data.tobytes(), TagTable(), None, costs, "optimized")
    return find_program_work(graph)


SCALE_PROTOCOL = say(
    "Each call timed by itself until its result was ready, in random pairs of "
    "chunks of 20, or of single calls where they take over 10 ms."
)
_MAX_POINTS = 1_000


class LabCollector(abc.ABC):
    """What all experiments send: what is measured, where, and what to mind."""

    def __init__(self, call: str = "") -> None:
        self._measured = MeasuredSubject(call)

    @property
    def call(self) -> str:
        """The call that is measured."""
        return self._measured.call

    @property
    def environment(self) -> Environment:
        """Where, and how busy that machine was."""
        return self._measured.environment

    @property
    def warnings(self) -> list[str]:
        """What to mind, each once."""
        return self._measured.warnings

    def feed(self, message: Message) -> Iterator[Event]:
        """Take the next message of the worker.

        Raises:
            ValueError: It is malformed.
        """
        if not self._measured.feed(message):
            self.take(message)
        return iter(())

    @abc.abstractmethod
    def take(self, message: Message) -> None:
        """Take a message of this experiment's own in.

        Raises:
            ValueError: It is malformed.
        """

    def complete(self, kind: Callable[..., T], **found: Any) -> T:
        """What was found, with what every experiment says."""
        told = tuple(self.warnings)
        return kind(call=self.call, environment=self.environment, warnings=told, **found)

    @abc.abstractmethod
    def result(self) -> Result:
        """What was found so far."""

    @abc.abstractmethod
    def is_empty(self) -> bool:
        """Whether nothing was found yet."""

    def partial(self) -> Result | None:
        """What was found before the run ended early."""
        if self.is_empty():
            return None
        self.warnings.append(say("The run ended early: these results are partial."))
        return self.result()


class ProfileCollector(LabCollector):
    """Collects the messages that answer a `profile` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        missing = Unavailable(say("It was not measured."))
        self._compiled: NodeTimes | Unavailable = missing
        self._eager: NodeTimes | Unavailable = missing
        self._timeline: Timeline | Unavailable = missing

    def take(self, message: Message) -> None:
        found: NodeTimes | Unavailable
        if message.type == "timeline":
            self._timeline = read_timeline(message)
            return
        if message.type == "node_times":
            found = _read_node_times(message)
        elif message.type == "node_times_missing":
            found = Unavailable(read_text(message, "reason"), read_text(message, "stage"))
        else:
            return
        if message.fields["stage"] == "optimized":
            self._compiled = found
        else:
            self._eager = found

    def result(self) -> Profile:
        timeline = self._timeline
        if isinstance(timeline, Unavailable) and isinstance(self._compiled, Unavailable):
            timeline = self._compiled  # for the same reason
        return self.complete(Profile, compiled=self._compiled, eager=self._eager, timeline=timeline)

    def is_empty(self) -> bool:
        return not (is_available(self._compiled) or is_available(self._eager))


def _read_node_times(message: Message) -> NodeTimes:
    names = read_names(message, "names")
    runs = len(message.arrays.get("covered", ()))
    if not names or not 0 < runs <= 10_000:
        raise MalformedTiming("node_times has no runs")
    inclusive = read_matrix(message, "inclusive", (runs, len(names)))
    exclusive = np.median(read_matrix(message, "exclusive", (runs, len(names))), axis=0)
    counts = read_matrix(message, "counts", (len(names),), np.int32)
    walls, plain = (
        read_matrix(message, key, (len(message.arrays.get(key, ())),)) for key in ("walls", "plain")
    )
    times = []
    for index, name in enumerate(names):
        column = inclusive[:, index]
        times.append(
            NodeTime(
                name,
                int(counts[index]),
                float(np.median(column)),
                float(column.min()),
                float(column.max()),
                float(exclusive[index]),
            )
        )
    return NodeTimes(
        stage=read_text(message, "stage"),
        times=tuple(times),
        runs=runs,
        wall=float(np.median(walls)) if len(walls) else 0.0,
        plain_wall=float(np.median(plain)) if len(plain) else 0.0,
        covered=float(np.median(read_matrix(message, "covered", (runs,)))),
        protocol=read_text(message, "protocol"),
    )


class ScalingCollector(LabCollector):
    """Collects the messages that answer a `scale` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._vary = ""
        self._points: dict[int, Message] = {}
        self._forms = ("eager", "jit")

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type == "scale_point":
            yield ResultGrew(self.result())

    def take(self, message: Message) -> None:
        if message.type == "scale":
            self._vary = read_text(message, "vary")
            first, second = read_names(message, "forms")
            self._forms = (first, second)
        elif message.type == "scale_point":
            point = _read_point(message, self.environment)
            if len(self._points) >= _MAX_POINTS:
                raise MalformedTiming("there are too many sizes")
            self._points[point.size] = message

    def result(self) -> Scaling:
        # How busy the machine was is known in the end only.
        points = tuple(
            _read_point(self._points[size], self.environment) for size in sorted(self._points)
        )
        return self.complete(
            Scaling,
            vary=self._vary,
            points=points,
            slopes=fit_slopes(points),
            crossovers=find_crossovers(points, self._forms),
            forms=self._forms,
        )

    def is_empty(self) -> bool:
        return not self._points


def _read_point(message: Message, environment: Environment) -> ScalePoint:
    size = message.fields.get("size")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= 2**53:
        raise MalformedTiming("a size is none")
    eager, jit = (_read_side(message, name, environment) for name in ("eager", "jit"))
    reason = read_text(message, "reason")
    ratio = None
    if "log_ratios" in message.arrays and len(message.arrays["log_ratios"]):
        ratio = make_ratio(
            "eager/jit",
            read_column(message, "log_ratios", np.float64),
            "" if message.fields.get("is_judged") is not False else reason or "no verdict",
            is_noisy=any(side is not None and side.is_noisy for side in (eager, jit)),
        )
    names = ("trace", "lower", "compile", "first_compile")
    cost = read_cost(message, dict(message.fields))
    return ScalePoint(
        size,
        eager,
        jit,
        ratio,
        **{name: read_number(message, name) for name in names},
        flops=cost.flops,
        bytes_accessed=cost.bytes_accessed,
        memory=cost.memory,
        reason=reason,
        counting=cost.counting,
    )


def _read_side(message: Message, name: str, environment: Environment) -> Measurement | None:
    if not len(message.arrays.get(f"{name}.seconds", ())):
        return None
    seconds = read_column(message, f"{name}.seconds", np.float64)
    return disturb(make_measurement(name, seconds, SCALE_PROTOCOL), environment)


class RecompilationCollector(LabCollector):
    """Collects the messages that answer a `recompile` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._calls: tuple[str, ...] = ()
        self._signatures: list[Signature] = []
        self._outside: tuple[OutsideCompilation, ...] = ()

    def take(self, message: Message) -> None:
        if message.type == "sequence":
            self._calls = tuple(read_names(message, "calls"))
        elif message.type == "signature":
            found = _read_answer(message, Signature)
            if found.number != len(self._signatures) or found.number >= MAX_ENTRIES:
                raise MalformedTiming("signatures are not numbered in order")
            if found.nearest is not None and found.nearest >= found.number:
                raise MalformedTiming("a signature is compared with a later one")
            self._signatures.append(found)
        elif message.type == "signature_calls":
            counts = message.fields.get("counts")
            if not isinstance(counts, list) or len(counts) != len(self._signatures):
                raise MalformedTiming("the counts of calls are malformed")
            if not all(isinstance(n, int) and n >= 1 for n in counts):
                raise MalformedTiming("a signature without a call")
            self._signatures = [
                dataclasses.replace(signature, num_calls=count)
                for signature, count in zip(self._signatures, counts, strict=True)
            ]

        elif message.type == "outside":
            programs = _ANSWERS.read_as(
                tuple[OutsideCompilation, ...], message.fields.get("programs")
            )
            self._outside = tuple(sorted(programs, key=lambda program: -program.seconds))

    def result(self) -> Recompilation:
        return self.complete(
            Recompilation,
            calls=self._calls,
            signatures=tuple(self._signatures),
            wasted=wasted_seconds(self._signatures, self._outside),
            advice=advise(self._signatures, self._outside),
            outside=self._outside,
        )

    def is_empty(self) -> bool:
        return not self._signatures


@dataclass(frozen=True, slots=True)
class _CompileTimeFields:
    """Fields of the message `compile_time`."""

    spans: tuple[CompileSpan, ...] = ()
    lines: tuple[CompileLine, ...] = ()
    num_equations: int = 0
    num_looks: int = 0
    advice: tuple[str, ...] = ()


class CompileTimeCollector(LabCollector):
    """Answers to `compile_time`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._found = _CompileTimeFields()

    def take(self, message: Message) -> None:
        if message.type == "compile_time":
            found = _read_answer(message, _CompileTimeFields)
            if any(span.parent >= number for number, span in enumerate(found.spans)):
                raise MalformedTiming("a part of the compile time is in a later one")
            self._found = found

    def result(self) -> CompileTime:
        return self.complete(CompileTime, **_fields_of(self._found))

    def is_empty(self) -> bool:
        return not self._found.spans


_MAX_POLICIES = 50


class _PolicyFields(msgspec.Struct, frozen=True):
    policy: ShortText
    seconds: float | None = None
    temporary_bytes: Size | None = None
    reason: LongText | None = None


class _SubjectFields(msgspec.Struct, frozen=True):
    text: LongText


class RematCollector(LabCollector):
    """Collects the messages that answer a `remat` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._subject = ""
        self._outcomes: list[RematOutcome] = []

    def take(self, message: Message) -> None:
        if message.type == "remat_subject":
            self._subject = read_message_fields(message, _SubjectFields).text
        elif message.type == "remat_policy" and len(self._outcomes) < _MAX_POLICIES:
            from jaxscope.program.cost.equations import read_release

            release = read_release(self.environment.jax)
            self._outcomes.append(_read_outcome(message, release))

    def result(self) -> RematPolicies:
        if not self._outcomes:
            raise ValueError("the worker compiled no policy")
        return self.complete(RematPolicies, subject=self._subject, outcomes=tuple(self._outcomes))

    def is_empty(self) -> bool:
        return not self._outcomes


def _read_outcome(message: Message, release: tuple[int, int]) -> RematOutcome:
    from jaxscope.program.cost.equations import cost_equations
    from jaxscope.program.memory.module_peak import find_module_peak

    fields = read_message_fields(message, _PolicyFields)
    if fields.reason is not None:
        return RematOutcome(fields.policy, missing=Unavailable(fields.reason))
    graph = graph_from_arrays(message.arrays)
    stage = Stage(
        "gradient", "", Unavailable(say("Not sent.")), graph, Cost(), Unavailable(say("Not kept."))
    )
    kept = find_kept(stage, graph)
    proto = message.arrays.get("proto")
    if proto is None or proto.dtype != np.uint8 or proto.ndim != 1:
        raise ValueError("a policy has no module")
    return RematOutcome(
        fields.policy,
        kept.num_bytes,
        len(kept.values),
        cost_equations(graph, release)[1].flops,
        _cost(message, proto.tobytes()),
        math.nan if fields.temporary_bytes is None else float(fields.temporary_bytes),
        find_module_peak(proto.tobytes(), estimates=False).scheduled_bytes,
        _seconds(fields.seconds),
    )


def _cost(message: Message, proto: bytes) -> Cost:
    """Work of one run, loops by their rounds; unknown where any part of it is."""
    from jaxscope.program.cost.attribution import RowKind, share_out
    from jaxscope.program.hlo.graph import convert_hlo

    costs = message.arrays.get("instruction_cost")
    graph = convert_hlo(proto, TagTable(), None, None, "optimized")
    if costs is None or costs.dtype != np.float64 or costs.shape != (len(graph.nodes), 3):
        return Cost()
    known = np.isfinite(costs) & (costs >= 0.0)
    shares = share_out(graph.replace_nodes(cost=np.where(known, costs, np.nan)), RowKind.LINE)
    if any(share.num_unknown for share in shares.rows.values()):
        return Cost()
    return shares.total


def _seconds(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) and value >= 0 else math.nan


class _CeilingFields(msgspec.Struct, frozen=True):
    name: Literal["matmul", "stream"]
    unit: Literal["FLOP", "bytes"]
    work: Annotated[float, msgspec.Meta(gt=0, lt=1e30)]
    protocol: ShortText


_CEILINGS = ("matmul", "stream")


class CeilingsCollector(LabCollector):
    """Collects the messages that answer a `calibrate` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._found: dict[str, Ceiling] = {}

    def take(self, message: Message) -> None:
        if message.type != "ceiling":
            return
        fields = read_message_fields(message, _CeilingFields)
        seconds = read_column(message, "seconds", np.float64)
        if not len(seconds) or not bool(np.all(np.isfinite(seconds) & (seconds > 0))):
            raise ValueError("the times of a ceiling are malformed")
        self._found[fields.name] = Ceiling(
            fields.name,
            fields.unit,
            fields.work / float(seconds.min()),
            fields.work / float(np.median(seconds)),
            len(seconds),
            fields.protocol,
        )

    def result(self) -> Ceilings:
        if not self._found.keys() >= {*_CEILINGS}:
            raise ValueError("the worker measured no ceilings")
        where = self.environment
        arithmetic, bandwidth = (
            dataclasses.replace(self._found[name], conditions=where) for name in _CEILINGS
        )
        return Ceilings(where, arithmetic, bandwidth, tuple(self.warnings))

    def is_empty(self) -> bool:
        return len(self._found) < 2


# Collect the answers of `compare`, `side` and `agree`: two programs, two results.


def read_results(message: Message) -> ResultsAgreement:
    """How well two results agree.

    Raises:
        ValueError: The message is malformed.
    """
    return _read_answer(message, ResultsAgreement)


class AgreementCollector(LabCollector):
    """Collects the messages that answer an `agree` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._pairs: list[ResultsAgreement] = []
        self._equations = _Equations()
        self._origin: NumericDivergence | Unavailable = Unavailable(say("It was not looked for."))

    def take(self, message: Message) -> None:
        if message.type == "results":
            if len(self._pairs) >= 3:
                raise ValueError("more results than were asked for")
            self._pairs.append(read_results(message))
        elif message.type == "equations":
            self._equations = _read_answer(message, _Equations)
        elif message.type == "origin":
            self._origin = _read_answer(message, NumericDivergence)
        elif message.type == "origin_missing":
            self._origin = Unavailable(read_text(message, "reason"))

    def result(self) -> Agreement:
        fields = _fields_of(self._equations)
        return self.complete(Agreement, pairs=tuple(self._pairs), origin=self._origin, **fields)

    def is_empty(self) -> bool:
        return not self._pairs


class ValuesCollector(LabCollector):
    """Collects the messages that answer a `values` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._ends = _Ends()
        self._equations: dict[str, EquationValues] = {}
        self._against: FormComparison | None = None
        self._origins: list[NonfiniteOrigin] = []

    def take(self, message: Message) -> None:
        if message.type == "values":
            self._ends = _read_answer(message, _Ends)
        elif message.type == "equation_values":
            for each in _read_answer(message, _EquationValuesFields).equations:
                self._equations[each.id] = each
            if len(self._equations) > _MAX_VALUES:
                raise ValueError("more equations than a program may have")
        elif message.type == "comparison":
            self._against = _read_answer(message, FormComparison)
        elif message.type == "nonfinite" and len(self._origins) < _MAX_ORIGINS:
            self._origins.append(_read_answer(message, NonfiniteOrigin))

    def result(self) -> Values:
        return self.complete(
            Values,
            equations=tuple(self._equations.values()),
            origins=tuple(self._origins),
            against=self._against,
            **_fields_of(self._ends),
        )

    def is_empty(self) -> bool:
        return not self._ends.stage


class SteppingCollector(LabCollector):
    """Collects the messages that answer a `step` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._ready = _Ready()

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type == "stepping":
            self._ready = _read_answer(message, _Ready)
            yield SteppingReady(self.result())
        elif message.type == "step":
            yield Stepped(_read_answer(message, Step))
        elif message.type == "array_view":
            yield ArrayViewed(_read_view(message))
        elif message.type == "warning":
            yield ResultGrew(self.result())

    def take(self, message: Message) -> None:
        pass

    def result(self) -> Stepping:
        return self.complete(Stepping, **_fields_of(self._ready))

    def is_empty(self) -> bool:
        return not self._ready.stage


class TracingCollector(LabCollector):
    """Collects the messages that answer a `trace_lines` request."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._lines: list[TracedLine] = []
        self._traced = _Traced()

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type == "traced":
            yield ResultGrew(self.result())

    def take(self, message: Message) -> None:
        if message.type == "traced_lines":
            self._lines += _read_answer(message, _TracedLines).lines
            if len(self._lines) > _MAX_VALUES:
                raise ValueError("more lines than a trace may have")
        elif message.type == "traced":
            self._traced = _read_answer(message, _Traced)

    def result(self) -> Tracing:
        return self.complete(Tracing, lines=tuple(self._lines), **_fields_of(self._traced))

    def is_empty(self) -> bool:
        return not self._traced.stage


def _read_view(message: Message) -> ArrayView:
    """Raises: ValueError: The message is malformed."""
    view, arrays = _read_answer(message, ArrayView), message.arrays
    found: dict[str, Any] = {}
    for name, dtype, rank in _VIEW_ARRAYS:
        array = arrays.get(name)
        if array is None:
            continue
        if array.dtype != dtype or array.ndim != rank or array.size > _MAX_PICTURE:
            raise ValueError(f"{message.type} has a malformed array {name}")
        found[name] = array
    if len(view.cells) != view.num_rows * view.num_columns:
        raise ValueError(f"{message.type} has {len(view.cells)} cells")
    counts, edges = found.get("counts"), found.get("edges")
    has_bins = counts is not None and edges is not None and counts.size > 0
    if has_bins and edges is not None and counts is not None and edges.size != counts.size + 1:
        raise ValueError(f"{message.type} has a malformed histogram")
    pictures = {found[name].shape for name in ("picture", "odd") if name in found}
    if len(pictures) > 1:
        raise ValueError(f"{message.type} has pictures that do not fit")
    return dataclasses.replace(view, **found)


_MAX_PICTURE = 1 << 18
_VIEW_ARRAYS = (
    ("picture", np.float64, 2),
    ("highest", np.float64, 2),
    ("odd", np.int32, 2),
    ("counts", np.int64, 1),
    ("edges", np.float64, 1),
)


class ComparisonCollector(LabCollector):
    """Answers to `compare`: a timing of two programs, and whether they return the same."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._assembler = TimingAssembler(call)
        self._sides = ("first", "second")
        self._costs = (ProgramCost(), ProgramCost())
        self._agreement = ResultsAgreement("first", "second", (), say("They were not compared."))

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type in {"timed", "conditions"}:
            self._assembler.feed(message)
        if message.type == "measurement":
            measurement = self._assembler.timing().measurement(str(message.fields.get("name")))
            if measurement is not None:
                yield MeasurementArrived(measurement)

    def take(self, message: Message) -> None:
        if message.type == "costs":
            first, second = (
                read_cost(message, message.fields.get(name), f"{name}.")
                for name in ("first", "second")
            )
            self._costs = (first, second)
        elif message.type == "sides":
            self._sides = (read_text(message, "first"), read_text(message, "second"))
        elif message.type == "results":
            self._agreement = read_results(message)
        else:
            self._assembler.feed(message)

    def result(self) -> ProgramComparison:
        timing = dataclasses.replace(
            self._assembler.timing(),
            call=self.call,
            environment=self.environment,
            warnings=tuple(self.warnings),
        )
        first_cost, second_cost = self._costs
        return ProgramComparison(*self._sides, timing, self._agreement, first_cost, second_cost)

    def is_empty(self) -> bool:
        return not self._assembler.timing().measurements


class SideCollector(LabCollector):
    """Answers to `side`: what the client's conductor needs passes through as events."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._assembler = TimingAssembler(call)

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type in {"timed", "conditions"}:
            self._assembler.feed(message)
        match message.type:
            case "side_ready":
                yield SideReady(
                    read_text(message, "words"),
                    max(read_number(message, "typical_s"), 1e-9),
                    read_cost(message, dict(message.fields)),
                    message.fields.get("is_judged") is not False,
                )
            case "block":
                reason, seconds = read_text(message, "reason"), message.arrays.get("seconds")
                if seconds is None or not (reason or len(seconds)):
                    raise ValueError("a block has no durations")
                durations = read_matrix(message, "seconds", (len(seconds),))
                count = message.fields.get("num_compilations")
                yield BlockMeasured(durations, reason, count if isinstance(count, int) else 0)
            case "outcome":
                yield OutcomeArrived(message)
            case "results":
                yield ResultsCompared(read_results(message))
            case "side_end":
                yield SideEnded()

    def take(self, message: Message) -> None:
        if message.type == "measurement":
            self._assembler.feed(message)

    def result(self) -> Timing:
        return dataclasses.replace(
            self._assembler.timing(),
            call=self.call,
            environment=self.environment,
            warnings=tuple(self.warnings),
        )

    def is_empty(self) -> bool:
        return not self._assembler.timing().measurements


EXPERIMENTS: dict[type[Request], Callable[[str], LabCollector]] = {
    ProfileRequest: ProfileCollector,
    ScalingRequest: ScalingCollector,
    RecompilationRequest: RecompilationCollector,
    ComparisonRequest: ComparisonCollector,
    SideRequest: SideCollector,
    AgreementRequest: AgreementCollector,
    ValuesRequest: ValuesCollector,
    StepRequest: SteppingCollector,
    TraceLinesRequest: TracingCollector,
    CalibrationRequest: CeilingsCollector,
    RematRequest: RematCollector,
    CompileTimeRequest: CompileTimeCollector,
}
"""By the request whose answers they take."""
