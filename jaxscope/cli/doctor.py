"""`jaxscope doctor`: what works on this machine, for a bug report and for the person itself."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, run_options, show_progress
from jaxscope.cli.self_test import TestedPart, run_self_test
from jaxscope.client.events import EnvironmentReport
from jaxscope.client.one_shot import inspect_environment
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import EnvironmentProblem, JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.report.document import Section, Table
from jaxscope.setup.system_libraries import (
    find_display,
    find_missing_libraries,
    format_install_line,
    is_root,
)
from jaxscope.version import __version__

_PACKAGES = (
    *("jax", "jaxlib", "numpy", "scipy", "protobuf", "msgspec"),
    *("PySide6-Essentials", "pyqtgraph", "Pygments", "graphviz"),
)


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """The result of one check of this machine.

    Attributes:
        name: What.
        is_good: Whether it works; None for what is neither good nor bad.
        text: What was found, or what to do.
    """

    name: str
    is_good: bool | None
    text: str


def run(options: Options) -> int:
    """Look at everything; status 3 if something that user code needs does not work here."""
    with show_progress() as show:
        show("Asking JAX for its devices …")
        try:
            report: EnvironmentReport | JaxscopeError = inspect_environment(
                on_event=Watcher(show),
                target=options.target if is_remote(options.target) else "",
                **run_options(options),
            )
        except JaxscopeError as error:
            report = error
        python = None if options.python is None else str(options.python)
        tried = tuple(run_self_test(python, show)) if options.is_self_test else ()
    findings = [*_about_jaxscope(), *_about_jax(report), *_about_window(), _about_graphviz()]
    print_found(
        options,
        lambda: _to_json(findings, report, tried),
        lambda: [*_tried_to_document(tried), *findings_to_document(findings)],
    )
    if isinstance(report, JaxscopeError):
        return report.exit_status
    return 0 if all(part.is_good for part in tried) else EnvironmentProblem.exit_status


def findings_to_document(findings: list[DoctorFinding]) -> list[Section]:
    """A table with one row for each finding."""
    signs = {True: "ok", False: "--", None: ""}
    rows = [(signs[each.is_good], each.name, each.text) for each in findings]
    missing = [each.name for each in findings if each.is_good is False]
    can = "can" if any(each.name == "worker" and each.is_good for each in findings) else "cannot"
    told = f"Not here: {', '.join(missing)}." if missing else "All that was looked at works."
    return [
        Section(blocks=[f"jaxscope {can} run calls of JAX here. {told}"]),
        Section(blocks=[Table(("", "", ""), rows)]),
    ]


def _tried_to_document(tried: Sequence[TestedPart]) -> list[Section]:
    if not tried:
        return []
    bad = [part.name for part in tried if not part.is_good]
    told = f"Of {len(tried)} parts these do not work: {', '.join(bad)}." if bad else ""
    rows = [("ok" if p.is_good else "--", p.name, f"{p.seconds:.1f} s", p.text) for p in tried]
    return [
        Section(blocks=[told or f"All {len(tried)} parts that were tried work."]),
        Section(blocks=[Table(("", "", "", ""), rows)]),
    ]


def _about_jaxscope() -> list[DoctorFinding]:
    python = f"{platform.python_version()} ({sys.executable})"
    packages = ", ".join(f"{name} {_version_of(name)}" for name in _PACKAGES)
    return [
        DoctorFinding("jaxscope", None, __version__),
        DoctorFinding(
            "system", None, f"{_system_name()}, {platform.machine()}, {os.cpu_count()} CPUs"
        ),
        DoctorFinding("Python", None, python),
        DoctorFinding("packages", None, packages),
    ]


def _about_jax(report: EnvironmentReport | JaxscopeError) -> list[DoctorFinding]:
    if isinstance(report, JaxscopeError):
        explanation = report.explanation
        return [DoctorFinding("worker", False, f"{explanation.what} {explanation.remedy}".strip())]
    findings = [
        DoctorFinding(
            "worker",
            True,
            f"JAX {report.jax}, jaxlib {report.jaxlib}, Python {report.python} "
            f"({report.executable}) on {report.host}",
        )
    ]
    findings += [
        DoctorFinding(f"device {device.platform}:{device.id}", True, device.kind)
        for device in report.devices
    ]
    findings += [
        DoctorFinding(f"target {target.target}", target.is_available, target.reason or "works")
        for target in report.targets
    ]
    return findings


def _about_window() -> list[DoctorFinding]:
    missing = find_missing_libraries()
    line = format_install_line(missing, (), is_root=is_root()) if missing else ""
    libraries = (
        DoctorFinding(
            "Qt's libraries", False, f"{', '.join(missing.sonames)} missing; type: {line}"
        )
        if missing
        else DoctorFinding("Qt's libraries", True, "all there")
    )
    display = find_display()
    if display:
        return [libraries, DoctorFinding("display", True, display)]
    return [libraries, DoctorFinding("display", False, "none: only commands without a window work")]


def _about_graphviz() -> DoctorFinding:
    program = shutil.which("dot")
    if program is None:
        return DoctorFinding(
            "Graphviz", None, "no dot on PATH; not needed, .dot files are written too"
        )
    try:
        answer = subprocess.run(
            [program, "-V"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return DoctorFinding("Graphviz", False, f"{program} does not start: {error}")
    return DoctorFinding("Graphviz", answer.returncode == 0, answer.stderr.strip() or program)


def _version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _system_name() -> str:
    if sys.platform == "win32":
        return platform.platform()
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.platform())
    except OSError:
        return platform.platform()


def _to_json(
    findings: list[DoctorFinding],
    report: EnvironmentReport | JaxscopeError,
    tried: Sequence[TestedPart],
) -> dict[str, Any]:
    environment = None if isinstance(report, JaxscopeError) else dataclasses.asdict(report)
    return {
        "format": "jaxscope.doctor",
        "version": 1,
        "findings": [dataclasses.asdict(finding) for finding in findings],
        "environment": environment,
        "self_test": [dataclasses.asdict(part) for part in tried],
    }
