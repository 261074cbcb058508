"""`jaxscope calls FILE`: what a file offers. The file is read, not run."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, run_options, show_progress
from jaxscope.client.one_shot import OnEvent, outline
from jaxscope.model.outline import Outline, OutlinedFunction
from jaxscope.model.script_calls import find_script_calls
from jaxscope.model.units import format_count, join_words
from jaxscope.report.document import Items, Section


def run(options: Options) -> int:
    """List functions and calls."""
    with show_progress() as show:
        found = find_outline(options, Watcher(show))
    print_found(
        options,
        lambda: {"file": str(options.file), **dataclasses.asdict(found)},
        lambda: outline_to_document(str(options.file), found),
    )
    return 0


def find_outline(options: Options, on_event: OnEvent) -> Outline:
    """What the file offers.

    Raises:
        UsageError: No Python file is named.
        SourceError: It cannot be read or parsed.
    """
    return outline(named_program(options), on_event=on_event, **run_options(options))


_LONGEST_SIGNATURE = 60
_ANY_ARRAY = "f32[8]"


def outline_to_document(file: str, found: Outline) -> list[Section]:
    """Calls first, since they can be pasted after `jaxscope capture FILE`."""
    # What a class holds stands below it, further in: a method is called on an object of its own.
    shown = [
        "  " * function.name.count(".") + (function.signature or function.name)
        for function in found.functions
    ]
    width = min(max(map(len, shown), default=0), _LONGEST_SIGNATURE)
    docs = [function.doc.strip().partition("\n")[0] for function in found.functions]
    functions = [f"{one:{width}}  {doc}".rstrip() for one, doc in zip(shown, docs, strict=True)]
    calls = format_count(len(found.calls), "call")
    kinds = Counter(function.kind for function in found.functions)
    has = format_count(kinds["function"], "function")
    if kinds["class"]:
        classes = "1 class" if kinds["class"] == 1 else f"{kinds['class']:,} classes"
        has += f", and {classes} with {format_count(kinds['method'], 'method')}"
    sections = [
        Section(blocks=[f"{file} offers {calls} and has {has}."]),
        Section(f"calls that {file} offers:", [Items([c.call for c in found.calls] or ["none"])]),
        Section("functions:", [Items(functions or ["none"])]),
    ]
    return sections if found.calls else [*sections, _next_steps(file, found)]


def _next_steps(file: str, found: Outline) -> Section:
    """What to type where a file offers no call."""
    text = _read(file)
    known = _names_assigned(text)
    forms = [form for function in found.functions if (form := _example_call(function, known))]
    forms.sort(key=lambda form: _ANY_ARRAY in form)  # stable: first those of what the file has
    forms = [*find_script_calls(text), *forms]
    commands = [join_words(["jaxscope", "capture", file, form]) for form in forms[:1]]
    explained = []
    if forms and _ANY_ARRAY in forms[0]:  # whether it traces nobody knows who does not run the file
        commands.insert(0, join_words(["jaxscope", "capture", file]))
        explained += [
            "Without a call, `capture` looks for one that traces.",
            f"`{_ANY_ARRAY}` stands for an array: write the type and shape that fit.",
        ]
    commands.append(join_words(["jaxscope", "run", "--", file]))
    explained.append("`run` runs the file as a script and lists what it compiles.")
    if forms:
        explained.append(f"A line `# jaxscope: {forms[0]}` in the file offers that call.")
    return Section("what to type next:", [Items(commands), *explained])


_OWN_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _read(file: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return ""


def _names_assigned(text: str) -> set[str]:
    """Names of values that a file has when it is imported, as far as its text says so."""
    found = set[str]()
    try:
        waiting: list[ast.AST] = list(ast.parse(text).body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            is_of_script = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
            if not isinstance(node, _OWN_SCOPES) and not is_of_script:
                waiting += ast.iter_child_nodes(node)
    except (SyntaxError, ValueError, RecursionError):
        pass  # an array is put for each parameter
    return found


def _example_call(function: OutlinedFunction, known: Collection[str]) -> str:
    """An example of a call: each required parameter is the file's own value of that name, or an
    array.

    Empty for a class, and for a function that requires nothing.
    """
    if function.kind != "function" or not function.signature:
        return ""
    try:
        (parsed,) = ast.parse(f"def {function.signature}: ...").body
    except (SyntaxError, ValueError):  # a signature that was cut
        return ""
    assert isinstance(parsed, ast.FunctionDef)
    of_place = [*parsed.args.posonlyargs, *parsed.args.args]
    needed = of_place[: len(of_place) - len(parsed.args.defaults)]
    named = [
        argument
        for argument, default in zip(parsed.args.kwonlyargs, parsed.args.kw_defaults, strict=True)
        if default is None
    ]
    values = [_example_value(argument.arg, known) for argument in needed]
    values += [f"{argument.arg}={_example_value(argument.arg, known)}" for argument in named]
    return f"{function.name}({', '.join(values)})" if values else ""


def _example_value(parameter: str, known: Collection[str]) -> str:
    if parameter in known:
        return parameter
    return "key(0)" if parameter in ("key", "rng") else _ANY_ARRAY
