"""`jaxscope completion SHELL`: what lets a shell complete, and what that asks while a person types.

The scripts know nothing: at every Tab they ask `jaxscope completion SHELL WORDS…`, which looks into
the parsers, so that no list can be out of date. Calls are those that the named file offers; it is
read, not run.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence

from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options, make_parser
from jaxscope.errors import UsageError
from jaxscope.export.choices import ALL_STAGES
from jaxscope.late_dataclass import dataclass
from jaxscope.verbs import VERBS, WINDOW

FILES = ":files"
"""The line that tells a shell to add its own completion of files."""

# Of each word: a backslash and a letter, or a quoted part, which may lack its end.
_WORD = re.compile(r"""(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|[^\s'"\\])+""")
_BREAKS = re.compile(r"^.*[:=]")
_TARGETS = ("cpu", "cpu:8", "gpu", "gpu:0", "tpu", "aot:tpu:v5e:2x2", "aot:gpu:h100", "ssh://")
_OF_FILES = frozenset({"python", "output", "out", "saved", "baseline", "against_file", "python_b"})
_MAX_BYTES = 1 << 20

_SCRIPTS = {
    "bash": """\
_jaxscope() {
    local answer
    mapfile -t answer < <(jaxscope completion bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    if [ "${answer[0]}" = ":files" ]; then
        compopt -o default 2>/dev/null
        answer=("${answer[@]:1}")
    fi
    COMPREPLY=("${answer[@]}")
    if [[ ${#COMPREPLY[@]} = 1 && $COMPREPLY = *[:/] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _jaxscope jaxscope
""",
    "zsh": """\
#compdef jaxscope
_jaxscope() {
    local -a answer
    answer=("${(@f)$(jaxscope completion zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ ${answer[1]} == ":files" ]]; then
        shift answer
        _files
    fi
    answer=(${answer:#})
    (( ${#answer} )) && _describe jaxscope answer
}
if [[ ${funcstack[1]} == _jaxscope ]]; then _jaxscope "$@"; else compdef _jaxscope jaxscope; fi
""",
    "fish": """\
function __jaxscope_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (jaxscope completion fish $words[2..-1] 2>/dev/null)
    if test "$answer[1]" = ":files"
        set -e answer[1]
        __fish_complete_path (commandline -ct)
    end
    printf '%s\\n' $answer
end
complete -c jaxscope -f -a '(__jaxscope_complete)'
""",
    "powershell": """\
Register-ArgumentCompleter -Native -CommandName jaxscope -ScriptBlock {
    param($word, $ast, $position)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $position } |
        ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { $_.Extent.Text } })
    # Older ones drop an argument that is empty, so the last has a sign before it.
    jaxscope completion powershell @words "+$($word.Trim("'"))" 2>$null |
        Where-Object { $_ -ne ':files' } | ForEach-Object {
            $value, $told = $_ -split "`t", 2
            $text = $value
            if ($value -match "[\\s()']") { $text = "'" + ($value -replace "'", "''") + "'" }
            if (-not $told) { $told = $value }
            [System.Management.Automation.CompletionResult]::new(
                $text, $value, 'ParameterValue', $told)
        }
}
""",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may stand in place of the last word, and what it means."""

    word: str
    meaning: str = ""


def run(options: Options) -> int:
    """Print the script, or what may follow the words.

    Raises:
        UsageError: `--json` was asked for.
    """
    if options.is_json:
        raise UsageError("A script for a shell is no JSON.", remedy="Leave --json out.")
    if not options.typed:
        print_text(_SCRIPTS[options.shell])
        return 0
    words, quote, kept = _split(options.shell, options.typed)
    candidates, has_files = complete(words)
    lines = [FILES] if has_files else []
    for one in candidates:
        lines.append(_format(options.shell, one, quote, kept))
    if lines:
        print_text("\n".join(lines))
    return 0


def complete(words: Sequence[str]) -> tuple[list[Candidate], bool]:
    """What may stand in place of the last of the words, and whether files may.

    Args:
        words: Behind `jaxscope`; the last is what is being typed, and may be empty.
    """
    *before, typed = words
    verb = before[0] if before and before[0] in VERBS and before[0] != WINDOW else WINDOW
    rest = before[1:] if verb != WINDOW else before
    parser = make_parser(verb)
    option, given = _read(parser, rest)
    if option is not None:
        found = [Candidate(value) for value in _values_of(option)]
        has_files = option.dest in _OF_FILES
    elif typed.startswith("-"):
        found, has_files = list(_options_of(parser)), False
    else:
        found, has_files = _positional(parser, given)
        if not before:
            found = [
                *(Candidate(name, VERBS[name].summary) for name in VERBS if name != WINDOW),
                *found,
            ]
    return [one for one in found if one.word.startswith(typed)], has_files


def _read(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> tuple[argparse.Action | None, list[str]]:
    """The option whose value comes next, and the words that are no options."""
    by_name = {name: one for one in parser._actions for name in one.option_strings}
    waiting: argparse.Action | None = None
    given = []
    for word in words:
        if waiting is not None:
            waiting = None
        elif word in by_name:
            waiting = by_name[word] if by_name[word].nargs != 0 else None
        elif not word.startswith("-") or word == "-":
            given.append(word)
    return waiting, given


def _positional(
    parser: argparse.ArgumentParser, given: Sequence[str]
) -> tuple[list[Candidate], bool]:
    actions = [one for one in parser._actions if not one.option_strings]
    if not actions:
        return [], False
    many = actions[-1].nargs in ("+", argparse.REMAINDER)
    if len(given) >= len(actions) and not many:
        return [], False
    action = actions[min(len(given), len(actions) - 1)]
    found = [Candidate(value) for value in _values_of(action)]
    file = dict(zip((one.dest for one in actions), given, strict=False)).get("file", "")
    if action.dest == "call":
        found += [Candidate(call) for call in _offered(file)]
    if action.dest == "question" or (action.dest == "call" and actions[-1].dest == "question"):
        from jaxscope.report.answers import QUESTIONS

        found += [Candidate(question.name, question.asks) for question in QUESTIONS]
    if action.dest == "name":
        from jaxscope.program.cards import read_cards

        found += [
            Candidate(name) for name in dict.fromkeys(n for cards in read_cards() for n in cards)
        ]
    return found, action.dest not in ("call", "question", "figure", "shell", "name")


def _options_of(parser: argparse.ArgumentParser) -> Iterator[Candidate]:
    for action in parser._actions:
        for name in action.option_strings:
            yield Candidate(name, (action.help or "").replace("%%", "%"))


def _values_of(action: argparse.Action) -> Sequence[str]:
    if action.choices:
        return [str(choice) for choice in action.choices if choice]
    if action.dest in ("target", "target_b", "against_target"):
        return _TARGETS
    if action.dest != "stage":
        return ()
    from jaxscope.model.stages import JAXPR, LATE_STAGES  # brings NumPy, which the others can spare

    return [JAXPR.name, *(name for name in LATE_STAGES if name != "passes"), ALL_STAGES]


def _offered(file: str) -> list[str]:
    """The calls of a file's comments; none where it cannot be read."""
    from jaxscope.model.outline import find_offered_calls

    try:
        if os.path.getsize(file) > _MAX_BYTES:
            return []
        with open(file, encoding="utf-8") as stream:
            return [offer.call for offer in find_offered_calls(stream.read())]
    except (OSError, ValueError):
        return []


# What the shells hand over and take.


def _split(shell: str, typed: Sequence[str]) -> tuple[list[str], str, str]:
    """The words, the quote that the last begins with, and what of it the shell keeps.

    Bash hands over the line. It replaces what stands behind an open quote, or else behind the last
    colon or equals sign.
    """
    if shell != "bash":
        last = typed[-1].removeprefix("+" if shell == "powershell" else "")
        return [*typed[:-1], last.lstrip("'\"")], "", ""
    line = typed[0]
    raw = _WORD.findall(line)[1:]
    if not raw or (line[-1:].isspace() and not _is_open(raw[-1])):
        raw.append("")
    last = raw[-1]
    quote = last[0] if _is_open(last) else ""
    words = [re.sub(r"\\(.)|['\"]", r"\1", word) for word in raw]
    kept = "" if quote else "".join(_BREAKS.findall(words[-1]))
    return words, quote, kept


def _is_open(word: str) -> bool:
    return word[:1] in ("'", '"') and (len(word) == 1 or word[-1] != word[0])


def _format(shell: str, one: Candidate, quote: str, kept: str) -> str:
    meaning = " ".join(one.meaning.split())
    if shell == "bash":
        word = one.word[len(kept) :]
        return word if quote or re.fullmatch(r"[\w@%+=:,./-]*", word) else f"'{word}'"
    if shell == "zsh":
        word = one.word.replace("\\", "\\\\").replace(":", "\\:")
        return f"{word}:{meaning}" if meaning else word
    return f"{one.word}\t{meaning}" if meaning else one.word
