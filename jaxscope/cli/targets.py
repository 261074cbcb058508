"""`jaxscope targets FILE [CALL]`: one call compiled for many chips, side by side."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, request_of, run_options, show_progress
from jaxscope.client.many_targets import capture_targets, default_targets, full_target
from jaxscope.client.one_shot import inspect_environment
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import EnvironmentProblem, JaxscopeError
from jaxscope.model import Capture
from jaxscope.program.targets import summarize_target
from jaxscope.report.targets import targets_to_document, targets_to_json


def run(options: Options) -> int:
    """Compile for each target and print a row for each.

    Raises:
        JaxscopeError: The call failed, or no target can be compiled for.
    """
    request = request_of(CaptureRequest, options, target="cpu")
    with show_progress() as show:
        watcher = Watcher(show)
        named = options.targets or ((options.target,) if options.target != "cpu" else ())
        targets = tuple(map(full_target, named)) or _available(watcher, options)

        def on_found(target: str, _found: Capture | JaxscopeError) -> None:
            show(f"{target} is done …")

        found = capture_targets(request, targets, on_event=watcher, on_found=on_found)
    rows = [summarize_target(target, answer) for target, answer in found]
    call = next((answer.call for _, answer in found if isinstance(answer, Capture)), "")
    call = call or options.call or ""
    print_found(
        options,
        lambda: targets_to_json(call, str(options.file), rows),
        lambda: targets_to_document(call, rows),
    )
    return 0


def _available(watcher: Watcher, options: Options) -> tuple[str, ...]:
    """Every chip that a compiler is installed for.

    Raises:
        EnvironmentProblem: None is.
    """
    report = inspect_environment(on_event=watcher, **run_options(options))
    rows = {
        kind: target
        for target in report.targets
        for kind in ("tpu", "gpu")
        if target.target.startswith(f"aot:{kind}:")
    }
    kinds = [kind for kind, row in rows.items() if row.is_available]
    if not kinds:
        raise EnvironmentProblem(
            "No compiler for absent chips is installed.",
            why="\n".join(f"{row.reason}." for row in rows.values()),
            remedy="Install one of them, or name targets of this machine: --targets cpu,cpu:8",
            kind="CompilerMissing",
        )
    return default_targets(kinds)
