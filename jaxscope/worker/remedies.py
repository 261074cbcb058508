"""What to say to the faults that users of JAX meet: what it means, what to try, where to read on.

Faults that need a closer look come first; then the first row of the table that fits speaks.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from collections.abc import Callable

import jax

from jaxscope.worker.memory_limit import describe_memory_limit
from jaxscope.worker.remedy_table import TABLE, Remedy
from jaxscope.worker.tracebacks import walk_frames


def find_remedy(error: BaseException, text: str) -> Remedy | None:
    """The row of the table that speaks about an exception, or None."""
    names = frozenset(cls.__name__ for cls in type(error).__mro__)
    special = next((make(error, text) for test, make in _SPECIAL if test(error, text)), None)
    return special or next((row for row in TABLE if row.fits(names, text)), None)


def _exit_remedy(error: BaseException, _text: str) -> Remedy:
    code = getattr(error, "code", None)
    shown = "" if code is None else repr(code)[:200]
    return Remedy(
        (),
        "",
        f"The file called sys.exit({shown}).",
        'Put code that ends the program under `if __name__ == "__main__":`.',
    )


def _import_remedy(error: BaseException, _text: str) -> Remedy:
    name = getattr(error, "name", None)
    name = name if isinstance(name, str) and name else "the module"
    package = name.split(".")[0]
    return Remedy(
        (),
        "",
        f"The module {name} is not installed for {sys.executable}.",
        f"Install it there: {_install_command(package)}; or choose the interpreter "
        "of your project with --python.",
    )


_SAMPLE_LIBRARIES = frozenset({"flax", "optax", "equinox"})


def _install_command(package: str) -> str:
    """What to type so that this interpreter has a package."""
    starter = _find_starter()
    if starter and package in _SAMPLE_LIBRARIES:
        return f"{shlex.quote(starter)} samples --yes"
    if importlib.util.find_spec("pip") is None:  # as in the environments that uv makes
        return f"uv pip install --python {sys.executable} {package}"
    return f"{sys.executable} -m pip install {package}"


def _find_starter() -> str:
    """The `run` of the checkout that made this environment; empty if none did."""
    try:
        with open(os.path.join(sys.prefix, "jaxscope-stamp"), encoding="utf-8") as stamp:
            lines = stamp.read(10_000).splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    starter = os.path.join(lines[1], "run") if len(lines) > 1 else ""
    return starter if os.path.isfile(starter) else ""


def _import_name_remedy(_error: BaseException, text: str) -> Remedy:
    if "partially initialized module" in text:
        what = "Modules import each other, and one was asked for a name before it had it."
        return Remedy((), "", what, "Import the module instead of the name, or later.")
    return Remedy((), "", "An import failed.", "Does the installed version have that name?")


def _is_missing_relative(error: BaseException, _text: str) -> bool:
    name = getattr(error, "filename", None)
    is_missing = isinstance(error, FileNotFoundError) and isinstance(name, str)
    return is_missing and not os.path.isabs(str(name))


def _missing_file_remedy(error: BaseException, _text: str) -> Remedy:
    """Where a relative path was looked for, and where such a file is: beside the code, perhaps."""
    name, folder = str(getattr(error, "filename", "")), os.getcwd()
    what = f"There is no file {name} in {folder}, the working directory, where the code looks."
    frames = walk_frames(error.__traceback__)
    homes = dict.fromkeys(os.path.dirname(frame.file) for frame in reversed(frames))
    beside = next(
        (h for h in homes if os.path.isabs(h) and os.path.exists(os.path.join(h, name))), ""
    )
    if beside:
        remedy = (
            f"It is in {beside}: start jaxscope there (`cd {shlex.quote(beside)}`), or let the "
            "code open it by a path made from `__file__`."
        )
    else:
        remedy = "Start jaxscope in the folder that the code is meant to run in."
    return Remedy((), "", what, remedy)


_TOO_SMALL = (
    r"Used ([\d.]+[KMGT]) of ([\d.]+[KMGT]) hbm",
    r"\(([\d.]+[KMGT])\) exceeds available HBM \(([\d.]+[KMGT])\)",
)
"""How a TPU's compiler says that a program does not fit."""


def _exhausted_remedy(_error: BaseException, text: str) -> Remedy:
    for pattern in _TOO_SMALL:
        if (sizes := re.search(pattern, text, re.IGNORECASE)) is not None:
            needs, has = (f"{size[:-1]} {size[-1].upper()}iB" for size in sizes.groups())
            return Remedy(
                (),
                "",
                f"The program does not fit: it needs {needs} of the device's memory, it has {has}.",
                "Use smaller shapes, cut arrays over more devices, or take a target with more "
                "memory. `jaxscope targets` compares chips.",
            )
    found = re.search(r"allocat\w* (\d+) bytes", text)
    size = f" It asked for {_show_bytes(int(found.group(1)))}." if found else ""
    return Remedy(
        (),
        "",
        _join(f"XLA ran out of memory.{size}", describe_memory_limit()),
        "Use smaller shapes, or a target with more memory.",
    )


def _memory_remedy(_error: BaseException, _text: str) -> Remedy:
    return Remedy(
        (),
        "",
        _join("Python ran out of memory.", describe_memory_limit()),
        "Use smaller shapes, or raise the limit with `--memory`.",
    )


def _is_squeeze(_error: BaseException, text: str) -> bool:
    return _find_squeezed(text) is not None


def _find_squeezed(text: str) -> re.Match[str] | None:
    return re.search(r"cannot select an axis to squeeze out.*shape=\((\d+)", text)


def _squeeze_remedy(_error: BaseException, text: str) -> Remedy:
    """`pmap` on too few devices says only this, and so does the user's own `squeeze`."""
    found = _find_squeezed(text)
    size = found[1] if found else "N"
    return Remedy(
        (),
        "",
        "",
        f"Under `pmap`, each row of the mapped axis needs a device: `--target cpu:{size}` "
        "simulates them on the CPU. Elsewhere, squeeze only axes of size 1.",
    )


def _is_failure_under_limit(error: BaseException, text: str) -> bool:
    """XLA's own message blames whatever part of it could not allocate."""
    is_xlas = type(error).__name__ in ("JaxRuntimeError", "XlaRuntimeError")
    return is_xlas and text.startswith("INTERNAL") and describe_memory_limit() != ""


def _limit_remedy(_error: BaseException, _text: str) -> Remedy:
    what = f"XLA failed, perhaps for want of memory. {describe_memory_limit()}"
    return Remedy((), "", what, "Raise the limit, or use smaller shapes.")


def _is_missing_backend(error: BaseException, text: str) -> bool:
    """JAX asserts, without a word, that a platform which it was told to use has devices.

    Whose assertion it was is asked by trying again: JAX cuts its own frames off tracebacks.
    """
    if not isinstance(error, AssertionError) or text:
        return False
    try:
        jax.devices()
    except AssertionError:
        return True
    except Exception:  # another fault of the backend's, and so another row's
        return False
    return False


def _backend_remedy(_error: BaseException, _text: str) -> Remedy:
    return Remedy(
        (),
        "",
        describe_missing_backend(),
        "Install the plugin of that platform, or leave the choice to JAX; `jaxscope doctor` lists "
        "the targets that work here.",
    )


def describe_missing_backend() -> str:
    """One sentence on the platforms that JAX was told to use."""
    platforms = getattr(jax.config, "jax_platforms", None) or "a platform"
    return f"JAX was told to use {platforms}, and nothing that is installed here provides it."


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _show_bytes(size: int) -> str:
    units = ("B", "kB", "MB", "GB", "TB", "PB")
    power = min(max(len(str(size)) - 1, 0) // 3, len(units) - 1)
    return f"{size / 1000**power:.4g} {units[power]}"


_Test = Callable[[BaseException, str], bool]
_Make = Callable[[BaseException, str], Remedy]
_SPECIAL: tuple[tuple[_Test, _Make], ...] = (
    (lambda error, _text: isinstance(error, SystemExit), _exit_remedy),
    (lambda error, _text: isinstance(error, ModuleNotFoundError), _import_remedy),
    (lambda error, _text: isinstance(error, ImportError), _import_name_remedy),
    (_is_missing_relative, _missing_file_remedy),
    (lambda _error, text: "RESOURCE_EXHAUSTED" in text, _exhausted_remedy),
    (lambda error, _text: isinstance(error, MemoryError), _memory_remedy),
    (_is_squeeze, _squeeze_remedy),
    (_is_failure_under_limit, _limit_remedy),
    (_is_missing_backend, _backend_remedy),
)
