"""Build the viewer: a static page that opens `.jaxscope` files in a browser.

    python docs/viewer/build.py FOLDER

The folder can be put on any web host, and needs nothing but files there. What opens a capture is
jaxscope itself, in the browser: CPython and NumPy compiled to WebAssembly (Pyodide and
emscripten-forge), and the modules of this checkout that read a capture and write the exported page.
So the page is the exported one, byte for byte. The two foreign packages are loaded with `npm pack`,
in fixed versions that belong together and are checked against their hashes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import io
import os
import py_compile
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent

RUNTIME = "pyodide@0.24.1"
NUMPY = "@emscripten-forge/numpy@2.1.1-py311hc8e14bb-0"
INTEGRITY = {
    RUNTIME: "fkNolNwiv41E2KKCP2bgW+dwr95B+0KSC/WG9WCmlWM9"
    "MNFbRVX0rF9i4OikRM78bGeVUvLdVJw8jY17wxKoRQ==",
    NUMPY: "VPnSg+RuQC9zz0bnBzzI/maVyokubSgyKsfSqvszaLtl"
    "yRSY+LdtmAUpjZ9NlEpC3SWSYI30jWXY6hrTU1XirA==",
}
"""SHA-512 of what `npm pack` loads. NumPy is built with the Emscripten of that Pyodide: 3.1.45."""

PYTHON = (3, 11)
"""Of the runtime. Built under this version the modules are compiled: the viewer starts faster."""

PARTS = ("export", "model", "picture", "program", "report", "schema", "wire")
"""Packages of jaxscope that open a capture and write its page."""

_LEFT_OUT_OF_PYTHON = (
    *("ctypes/test", "curses", "dbm", "distutils", "ensurepip", "idlelib", "lib2to3"),
    *("multiprocessing", "pydoc_data", "sqlite3", "test", "tkinter", "turtledemo", "unittest"),
    *("venv", "wsgiref"),
)
_LEFT_OUT_OF_NUMPY = (
    *("distutils", "f2py", "random", "testing", "tests", "_pyinstaller"),
    *("_core/include", "_core/lib", "_core/tests", "fft/tests", "lib/tests", "linalg/tests", "ma"),
    *("matrixlib/tests", "polynomial", "typing/tests"),
)
_PAGE = "index.html"
_TITLE = "<title>jaxscope viewer</title>"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a new one, or one with an earlier build"
    )
    folder = parser.parse_args().folder
    try:
        build(folder)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        print(f"The viewer was not built: {error}", file=sys.stderr)
        return 3
    sizes = [path.stat().st_size for path in folder.iterdir()]
    print(
        f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB. Put it on any web host, or try"
    )
    print(f"it here: {Path(sys.executable).name} -m http.server --directory {folder}")
    return 0


def build(folder: Path) -> None:
    """Write the viewer into a folder, in place of an earlier build; other files there stay.

    Raises:
        OSError: npm is not there, or the folder cannot be written.
        ValueError: A package is missing, or is not the one that is expected, or the folder has
            files and no viewer.
        subprocess.SubprocessError: npm did not load a package.
    """
    page = folder / _PAGE
    is_ours = page.is_file() and _TITLE in page.read_text("utf-8", "replace")
    if folder.exists() and any(folder.iterdir()) and not is_ours:
        raise ValueError(f"{folder} holds other files; name a new folder.")
    with tempfile.TemporaryDirectory() as loaded:
        runtime = load_package(RUNTIME, Path(loaded))
        numpy = load_package(NUMPY, Path(loaded))
        files = {
            "pyodide.js": runtime["package/pyodide.js"],
            "pyodide.asm.js": runtime["package/pyodide.asm.js"],
            "pyodide.asm.wasm": runtime["package/pyodide.asm.wasm"],
            "pyodide-lock.json": runtime["package/pyodide-lock.json"],
            "python_stdlib.zip": pack(_python_modules(runtime["package/python_stdlib.zip"])),
            "packages.zip": pack({**_numpy_modules(numpy), **_own_modules()}),
            **{
                name: (HERE / name).read_bytes()
                for name in ("viewer.js", "viewer.css", "worker.js")
            },
            _PAGE: _page().encode(),
        }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def load_package(name: str, folder: Path) -> dict[str, bytes]:
    """The files of a package of npm, by their paths in it.

    Raises:
        OSError: npm is not there.
        ValueError: The hash is not that of `INTEGRITY`.
        subprocess.SubprocessError: npm did not load it.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm, which loads Pyodide and NumPy, is not installed.")
    command = [npm, "pack", "--silent", "--pack-destination", str(folder), name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=300)
    data = (folder / done.stdout.split()[-1]).read_bytes()
    found = base64.b64encode(hashlib.sha512(data).digest()).decode()
    if found != INTEGRITY[name]:
        raise ValueError(f"{name} is not the package that was tried: its SHA-512 is {found}.")
    return _untar(data)


def _untar(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = ((member, archive.extractfile(member)) for member in archive)
        return {member.name: file.read() for member, file in files if file is not None}


def _python_modules(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [each for each in archive.namelist() if not each.endswith("/")]
        return {name: archive.read(name) for name in names if not _is_in(name, _LEFT_OUT_OF_PYTHON)}


def _numpy_modules(package: dict[str, bytes]) -> dict[str, bytes]:
    (inner,) = (data for name, data in package.items() if name.endswith(".tar.gz"))
    start = "lib/python3.11/site-packages/"
    found = {
        name.removeprefix("./").removeprefix(start): data
        for name, data in _untar(inner).items()
        if name.removeprefix("./").startswith(start + "numpy/")
    }
    left_out = tuple(f"numpy/{each}" for each in _LEFT_OUT_OF_NUMPY)
    return {
        name: data
        for name, data in found.items()
        if name.endswith((".py", ".so")) and "tests" not in name and not _is_in(name, left_out)
    }


def _own_modules() -> dict[str, bytes]:
    """jaxscope, what it imports, and what is there for the viewer only."""
    found = {name: (HERE / name).read_bytes() for name in ("msgspec.py", "open_capture.py")}
    found["backtrace.so"] = _make_backtrace()
    package = CHECKOUT / "jaxscope"
    ours = [path for path in package.iterdir() if path.suffix == ".py"]
    ours += [path for part in PARTS for path in (package / part).rglob("*")]
    found |= {path.relative_to(CHECKOUT).as_posix(): path.read_bytes() for path in _kept(ours)}
    for name in ("pygments", "google.protobuf"):
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(f"{name}, which jaxscope needs, is not installed.")
        folder, start = Path(spec.submodule_search_locations[0]), name.replace(".", "/")
        for path in _kept(folder.rglob("*")):
            within = path.relative_to(folder).as_posix()
            is_lexer = within.startswith("lexers/") and path.stem not in _LEXERS
            if path.suffix == ".py" and not is_lexer:
                found[f"{start}/{within}"] = path.read_bytes()
    return found


_LEXERS = ("__init__", "_mapping", "python")
_NOT_NEEDED = (".pyi", ".ttf")  # the fonts are for PNG


def _kept(paths: Iterator[Path] | list[Path]) -> Iterator[Path]:
    for path in sorted(paths):
        if path.is_file() and path.suffix not in _NOT_NEEDED and "__pycache__" not in path.parts:
            yield path


def _is_in(name: str, folders: tuple[str, ...]) -> bool:
    return name.startswith(tuple(f"{folder}/" for folder in folders))


def pack(files: dict[str, bytes]) -> bytes:
    """A zip of them, with equal bytes for equal files; modules are compiled where possible."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            if name.endswith(".py") and sys.version_info[:2] == PYTHON:
                name, data = name + "c", _compile(name, data)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return out.getvalue()


def _compile(name: str, source: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder) / "module.py", Path(folder) / "module.pyc"
        path.write_bytes(source)
        py_compile.compile(
            os.fspath(path),
            os.fspath(made),
            dfile=name,
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        return made.read_bytes()


def _make_backtrace() -> bytes:
    """A library with one function: `int backtrace(void **, int)`, which returns 0.

    NumPy asks the C library for the callers of large sums, and Emscripten's has no such function.
    Told that nothing is known of its callers, NumPy adds without reusing an operand's memory.
    """
    nothing = b"\0\0\0\0"
    sections = (
        (0, b"\x08dylink.0" + bytes([1, len(nothing)]) + nothing),
        (1, bytes([1, 0x60, 2, 0x7F, 0x7F, 1, 0x7F])),  # a type: of two numbers one
        (3, bytes([1, 0])),  # a function of it
        (7, b"\x01\x09backtrace" + bytes([0, 0])),  # exported
        (10, bytes([1, 4, 0, 0x41, 0, 0x0B])),  # its code: i32.const 0, end
    )
    return b"\0asm\1\0\0\0" + b"".join(bytes([kind, len(body)]) + body for kind, body in sections)


def _page() -> str:
    """The page of the viewer, which allows the style and the script of the exported page too.

    What is shown within the page is held to its rules as well as to rules of its own.
    """
    sys.path.insert(0, str(CHECKOUT))
    from jaxscope.export.html import style_and_script

    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in style_and_script()
    ]
    page = (HERE / _PAGE).read_text(encoding="utf-8")
    return page.replace("{page-style}", hashes[0]).replace("{page-script}", hashes[1])


if __name__ == "__main__":
    raise SystemExit(main())
