"""Refute or confirm fates by XLA's own dumps of every pass, as text.

This shares no code with what finds fates: it compiles the plain program, reads the text that XLA
dumps, and holds each statement against it. What it checks:

- A proof names a dump that exists, by XLA's number and name, and instructions that stand in the
  modules before and after it; they have the name of the equation where XLA received them, and
  compute at its source line.
- What is said to be left (`fused`, `kernel`, `library`, `layout`, `folded`) is in the module that
  runs, and is of that kind there.
- What is said to be gone (`dead`, `merged`, `simplified`) is gone, in every call of a function that
  several equations share; nothing dead has an equal that lives on and took its users over, and is
  in no fusion that has; of two merged instructions one is left.
- A call, loop or branch that a pass is said to have removed was there before that pass, and not
  after it.
- Each instruction of the module that runs that does heavy work belongs to some equation.

What a dump cannot tell is counted, with the reason, in `Verdicts.passed_over`.

Two things look wrong and are not. XLA may have another line than the equation's: JAX lowers argmax
by a function that it keeps for all of the kind, and others by tracing one. Such a line counts only
where JAX's own lowering of the plain program has it in the place of the equation (`find_places`):
that two equations have the same primitive is no excuse. And XLA may write another name on what it
makes: a product turned around has that of its transpose, which counts only for the instruction
that a pass made of the operands of the equation's own product, and just as that product ended; what
it makes without a name gets that of the call around it, which counts only for what that call holds.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxscope.model import Fate

_NAMED_DUMP = re.compile(r"\.(\d{4,})\.(?:.+?)\.after_(.+?)(?:\.before_.+)?\.txt$")
_CALLED = re.compile(
    r"(?:calls|to_apply|body|condition|branch_computations|true_computation|false_computation|"
    r"called_computations)=(?:\{([^}]*)\}|(%?[\w.\-]+))"
)
_LOCATION = re.compile(r"^(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)")
_FRAME = re.compile(r"^(\d+) \{file_location_id=(\d+)(?: parent_frame_id=(\d+))?")
_TAG = re.compile(r"jxsd(\d+)")
_NAME = re.compile(r"%([\w.\-]+)")
_REMOVED = re.compile(r"[Tt]he (call|loop|branch) was (?:inlined|removed) in the pass ([\w-]+)[;.]")
_COMMENT = re.compile(r"/\*.*?\*/")
_MLIR_LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_MLIR_FILE = re.compile(r'^"([^"]*)":(\d+):')
_MLIR_FUNCTION = re.compile(r"^ *func\.func .*?@([\w.\-]+)\(")
_MLIR_CALL = re.compile(r"\bcall @([\w.\-]+)\(.*loc\((#loc\d*)\)$")

_LAYOUT = {"bitcast", "copy", "parameter", "tuple", "get-tuple-element", "reshape", "transpose"}
_LAYOUT |= {"opt-barrier", "after-all", "add-dependency", "copy-start", "copy-done", "broadcast"}
_COMMON = {*_LAYOUT, "constant", "iota", "convert", "slice", "pad", "concatenate", "fusion", "call"}
_EFFECTS = {"infeed", "outfeed", "send", "recv", "send-done", "recv-done"}
_LIBRARY = {"custom-call", "dot", "convolution", "fft", "cholesky", "triangular-solve"}
_PRODUCTS = {"dot", "convolution"}
_HEAVY = {"dot", "convolution", "fft", "sort", "cholesky", "triangular-solve"}
_HEAVY |= {"reduce", "reduce-window", "select-and-scatter"}
_HEAVY |= {"exponential", "log", "tanh", "sine", "cosine", "logistic", "erf", "atan2", "scatter"}
_COMBINING = {"reduce", "reduce-window", "scatter", "sort", "select-and-scatter", "map", "topk"}
_COMBINING |= {"all-reduce", "reduce-scatter"}


@dataclasses.dataclass(frozen=True)
class Line:
    """One instruction of a dump."""

    name: str
    shape: str
    opcode: str
    operands: tuple[str, ...]
    rest: str
    computation: str
    is_root: bool
    frame: int = 0
    frame_tags: str = ""

    @functools.cached_property
    def called(self) -> tuple[str, ...]:
        found = [a or b for a, b in _CALLED.findall(self.rest)]
        return tuple(name.strip().lstrip("%") for text in found for name in text.split(","))

    @property
    def op_name(self) -> str:
        match = re.search(r'op_name="([^"]*)"', self.rest)
        name = match[1] if match else ""
        if not self.frame_tags:
            return name
        first, *others = name.split(";")  # of joined names the first is its own
        return ";".join([f"{first}/{self.frame_tags}", *others])

    @property
    def dimensions(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\[[\d,]*\]", self.shape))

    @property
    def does(self) -> tuple[str, str, str]:
        """Equal for instructions that do the same to the same operands."""
        rest = re.sub(r", metadata=\{(?:[^{}\"]|\"[^\"]*\")*\}", "", self.rest)
        return self.opcode, self.shape, f"{self.operands} {rest}"


class Module:
    """A dump, read as text."""

    def __init__(self, text: str) -> None:
        self.lines: dict[str, Line] = {}
        self.roots: dict[str, str] = {}
        self.entry = ""
        self._files: dict[int, str] = {}
        self._functions: dict[int, str] = {}
        self._renamed: dict[str, str] = {}
        self.also_called: dict[str, str] = {}
        self._places: dict[int, tuple[str, int, str]] = {}
        self._frames: dict[int, tuple[int, int]] = {}
        self._read(text)
        self.users: dict[str, list[str]] = {}
        for line in self.lines.values():
            for operand in line.operands:
                self.users.setdefault(operand, []).append(line.name)

    def _read(self, text: str) -> None:
        computation = table = ""
        for line in text.splitlines():
            if line.endswith("{") and not line.startswith((" ", "HloModule")):
                head = line.removeprefix("ENTRY ").split()[0].lstrip("%")
                computation = head
                self.entry = head if line.startswith("ENTRY ") else self.entry
            elif line.startswith("  "):
                self._add(line, computation)
            elif line in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
                table = line
            elif table == "FileNames" and line[:1].isdigit():
                number, _, name = line.partition(" ")
                self._files[int(number)] = json.loads(name)
            elif table == "FunctionNames" and line[:1].isdigit():
                number, _, name = line.partition(" ")
                self._functions[int(number)] = name.strip('"')
            elif table == "FileLocations" and (match := _LOCATION.match(line)):
                function = self._functions[int(match[3])]
                self._places[int(match[1])] = (self._files[int(match[2])], int(match[4]), function)
            elif table == "StackFrames" and (match := _FRAME.match(line)):
                self._frames[int(match[1])] = (int(match[2]), int(match[3] or 0))

    def _add(self, line: str, computation: str) -> None:
        line = _COMMENT.sub("", line.strip())
        is_root = line.startswith("ROOT ")
        name, _, rest = line.removeprefix("ROOT ").partition(" = ")
        if not rest:
            return
        if rest.startswith("("):
            end = _balanced(rest) + 1
            end = rest.index(" ", end - 1)
        else:
            end = rest.index(" ")
        shape, rest = re.sub(r"\{[^}]*\}", "", rest[:end]), rest[end + 1 :]
        opcode, _, rest = rest.partition("(")
        end = _balanced("(" + rest)
        inside, rest = rest[: end - 1], rest[end:]
        operands = () if opcode in ("constant", "parameter") else tuple(_NAME.findall(inside))
        if opcode in ("constant", "parameter"):
            rest = f"({inside}){rest}"
        name = self._untagged(name.lstrip("%"), rest)
        operands = tuple(self._renamed.get(operand, operand) for operand in operands)
        self.lines[name] = Line(
            *(name, shape, opcode, operands, rest, computation, is_root), *self._read_frames(rest)
        )
        if is_root:
            self.roots[computation] = name

    def _untagged(self, name: str, rest: str) -> str:
        """What XLA calls an instruction without tags.

        It takes what stands behind the last `/`: `b` of `a;jxsd1~//b`, and `a_b` of `a;b`.
        """
        match = re.search(r'op_name="([^"]*;jxs[^"]*)"', rest)
        if match is None:
            return name
        first, *_, last = match[1].split(";")
        behind, number = last.split("/")[-1], name.partition(".")[2]
        if name.partition(".")[0] != behind or first.split("/")[-1] == behind:
            return name
        parts = [re.sub(r"jxs[bdpt]\d+~/*", "", part) for part in match[1].split(";")]
        joined = ";".join(dict.fromkeys(parts)).split("/")[-1].replace(";", "_")
        self._renamed[name] = f"{joined}.{number}" if number else joined
        # XLA writes a name twice where two places have it; both places are not seen here.
        twice = "_".join(parts).split("/")[-1]
        self.also_called[f"{twice}.{number}" if number else twice] = self._renamed[name]
        return self._renamed[name]

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of instructions as `lines` has them."""
        also = self.also_called
        return tuple(n if n in self.lines else also.get(n, n) for n in names)

    def _read_frames(self, rest: str) -> tuple[int, str]:
        """The innermost stack frame that is no tag, and the tags of all, the outermost first.

        The number that stands for a frame's parent is larger by one.
        """
        match = re.search(r"stack_frame_id=(\d+)", rest)
        number, own, tags = int(match[1]) if match else 0, 0, ""
        while number in self._frames:
            place, parent = self._frames[number]
            file, _, function = self._places[place]
            if file == "jxs~":
                tags = function + tags
            else:
                own = own or number
            number = parent - 1
        return own, tags

    def body(self, computation: str) -> tuple[Any, ...]:
        """What a computation does, whatever its instructions are called."""
        lines = [line for line in self.lines.values() if line.computation == computation]
        number = {line.name: place for place, line in enumerate(lines)}
        return tuple(
            (
                line.opcode,
                line.shape,
                tuple(number[operand] for operand in line.operands),
                _CALLED.sub("", line.does[2].rpartition(") ")[2]),
                tuple(self.body(name) for name in line.called),
                line.is_root,
            )
            for line in lines
        )

    @functools.cached_property
    def callers(self) -> dict[str, Line]:
        """By computation, an instruction that calls it."""
        return {name: line for line in self.lines.values() for name in line.called}

    @functools.cached_property
    def alive(self) -> set[str]:
        """What a result or an effect depends on."""
        waiting = [self.roots[self.entry]]
        for line in self.lines.values():
            if line.opcode in _EFFECTS or "custom_call_has_side_effect=true" in line.rest:
                waiting.append(line.name)
        seen = set(waiting)
        while waiting:
            line = self.lines[waiting.pop()]
            for other in (*line.operands, *(self.roots.get(c, "") for c in line.called)):
                if other and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen

    def place(self, name: str) -> tuple[str, int]:
        """File and line of the innermost frame of an instruction; `("", 0)` where it has none."""
        frame = self._frames.get(self.lines[name].frame)
        return self._places[frame[0]][:2] if frame else ("", 0)

    def is_fused(self, name: str) -> bool:
        """Whether it is in a fusion, or says how what is in one combines two elements."""
        caller = self.callers.get(self.lines[name].computation)
        if caller is not None and caller.opcode in _COMBINING:
            caller = self.callers.get(caller.computation)
        return caller is not None and caller.opcode == "fusion"

    def combines(self, name: str) -> bool:
        """Whether it says how a reduction or the like treats two elements."""
        caller = self.callers.get(self.lines[name].computation)
        return caller is not None and caller.opcode in _COMBINING


def _balanced(text: str) -> int:
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place
    raise ValueError(text)


class Dumps:
    """All dumps of one compilation, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._numbered: dict[int, tuple[str, Path]] = {}
        first = last = None
        for path in sorted(folder.glob("*.txt")):
            match = _NAMED_DUMP.search(path.name)
            if match:
                self._numbered[int(match[1])] = (match[2], path)
            elif path.name.endswith(".before_optimizations.txt"):
                first = path
            elif path.name.endswith("after_optimizations.txt"):
                last = path
        assert first is not None and last is not None, sorted(folder.iterdir())
        self._read: dict[Path, Module] = {}
        self._named_first: dict[str, list[Line]] | None = None
        self._named_last: dict[str, list[Line]] | None = None
        self.first, self.last = self._module(first), self._module(last)

    def find(self, name: str, which: int) -> tuple[Module, Module] | None:
        """The modules before and after a pass, the n-th of those dumps that have its name.

        Not by the dump's number: XLA writes a dump after shape-canonicalizer only where that had to
        make a shape, and in a process that compiled the same before it has not.
        """
        named = [number for number, (other, _) in sorted(self._numbered.items()) if other == name]
        if which >= len(named):
            return None
        earlier = [other for other in self._numbered if other < named[which]]
        before = self._module(self._numbered[max(earlier)][1]) if earlier else self.first
        return before, self._module(self._numbered[named[which]][1])

    def steps(self, name: str) -> Iterator[tuple[Module, Module]]:
        """The modules before and after each run of a pass."""
        runs = sum(other == name for other, _ in self._numbered.values())
        for which in range(runs):
            found = self.find(name, which)
            if found is not None:
                yield found

    def all_steps(self) -> Iterator[tuple[Module, Module]]:
        """The modules before and after each dump."""
        before = self.first
        for _, (_, path) in sorted(self._numbered.items()):
            after = self._module(path)
            yield before, after
            before = after

    def named_first(self, numbers: Sequence[str]) -> Mapping[str, list[Line]]:
        """By equation, the instructions that XLA received under its name, in whichever call."""
        if self._named_first is None:
            self._named_first = _by_equation(self.first, numbers)
        return self._named_first

    def named_last(self, numbers: Sequence[str]) -> Mapping[str, list[Line]]:
        """The same of the module that runs; names that XLA joined are nobody's."""
        if self._named_last is None:
            self._named_last = _by_equation(self.last, numbers)
        return self._named_last

    def _module(self, path: Path) -> Module:
        if path not in self._read:
            self._read[path] = Module(path.read_text("utf-8"))
        return self._read[path]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where an equation stands.

    Attributes:
        file: Of the user.
        line: In it.
        operation: Its primitive.
        inside: How the ids of what it holds may begin.
        elsewhere: Where JAX's own lowering says that what it makes of such an equation stands.
    """

    file: str = ""
    line: int = 0
    operation: str = ""
    inside: tuple[str, ...] = ()
    elsewhere: frozenset[tuple[str, int]] = frozenset()

    @property
    def has_inside(self) -> bool:
        return bool(self.inside)


@dataclasses.dataclass(frozen=True)
class Verdicts:
    """What the dumps say of the fates of one program.

    Attributes:
        refuted: What is wrong, in words.
        proven: How many fates have a proof.
        inferred: How many follow from what is around the equation.
        unknown: How many are not known.
        passed_over: How often something about a proven fate was not checked, by the reason.
    """

    refuted: tuple[str, ...]
    proven: int
    inferred: int
    unknown: int
    passed_over: Mapping[str, int]


def check_fates(
    fates: Mapping[str, Fate],
    dumps: Dumps,
    numbers: Sequence[str],
    order: Mapping[tuple[int, str], int],
    places: Mapping[str, Place],
) -> Verdicts:
    """Hold every fate of the equations that were lowered against XLA's dumps.

    Args:
        fates: By equation id.
        dumps: Of the program with a numbered scope around each equation.
        numbers: Ids of the equations by the number of their scope.
        order: Which of the dumps of a pass a number and a name stand for, counted from 0.
        places: Where each equation stands, as JAX's own trace has it.
    """
    passed_over: dict[str, int] = {}
    refuted = [
        f"{id}: {fate.fate} ({fate.certainty}): {why}   [{fate.text}]"
        for id, fate in fates.items()
        for why in _Check(id, fate, dumps, numbers, order, places, passed_over).problems()
    ]
    claimed_elsewhere = _shared_work(fates, dumps.last, places)
    for line in _orphans(fates, dumps.last):
        if line.opcode in claimed_elsewhere:
            why = "heavy work that is of another call of a shared function"
            passed_over[why] = passed_over.get(why, 0) + 1
        else:
            refuted.append(f"{line.name} ({line.opcode}) runs and belongs to no equation")
    counts = [fate.certainty for fate in fates.values()]
    proven, inferred, unknown = map(counts.count, ("proven", "inferred", ""))
    return Verdicts(tuple(refuted), proven, inferred, unknown, passed_over)


@dataclasses.dataclass(frozen=True)
class _Check:
    id: str
    fate: Fate
    dumps: Dumps
    numbers: Sequence[str]
    order: Mapping[tuple[int, str], int]
    places: Mapping[str, Place]
    passed_over: dict[str, int]

    @property
    def place(self) -> Place:
        return self.places.get(self.id, Place())

    def pass_over(self, why: str) -> None:
        self.passed_over[why] = self.passed_over.get(why, 0) + 1

    def problems(self) -> Iterator[str]:
        fate = self.fate
        if fate.fate == "unknown":
            if fate.certainty or fate.proof:
                yield "unknown, and yet certain"
            return
        if fate.certainty not in ("proven", "inferred"):
            yield "without a certainty"
        if (fate.certainty == "proven") != (fate.proof is not None):
            yield "a proof and `proven` go together"
        last = self.dumps.last
        named = last.names(fate.instructions)
        here = [name for name in named if not name.startswith("unnamed_")]
        for name in here:
            if name not in last.lines:
                yield f"{name} is not in the module that runs"
                return
        yield from self._kind([last.lines[name] for name in here])
        yield from self._proof()
        yield from self._unwrapped()

    def _unwrapped(self) -> Iterator[str]:
        """The pass that is said to have removed a call, a loop or a branch has done so."""
        match = _REMOVED.search(self.fate.text)
        if match is None or not self.place.has_inside:
            return
        opcode = {"call": "call", "loop": "while", "branch": "conditional"}[match[1]]
        for before, after in self.dumps.steps(match[2]):
            counts = [
                sum(
                    line.opcode == opcode and self.id in self._innermost(line.op_name)
                    for line in module.lines.values()
                )
                for module in (before, after)
            ]
            if counts[0] and not counts[1]:
                return
        yield f"{match[2]} removed no {opcode} of its name"

    def _kind(self, lines: Sequence[Line]) -> Iterator[str]:
        last, fate = self.dumps.last, self.fate.fate
        if fate in ("dead", "merged", "simplified"):
            yield from self._left()
            return
        if not lines:
            if fate != "folded":
                yield "no instruction is named"
            return
        working = [line for line in lines if line.opcode not in (*_LAYOUT, "constant")]
        line = (working or lines)[0]
        if fate == "fused" and not any(last.is_fused(each.name) for each in lines):
            yield f"{line.name} is in no fusion"
        elif fate == "kernel" and not any(self._runs_alone(each) for each in lines):
            yield f"{line.name} is no kernel of its own"
        elif fate == "library" and not any(self._is_library(each) for each in lines):
            yield f"{line.name} calls no library"
        elif fate == "layout" and not all(each.opcode in _LAYOUT for each in lines[:1]):
            yield f"{lines[0].name} is a {lines[0].opcode}"
        elif fate == "folded" and not any(self._is_constant(each, last) for each in lines):
            yield f"{line.name} is no constant"

    def _left(self) -> Iterator[str]:
        """What is said to be gone is not what runs under its name, whoever says so."""
        if self.place.has_inside:
            return
        was = self.dumps.named_first(self.numbers).get(self.id, ())
        kinds = {(line.opcode, line.dimensions) for line in was if line.opcode not in _COMMON}
        for line in self.dumps.named_last(self.numbers).get(self.id, ()):
            if (line.opcode, line.dimensions) in kinds and line.name in self.dumps.last.alive:
                yield f"{line.name} runs and has its name"

    def _runs_alone(self, line: Line) -> bool:
        last = self.dumps.last
        if last.combines(line.name):
            line = last.callers[line.computation]
        if not last.is_fused(line.name):
            return line.opcode not in ("parameter", "constant", "tuple", "get-tuple-element")
        inside = [
            other
            for other in last.lines.values()
            if other.computation == line.computation
            and other.name in last.alive
            and other.opcode not in ("parameter", "constant", "bitcast", "tuple", "reshape", "copy")
        ]
        return len(inside) <= 1

    def _is_library(self, line: Line) -> bool:
        last = self.dumps.last
        caller = last.callers.get(line.computation)
        is_custom = caller is not None and "kind=kCustom" in caller.rest
        return is_custom or line.opcode in _LIBRARY or "kind=kCustom" in line.rest

    @staticmethod
    def _is_constant(line: Line, module: Module) -> bool:
        while line.opcode in ("broadcast", "copy", "parameter"):  # the same values, elsewhere
            operands = line.operands
            if line.opcode == "parameter":
                caller = module.callers.get(line.computation)
                if caller is None or caller.opcode != "fusion":
                    return False
                operands = (caller.operands[int(line.rest[1 : line.rest.index(")")])],)
            line = module.lines[operands[0]]
        return line.opcode == "constant"

    def _proof(self) -> Iterator[str]:
        fate, proof = self.fate, self.fate.proof
        if proof is None:
            return
        before, after = self.dumps.first, self.dumps.last
        if proof.pass_number is not None:
            which = self.order.get((proof.pass_number, proof.pass_name), -1)
            step = self.dumps.find(proof.pass_name, which) if which >= 0 else None
            if step is None or fate.pass_name != proof.pass_name:
                yield f"XLA wrote no dump {proof.pass_number} of {proof.pass_name}"
                return
            before, after = step
        elif proof.pass_name != "after_optimizations":  # JAX left it out, XLA received none
            if proof.before != (self.id,) or proof.after:
                yield "the proof is of another equation"
            came = [name for name in before.lines if self.id in self._received(name, before)]
            if came:
                yield f"XLA received {came[0]}"
            return
        proof = dataclasses.replace(
            proof, before=before.names(proof.before), after=after.names(proof.after)
        )
        for names, module, when in (
            (proof.before, before, "before"),
            (proof.after, after, "after"),
        ):
            missing = [n for n in names if n not in module.lines and not n.startswith("unnamed_")]
            if missing:
                yield f"{missing[0]} is not in the module {when} the pass"
                return
        if not proof.before:
            return
        yield from self._decision(
            [before.lines[n] for n in proof.before if n in before.lines],
            [after.lines[n] for n in proof.after if n in after.lines],
            before,
            after,
        )
        yield from self._name(before, proof.before)
        if self.place.has_inside:
            self.pass_over("its line: it holds other equations")
        else:
            yield from self._line(before, proof.before)

    def _decision(
        self, was: Sequence[Line], now: Sequence[Line], before: Module, after: Module
    ) -> Iterator[str]:
        fate = self.fate.fate
        if fate in ("dead", "merged", "simplified") and was:
            left = after.lines[was[0].name] if was[0].name in after.alive else None
            if left is not None and self._is_still_there(was[0], left):
                yield f"{left.name} is still used after the pass"
        if fate == "merged" and len(was) > 1:
            if was[0].opcode != was[1].opcode or was[0].shape != was[1].shape:
                yield f"{was[0].name} and {was[1].name} are different operations"
            if was[1].name not in after.lines:
                yield f"{was[1].name} is gone as well"
        if fate in ("dead", "simplified", "folded") and was:
            for other in after.lines.values():
                is_new = other.name in after.alive and other.name not in before.lines
                does_it = other.opcode == was[0].opcode in _HEAVY
                is_same = sorted(other.operands) == sorted(was[0].operands)
                if is_new and does_it and is_same and not _reduces_more(other, was[0]):
                    yield f"{other.name} works from the same operands after the pass"
        if fate == "dead" and was:
            for user in before.users.get(was[0].name, ()):
                successor = self._heir(before.lines[user], was[0], after)
                if successor:
                    yield f"{user} reads {successor} in its place after the pass"
            for other in before.lines.values():
                is_equal = other.does == was[0].does and other.computation == was[0].computation
                if is_equal and other.name != was[0].name and other.name in after.alive:
                    users = set(before.users.get(was[0].name, ()))
                    if users & set(after.users.get(other.name, ())):
                        yield f"it was merged with {other.name}, whose result is used"
            yield from self._merged_around(was[0], before, after)
        if fate == "folded" and now and not any(self._is_constant(each, after) for each in now):
            yield f"{now[0].name} is no constant after the pass"

    @staticmethod
    def _merged_around(was: Line, before: Module, after: Module) -> Iterator[str]:
        """A fusion, or call, around an instruction gave way to an equal one, which is used now."""
        around = before.callers.get(was.computation)
        if around is None or around.opcode not in ("fusion", "call") or around.name in after.alive:
            return
        users = set(before.users.get(around.name, ()))
        for other in before.lines.values():
            is_alike = (other.opcode, other.shape, other.operands, other.computation) == (
                *(around.opcode, around.shape, around.operands, around.computation),
            )
            if other.name == around.name or not is_alike or other.name not in after.alive:
                continue
            bodies = [[before.body(name) for name in line.called] for line in (around, other)]
            if bodies[0] == bodies[1] and users & set(after.users.get(other.name, ())):
                yield f"{around.name} around it was merged with {other.name}, whose result is used"

    @staticmethod
    def _heir(user: Line, was: Line, after: Module) -> str:
        """What an instruction that lives on reads where it read another one; empty if none does."""
        now = after.lines.get(user.name)
        if now is None or user.name not in after.alive or now.opcode != user.opcode:
            return ""
        if len(now.operands) != len(user.operands) or now.op_name != user.op_name:
            return ""
        # The state of a loop may have another order.
        if now.opcode == "tuple" and not now.is_root:
            return ""
        return next(
            (new for old, new in zip(user.operands, now.operands, strict=True) if old == was.name),
            "",
        )

    def _is_still_there(self, was: Line, left: Line) -> bool:
        """Whether the instruction that has a name after the pass is the one that had it before.

        XLA may give a name anew, and then with other metadata. A pass changes neither opcode nor
        the number of elements of an instruction that it leaves in place.
        """
        if was.opcode != left.opcode or was.dimensions != left.dimensions:
            return False
        if was.op_name in ("", left.op_name) or was.does == left.does:
            return True
        if _are_of_one_call(was.op_name, left.op_name):
            return True
        self.pass_over("its name is that of another instruction of the same kind after the pass")
        return False

    def _name(self, before: Module, names: Sequence[str]) -> Iterator[str]:
        """What XLA received under the equation's number is what the proof speaks of.

        Of an equation that holds others it may be one of these.
        """
        is_held = self.fate.fate in ("fused", "kernel", "library", "layout")
        for name in names if is_held else names[:1]:
            ids = self._received(name, before)
            if not ids:
                self.pass_over("its name: XLA received one without")
            elif any(id == self.id or self._holds(id) for id in ids):
                continue
            elif self._is_made_nameless(name, before) and all(map(self._is_around, ids)):
                self.pass_over("its name: XLA made one without, and wrote that of a call on it")
            elif self._is_product_of(name, ids, before):
                self.pass_over("its name: that of the transpose that XLA gave the product")
            else:
                yield f"{name} came from equation {ids[0]}"

    def _is_product_of(self, name: str, ids: Sequence[str], before: Module) -> bool:
        """Whether XLA made the product anew, in the order of its transpose and with that name.

        A pass then ends a product with the equation's name, and makes one of the same operands, or
        of what the tuples hold that these came out of: the instruction is that one, or a copy of it
        with the same name, and no other one.
        """
        transposes = {id for id in ids if self.places[id].operation == "transpose"}
        line = before.lines.get(name)
        if line is None or line.opcode not in _PRODUCTS or not transposes:
            return False
        for was, after in self.dumps.all_steps():
            ended = [
                operands
                for old in was.lines.values()
                if old.opcode in _PRODUCTS
                and old.name not in after.lines
                and self.id in self._innermost(old.op_name)
                for operands in (
                    sorted(old.operands),
                    sorted(_out_of_tuple(each, was) for each in old.operands),
                )
            ]
            for new in after.lines.values() if ended else ():
                is_new = new.opcode in _PRODUCTS and new.name not in was.lines
                is_named = is_new and transposes & set(self._innermost(new.op_name))
                is_alike = is_named and _are_of_one_call(new.op_name, line.op_name)
                if is_alike and sorted(new.operands) in ended:
                    return True
        return False

    def _received(self, name: str, before: Module) -> list[str]:
        """The equations that an instruction of a module was lowered from.

        Those that its name has in the module that XLA received, for late passes write others into
        it, those of loops; unless the name was given anew, to an instruction of another equation.
        """
        first = self.dumps.first.lines.get(name)
        now = before.lines.get(name)
        found = [self._innermost(line.op_name) if line is not None else [] for line in (first, now)]
        if not found[0] or (found[1] and not any(self.places[id].inside for id in found[1])):
            return found[1]
        return found[0]

    def _is_around(self, id: str) -> bool:
        return any(self.id.startswith(path) for path in self.places[id].inside)

    def _is_made_nameless(self, name: str, before: Module) -> bool:
        """Whether XLA made an instruction without a name, and wrote one on it in a later pass."""
        if name in self.dumps.first.lines:
            return False
        made = ""
        for was, after in self.dumps.all_steps():
            if name in after.lines and name not in was.lines:
                made = after.lines[name].op_name
            if after is before:
                break
        return not made

    def _innermost(self, op_name: str) -> list[str]:
        tags = [_TAG.findall(part) for part in op_name.split(";")]
        return [self.numbers[int(part[-1])] for part in tags if part]

    def _holds(self, id: str) -> bool:
        """Whether an equation stands in what this one holds, in another call of it if need be."""
        waiting, seen = list(self.place.inside), set(self.place.inside)
        while waiting:
            path = waiting.pop()
            if id.startswith(path):
                return True
            for other, place in self.places.items():
                if other.startswith(path):
                    waiting += [inner for inner in place.inside if inner not in seen]
                    seen.update(place.inside)
        return False

    def _line(self, before: Module, names: Sequence[str]) -> Iterator[str]:
        """What the proof speaks of stands on the equation's line.

        JAX lowers some equations, such as argmax, by a function that it keeps for all of the kind,
        and some by tracing one: XLA has the lines of that function, or of its first use. Only lines
        count that JAX's own lowering of the plain program has in this place.
        """
        place = self.place
        if not place.file:
            self.pass_over("its line: none is the user's")
            return
        found = {before.place(name) for name in names if name in before.lines} - {("", 0)}
        if not found:
            self.pass_over("its line: XLA's metadata have none")
            return
        if (place.file, place.line) in found:
            return
        if found & set(self._places_of_joined(before, names)):
            self.pass_over("its line: that of another whose name XLA joined with its name")
            return
        if found & place.elsewhere:
            self.pass_over("its line: that of the function by which JAX lowers it")
            return
        if any(self._is_product_of(name, self._received(name, before), before) for name in names):
            self.pass_over("its line: that of the transpose that XLA gave the product")
            return
        where = min(found)[1]
        yield f"it stands on line {place.line}, the instructions {names[:3]} on {where}"

    def _places_of_joined(self, module: Module, names: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Where the equations stand whose names XLA joined with the equation's, and those around.

        What has joined names has no place, and inlining gives it that of the call.
        """
        first = self.dumps.first
        for name in names:
            op_name = module.lines[name].op_name if name in module.lines else ""
            if ";" in op_name and self.id in self._innermost(op_name):
                ids = {self.numbers[int(number)] for number in _TAG.findall(op_name)}
                yield from ((self.places[id].file, self.places[id].line) for id in ids)
                for line in first.lines.values():
                    if line.opcode == "call" and not ids.isdisjoint(self._innermost(line.op_name)):
                        yield first.place(line.name)


def _reduces_more(one: Line, other: Line) -> bool:
    """Whether one reduction goes along all dimensions of another and further ones.

    XLA makes one of two in a row, with the name of the second.
    """
    found = [re.search(r"dimensions=\{([\d,]*)\}", line.rest) for line in (one, other)]
    along = [set(each[1].split(",")) if each else set() for each in found]
    return one.opcode == other.opcode == "reduce" and along[0] > along[1]


def _by_equation(module: Module, numbers: Sequence[str]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in module.lines.values():
        if ";" in line.op_name or module.combines(line.name):
            continue
        ids = [numbers[int(number)] for number in _TAG.findall(line.op_name)]
        if ids:
            found.setdefault(ids[-1], []).append(line)
    return found


def _out_of_tuple(name: str, module: Module) -> str:
    """What an instruction gives: of an element of a tuple what the tuple was made with."""
    line = module.lines.get(name)
    number = re.search(r"\bindex=(\d+)", line.rest) if line is not None else None
    if line is None or line.opcode != "get-tuple-element" or number is None:
        return name
    made = module.lines.get(line.operands[0])
    return made.operands[int(number[1])] if made is not None and made.opcode == "tuple" else name


def _are_of_one_call(one: str, other: str) -> bool:
    """Whether two names are of one equation, and of one call where several share its function.

    Inlining a call puts the tags of what is around it before those that are there.
    """
    tags = _TAG.findall(one), _TAG.findall(other)
    num = min(map(len, tags))
    return tags[0][-num:] == tags[1][-num:] if num else one == other


def _shared_work(fates: Mapping[str, Fate], last: Module, places: Mapping[str, Place]) -> set[str]:
    """Opcodes of what equations do that several calls have: their fate is that of the first."""
    paths = {path for place in places.values() for path in place.inside if len(place.inside) > 1}
    return {
        last.lines[name].opcode
        for id, fate in fates.items()
        if any(id.startswith(path) for path in paths)
        for name in fate.instructions
        if name in last.lines
    }


def _orphans(fates: Mapping[str, Fate], last: Module) -> list[Line]:
    """Heavy work in the module that runs that no equation is said to be."""
    if any(fate.fate == "unknown" for fate in fates.values()):
        return []
    claimed = {name for fate in fates.values() for name in fate.instructions}
    return [
        line
        for line in last.lines.values()
        if line.opcode in _HEAVY
        and line.name in last.alive
        and not last.combines(line.name)
        and line.name not in claimed
        and not line.name.startswith("unnamed_")
    ]


def find_places(jaxpr: Any, frames: Any, lowered: str) -> dict[str, Place]:
    """Where every equation of a jaxpr stands, nested ones included, by its id.

    Args:
        jaxpr: As JAX's own trace gives it.
        frames: Gives the user's frames of a traceback, innermost first.
        lowered: JAX's own lowering of the plain program, with locations.
    """
    functions = _Lowered(lowered)
    found: dict[str, tuple[Place, tuple[int, ...]]] = {}
    paths: dict[int, list[str]] = {}  # jaxprs that several equations share have several
    waiting: list[tuple[Any, str]] = [(jaxpr, "")]
    while waiting:
        current, path = waiting.pop()
        for number, equation in enumerate(getattr(current, "jaxpr", current).eqns):
            frame = next(iter(frames(equation.source_info.traceback)), None)
            nested = [
                (inner, f"{path}{number}/{name}{suffix}/")
                for name, value in equation.params.items()
                for suffix, inner in _jaxprs(value)
            ]
            file, line = (frame.file_name, frame.start_line) if frame is not None else ("", 0)
            keys = tuple(id(inner) for inner, _ in nested)
            name = equation.primitive.name
            elsewhere = frozenset(functions.lines(file, line, name))
            place = Place(file, line, name, elsewhere=elsewhere)
            found[f"{path}{number}"] = place, keys
            for (_, inside), key in zip(nested, keys, strict=True):
                paths.setdefault(key, []).append(inside)
            waiting += nested
    return {
        id: dataclasses.replace(place, inside=tuple(path for key in keys for path in paths[key]))
        for id, (place, keys) in found.items()
    }


class _Lowered:
    """Which lines stand in what JAX lowers a program to, as text.

    The frames of an operation go from the innermost outwards. What is traced while an equation is
    lowered has frames of its own before those of the equation; so has what a function does that is
    called on its line, for which the names decide and not the lines.
    """

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        self._locations = {m[1]: m[2] for line in lines if (m := _MLIR_LOCATION.match(line))}
        self._frames = functools.cache(self._find_frames)
        self._inside: dict[str, set[tuple[str, int]]] = {}
        self._called: dict[str, set[str]] = {}
        self._calls: dict[tuple[str, int], set[str]] = {}
        self._behind: dict[tuple[str, int], set[tuple[str, int]]] = {}
        function = ""
        for line in lines:
            if _MLIR_LOCATION.match(line):
                continue
            if head := _MLIR_FUNCTION.match(line):
                function = head[1]
            for name in re.findall(r"loc\((#loc\d*)\)", line):
                frames = self._frames(name)
                self._inside.setdefault(function, set()).update(frames[:1])
                for frame in frames[1:]:
                    self._behind.setdefault(frame, set()).add(frames[0])
            if call := _MLIR_CALL.search(line):
                self._called.setdefault(function, set()).add(call[1])
                for frame in self._frames(call[2]):
                    self._calls.setdefault(frame, set()).add(call[1])

    def _find_frames(self, name: str) -> tuple[tuple[str, int], ...]:
        text = self._locations.get(name, "")
        if match := _MLIR_FILE.match(text):
            return ((match[1], int(match[2])),)
        inner = re.findall(r"#loc\d*", re.sub(r'"[^"]*"', "", text))
        if text.startswith("callsite("):
            return tuple(frame for each in inner for frame in self._frames(each))
        return self._frames(inner[0]) if inner else ()

    def lines(self, file: str, line: int, primitive: str) -> Iterator[tuple[str, int]]:
        """Lines of what JAX lowers an equation on a line to, other than that line."""
        yield from self._behind.get((file, line), ())
        calls = self._calls.get((file, line), ())
        # Random bits and keys share one algorithm.
        is_random = primitive.startswith(("random_", "threefry"))
        own = r"_?(threefry|random_)\w*" if is_random else rf"_?{primitive}(_\d+)?"
        waiting = [name for name in calls if re.fullmatch(own, name)]
        seen = set(waiting)
        while waiting:
            name = waiting.pop()
            yield from self._inside.get(name, ())
            further = self._called.get(name, set()) - seen
            seen |= further
            waiting += further


def _jaxprs(value: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(value, "eqns") or hasattr(value, "jaxpr"):
        yield "", value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            for suffix, inner in _jaxprs(item):
                yield f".{index}{suffix}", inner
