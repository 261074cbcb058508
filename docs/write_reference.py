"""Writes the pages that follow from the code: `python docs/write_reference.py`.

The commands come from the parsers, the library from its signatures and docstrings, the schema from
the table that tests hold real output against, so none of them can say what the code does not;
`tests/test_documents.py` holds them against it.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import jaxscope
from jaxscope import compilation_watch, errors, notebook
from jaxscope.cli.parser import make_parser
from jaxscope.model import Capture
from jaxscope.program.cards import Card, read_cards
from jaxscope.report.cards import NOTATION, explain_card, list_facts
from jaxscope.verbs import VERBS, WINDOW

FOLDER = Path(__file__).resolve().parent / "reference"
_COMMON = "common options"

_COMMANDS = r"""# Commands

`python docs/write_reference.py` writes this page from the parsers of the command line. Each command
has `--help` with the same. `./run ARGS…`, in a checkout, is `jaxscope ARGS…`.

Without a CALL the file's first offered call is taken; the window takes the one that was run on the
file in it last, where there is one. Every answer has its place: a result goes to
standard output, progress and failures to standard error. With `--json` both are one JSON object on
standard output ([its keys](json.md)).

## Exit status

| status | meaning |
|---|---|
| 0 | done |
| 1 | your code or call failed |
| 2 | wrong usage |
| 3 | something needed is not installed or not available |
| 4 | the worker died, ran out of time or of memory, or was stopped |
| 5 | `diff`: the sides differ; `check`: something was found; `time --baseline`: slower |
| 70 | a bug of jaxscope's |

Targets are `cpu`, `cpu:8` (simulated devices), `gpu`, `gpu:0`, `tpu`, `aot:tpu:v5e:2x2`,
`aot:gpu:h100` (compiled for only: [chips](../howto/chips.md)), and `ssh://host/gpu:0`
(another machine: [devices](../howto/devices.md#other-machines)).

## Completion

`jaxscope completion SHELL` prints a script that lets Tab complete commands, options, their values,
questions of `ask`, and the calls that the named file offers:

| shell | a line for its settings |
|---|---|
| bash, in `~/.bashrc` | `eval "$(jaxscope completion bash)"` |
| zsh, in `~/.zshrc`, behind `compinit` | `eval "$(jaxscope completion zsh)"` |
| fish, in `~/.config/fish/config.fish` | `jaxscope completion fish \| source` |
| PowerShell, in `$PROFILE` | `jaxscope completion powershell \| Out-String \| Invoke-Expression` |

It was tried in bash 5.2, zsh 5.9 and fish 3.6; the script for PowerShell was not tried in one.
"""

_LIBRARY = """# Library

`python docs/write_reference.py` writes this page from the signatures and docstrings. Importing
`jaxscope` loads neither JAX nor Qt nor NumPy. `jaxscope.capture` works in the running process;
what takes a file works in a process of its own, as the [commands](command-line.md) do.

```python
import jax
import jax.numpy as jnp

import jaxscope


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


capture = jaxscope.capture(jax.grad(loss), jnp.ones((8, 2)), jnp.ones((4, 8)))
optimized = capture.stage("optimized")
if optimized is not None and optimized.unavailable is None:
    print(optimized.text.text.splitlines()[0].split(",")[0])
capture.save("gradient.jaxscope")
print(jaxscope.diff("gradient.jaxscope", capture).is_equal)
```

```text
HloModule jit_loss
True
```

What takes a file is the same for a call on it:

<!-- slow -->
```python
print(jaxscope.sharding(jaxscope.capture_file("samples/parallel_devices.py", target="cpu:8")))
print(jaxscope.remat("samples/selu.py"))  # policies of jax.checkpoint
for row in jaxscope.compare_targets("samples/quick_start.py", targets=["cpu"]):
    print(row.target, row.needed_bytes)
```

"""


def render_commands() -> str:
    """The page of commands and their options."""
    parts = [_COMMANDS]
    common = ""
    for verb, about in VERBS.items():
        parser = make_parser(verb)
        name = "jaxscope" if verb == WINDOW else f"jaxscope {verb}"
        words = [a for a in parser._actions if not a.option_strings]
        usage = " ".join([name, *map(_word, words)])
        summary = about.summary[0].upper() + about.summary[1:]
        parts.append(f"## `{name}`\n\n{summary}.\n\n    {usage}\n\nExample: `{about.example}`\n")
        for group in parser._action_groups:
            options = [a for a in group._group_actions if a.option_strings and a.dest != "help"]
            if not options and group.title != "positional arguments":
                continue
            if group.title == _COMMON:
                common = _table(options)
            else:
                is_named = group.title not in ("options", "positional arguments")
                title = f"{group.title[0].upper()}{group.title[1:]}:\n\n" if is_named else ""
                parts.append(title + _table(group._group_actions))
    parts.append(f"## Common options\n\nEvery command takes these.\n\n{common}")
    return "\n".join(parts)


def _word(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if action.nargs in ("+", argparse.REMAINDER):
        return f"{name}…"
    return f"[{name}]" if action.nargs == "?" else name


def _table(actions: Iterable[argparse.Action]) -> str:
    rows = ["| word | what it says |", "|---|---|"]
    for action in actions:
        if action.dest == "help":
            continue
        value = action.metavar or "|".join(action.choices or ())
        if not value and action.nargs != 0:
            value = action.dest.upper()
        word = " ".join(filter(None, [", ".join(action.option_strings), str(value)]))
        told = (action.help or "").replace("%%", "%")
        rows.append("| `{}` | {} |".format(word.replace("|", "\\|"), told.replace("|", "\\|")))
    return "\n".join(rows) + "\n"


def render_library() -> str:
    """The page of what Python programs call."""
    parts = [_LIBRARY.rstrip() + "\n"]
    for name in sorted([*jaxscope.__all__, "open"]):
        found = getattr(jaxscope, name)
        if inspect.isfunction(found):
            parts.append(_section(f"jaxscope.{name}", found))
    parts.append(f"## `Capture`\n\n{_preformatted(Capture)}")
    shown = notebook.ShownCapture
    for method in (Capture.stage, shown.kernels.fget, shown.cost.fget, shown.save):
        parts.append(_section(f"Capture.{method.__name__}", method))
    parts.append(f"## `Watch`\n\n{_preformatted(compilation_watch.Watch)}")
    parts.append(f"## Errors\n\n{_preformatted(errors)}")
    return "\n".join(parts)


def _section(name: str, function: Callable[..., object]) -> str:
    source = inspect.cleandoc("\n" + inspect.getsource(function))
    body = ast.parse(source).body[0].body[0].lineno
    head = "\n".join(source.splitlines()[: body - 1]).removesuffix(":")
    return f"## `{name}`\n\n{_indent(head)}\n\n{_preformatted(function)}"


_OPERATIONS = f"""# Operations

`python docs/write_reference.py` writes this page from the cards in `jaxscope/program/cards/`.
`jaxscope explain NAME` and *More* behind the sentence on what is selected show the same. Formulas
are NumPy; `tests/cards/` runs each of them, and checks each sentence. What could not be checked is
not said.

{NOTATION}
"""


def render_operations() -> str:
    """The page of primitives and opcodes."""
    parts = [_OPERATIONS]
    for title, cards in zip(("Primitives of JAX", "Opcodes of HLO"), read_cards(), strict=True):
        parts.append(f"## {title}\n")
        parts += [_render_card(cards[name]) for name in sorted(cards)]
    return "\n".join(parts)


def _render_card(card: Card) -> str:
    lines = [f"### `{card.name}`\n", f"{explain_card(card)}\n"]
    for title, facts in list_facts(card):
        lines.append(f"{title}:\n")
        for fact in facts:
            if not fact.is_code:
                lines.append(f"- {fact.label}: {fact.text}")
            elif "\n" not in fact.text:
                lines.append(f"- {fact.label}: `{fact.text}`")
            else:
                code = "\n".join(f"      {line}" for line in fact.text.splitlines())
                lines.append(f"- {fact.label}:\n\n{code}\n")
        lines.append("")
    return "\n".join(lines)


def render_schema() -> str:
    """The JSON Schema of what scripts read."""
    sys.path.insert(0, str(FOLDER.parents[1]))
    from tests.contract import shapes

    named = {"capture": shapes.CAPTURE, "timing": shapes.TIMING, "failure": shapes.ERROR}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What jaxscope prints with --json",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in named],
        "$defs": {name: shapes.to_schema(shape) for name, shape in named.items()},
    }
    return json.dumps(schema, indent=1) + "\n"


def _preformatted(thing: object) -> str:
    return _indent(inspect.getdoc(thing) or "") + "\n"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" if line.strip() else "" for line in text.splitlines())


PAGES = {
    "command-line.md": render_commands,
    "library.md": render_library,
    "operations.md": render_operations,
    "schema.json": render_schema,
}

if __name__ == "__main__":
    for name, render in PAGES.items():
        (FOLDER / name).write_text(render(), "utf-8")
