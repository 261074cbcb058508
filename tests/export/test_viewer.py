"""The viewer: its page is the exported one byte for byte, and it takes and refuses what we do.

What opens a capture in the browser is the same code, but beside it stand another processor of 32
bits, another NumPy, and a module of our own in place of msgspec. So the module is compared with
msgspec here, and the whole with what is exported.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import gzip
import http.server
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import jax
import jax.numpy as jnp
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jaxscope
from jaxscope.export.html import capture_to_html
from jaxscope.model import Capture
from jaxscope.schema.archive import load_capture, save_capture
from tests.archive.test_archive import edit_manifest, rewrite

from .browser import Browser

VIEWER = Path(__file__).parents[2] / "docs" / "viewer"


def _load(name: str) -> types.ModuleType:
    """A module of the viewer under a name that is no one else's."""
    spec = importlib.util.spec_from_file_location(f"viewer_{name}", VIEWER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


plain = _load("msgspec")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.5
    label: str | None = None


def _kinds(module: Any) -> dict[str, Any]:
    """The same types, each described with a module's own `Meta` and `Struct`."""

    def struct(name: str, *fields: Any, **options: Any) -> Any:
        return module.defstruct(name, fields, frozen=True, **options)

    at_least = Annotated[int, module.Meta(ge=0, lt=10)]
    renamed = ("count", int | module.UnsetType, module.field(default=module.UNSET, name="num"))
    cat = struct("Cat", ("lives", int), tag_field="kind", tag="Cat", kw_only=True)
    dog = struct("Dog", ("name", str), tag_field="kind", tag="Dog", kw_only=True)
    return {
        "int": int,
        "float": float,
        "bool": bool,
        "text or none": str | None,
        "number or infinity": float | Literal["inf", "-inf"] | None,
        "limited": at_least,
        "limited list": Annotated[tuple[at_least, ...], module.Meta(max_length=2)],
        "whole float": Annotated[float, module.Meta(ge=0, multiple_of=1)],
        "pattern": Annotated[str, module.Meta(pattern="^[a-z]{2}$")],
        "pair": tuple[str, int],
        "mapping": dict[str, list[int]],
        "limited keys": dict[Annotated[str, module.Meta(max_length=3)], int],
        "anything": list[Any],
        "enum": Colour,
        "dataclass": Point,
        "dataclasses": dict[str, Point | None],
        "struct": struct("Fields", ("name", str), renamed),
        "strict": struct("Strict", ("name", str, ""), forbid_unknown_fields=True),
        "row": struct("Row", ("a", int), ("b", str), array_like=True, forbid_unknown_fields=True),
        "tagged": cat | dog,
        "tagged or list": list[cat | dog | None],
    }


REAL, PLAIN = _kinds(msgspec), _kinds(plain)

_words = st.sampled_from(["", "a", "ab", "red", "inf", "Cat", "Dog", "7", "name", "kind", "num"])
_leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.sampled_from([0.5, 1.0, -2.0]), _words
)
_keys = st.sampled_from(["name", "num", "x", "y", "label", "kind", "lives", "7", "a"])
_values = st.recursive(
    _leaves, lambda each: st.lists(each, max_size=3) | st.dictionaries(_keys, each, max_size=3)
)


def _to_text(value: Any) -> Any:
    """A value without its classes, which differ between the modules."""
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(_to_text, value)]
    if isinstance(value, dict):
        return {repr(key): _to_text(each) for key, each in value.items()}
    if isinstance(value, msgspec.Struct):
        return [
            type(value).__name__,
            [_to_text(getattr(value, f)) for f in value.__struct_fields__],
        ]
    if isinstance(value, plain.Struct):
        return [
            type(value).__name__,
            [_to_text(getattr(value, f)) for f in value.__struct_fields__],
        ]
    return "UNSET" if value in (msgspec.UNSET, plain.UNSET) else repr(value)


def _read(module: Any, kind: Any, value: Any, *, is_json: bool) -> Any:
    try:
        if is_json:
            return _to_text(module.json.decode(json.dumps(value).encode(), type=kind))
        return _to_text(module.convert(value, kind))
    except module.ValidationError:
        return "refused"


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("is_json", [False, True], ids=["convert", "json"])
@settings(max_examples=60, deadline=None)
@given(value=_values)
def test_types_are_read_and_refused_as_msgspec_does(name: str, is_json: bool, value: Any) -> None:
    ours = _read(plain, PLAIN[name], value, is_json=is_json)
    assert ours == _read(msgspec, REAL[name], value, is_json=is_json)


@pytest.mark.parametrize("data", [b"", b"{", b"[1,]", b"NaN", b"\xff", b"1 2", b'"\\x"'])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    for module in (msgspec, plain):
        with pytest.raises(module.DecodeError):
            module.json.decode(data)
    assert issubclass(plain.DecodeError, ValueError)


@given(value=_values)
@settings(deadline=None)
def test_json_is_written_as_msgspec_writes_it(value: Any) -> None:
    made = [value, Colour.RED, Point(1), (2,), {3: float("nan")}]
    assert plain.json.encode(made) == msgspec.json.encode(made)
    assert plain.to_builtins(made[:4]) == json.loads(msgspec.json.encode(made[:4]))


def _setting(key: str, value: Any) -> Any:
    return lambda manifest: manifest.update({key: value})


_OPEN = """
import sys
sys.path.insert(0, sys.argv[1])
import msgspec
assert msgspec.__file__.startswith(sys.argv[1])
from jaxscope.errors import JaxscopeError
from jaxscope.export.html import capture_to_html
from jaxscope.schema.archive import load_capture
for path in sys.argv[2:]:
    try:
        page = capture_to_html(load_capture(path))
    except JaxscopeError:
        page = "refused"
    with open(path + ".html", "w", encoding="utf-8", newline="") as file:
        file.write(page)
"""


@pytest.mark.slow
def test_captures_are_opened_and_refused_as_with_msgspec(
    capture: Capture, hostile: Capture, tmp_path: Path
) -> None:
    saved, unusual = tmp_path / "saved.jaxscope", tmp_path / "hostile.jaxscope"
    save_capture(capture, saved)
    save_capture(hostile, unusual)
    wrong = {"call": 3, "arguments": {}, "stages": None, "source": [], "target": None}
    damaged = [
        rewrite(saved, tmp_path / f"no-{key}.jaxscope", edit_manifest(_setting(key, value)))
        for key, value in wrong.items()
    ]
    files = [saved, unusual, *damaged]
    subprocess.run(
        [sys.executable, "-c", _OPEN, str(VIEWER), *map(str, files)],
        check=True,
        cwd=VIEWER.parents[1],
    )
    pages = [Path(f"{file}.html").read_bytes().decode() for file in files]
    assert pages[:2] == [capture_to_html(load_capture(file)) for file in files[:2]]
    assert pages[2:] == ["refused"] * len(damaged)


def _pack_nothing(*_: object) -> dict[str, bytes]:
    """Packages of npm without any module."""
    stdlib, numpy = io.BytesIO(), io.BytesIO()
    zipfile.ZipFile(stdlib, "w").close()
    tarfile.open(fileobj=numpy, mode="w:gz").close()
    names = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide-lock.json")
    files = {f"package/{name}": b"" for name in names}
    archives = {"python_stdlib.zip": stdlib.getvalue(), "numpy.tar.gz": numpy.getvalue()}
    return files | {f"package/{name}": data for name, data in archives.items()}


@pytest.mark.slow
def test_what_lies_beside_the_viewer_stays_when_it_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = _load("build")
    monkeypatch.setattr(build, "load_package", _pack_nothing)
    folder = tmp_path / "site"
    build.build(folder)
    (folder / "mine.jaxscope").write_bytes(b"mine")
    (folder / "viewer.css").write_bytes(b"of an earlier release")
    build.build(folder)
    assert (folder / "mine.jaxscope").read_bytes() == b"mine"
    assert (folder / "viewer.css").read_bytes() == (VIEWER / "viewer.css").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    (other / "worker.js").write_bytes(b"of another project")
    with pytest.raises(ValueError, match="other files"):
        build.build(other)
    assert (other / "worker.js").read_bytes() == b"of another project"


@pytest.fixture(scope="module")
def large() -> Capture:
    """More nodes than are drawn at once, in groups that repeat."""

    def line(x: jax.Array) -> jax.Array:
        for _ in range(400):
            x = jnp.sin(x) * 1.5 + x
        return x

    return jaxscope.capture(line, jnp.ones(8))


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, capture: Capture, large: Capture
) -> Iterator[str]:
    """Where the viewer is served, with captures beside it."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which loads Pyodide for the viewer")
    folder = tmp_path_factory.mktemp("viewer") / "site"
    try:
        _load("build").build(folder)
    except subprocess.SubprocessError:
        pytest.skip("needs a registry of npm to load Pyodide from")
    save_capture(capture, folder / "update.jaxscope")
    save_capture(large, folder / "large.jaxscope")
    (folder / "of a").mkdir()
    save_capture(capture, folder / "of a" / "100% done.jaxscope")
    (folder / "broken.jaxscope").write_bytes(b"PK\3\4 and nothing else")

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _take(name: str) -> str:
    """What the viewer does with a file that is dropped."""
    return f"take('{name}', () => fetch('{name}').then((answer) => answer.arrayBuffer()))"


_KEEP_PAGES = """
window.pages = [];
worker.addEventListener("message", ({ data: told }) => {
  if (told.page) told.page.text().then((text) => { window.pages.push(text); });
})
"""


_CLICK_IN_PAGES = """
worker.addEventListener("message", ({ data: told }) => {
  if (told.page) setTimeout(() => document.getElementById("page").focus());
})
"""


def _open_and_keep(browser: Browser, address: str, name: str, count: int) -> list[str]:
    """The pages that the viewer makes of a file."""
    browser.open(f"{address}/index.html")
    browser.evaluate(_KEEP_PAGES)
    browser.evaluate(_take(name))
    browser.wait_for(f"pages.length === {count}")
    assert browser.evaluate("document.body.dataset.state") == "open"
    assert all(each.startswith(f"asked for {address}/") for each in browser.problems())
    return list(browser.evaluate("pages"))


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_in_a_browser_is_the_exported_one(
    browser: Browser, address: str, capture: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "update.jaxscope"
    save_capture(capture, path)
    exported = capture_to_html(load_capture(path))
    assert _open_and_keep(browser, address, "update.jaxscope", 1) == [exported]
    assert browser.evaluate("document.getElementById('save').download") == "update.html"
    browser.open(f"{address}/index.html?file=of%20a/100%25%20done.jaxscope")
    browser.wait_for("document.body.dataset.state === 'open'")
    assert browser.evaluate("document.getElementById('name').textContent") == "100% done.jaxscope"


def _unpack(page: str) -> str:
    """What a large page has packed."""
    (packed,) = re.findall(r'id="packed">([^<]+)<', page)
    return gzip.decompress(base64.b64decode(packed)).decode()


@pytest.mark.slow
@pytest.mark.browser
def test_of_a_large_capture_closed_groups_come_first(
    browser: Browser, address: str, large: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "large.jaxscope"
    save_capture(large, path)
    folded, whole = _open_and_keep(browser, address, "large.jaxscope", 2)
    assert whole == capture_to_html(load_capture(path))
    assert 'id="unfolded-0"' in _unpack(whole)
    assert 'id="unfolded-' not in _unpack(folded)
    assert 'id="drawing-0"' in _unpack(folded)
    browser.wait_for("document.getElementById('more').textContent === ''")
    assert browser.evaluate("document.getElementById('unfold').hidden")
    # Whoever has clicked in the first page is asked before the other takes its place.
    browser.evaluate(_CLICK_IN_PAGES)
    browser.evaluate(_take("large.jaxscope"))
    browser.wait_for("!document.getElementById('unfold').hidden")
    browser.click("#unfold")
    browser.wait_for("document.getElementById('unfold').hidden")


@pytest.mark.slow
@pytest.mark.browser
def test_a_file_that_is_none_is_explained_and_another_can_be_opened(
    browser: Browser, address: str
) -> None:
    said = "document.getElementById('said').textContent"
    browser.open(f"{address}/index.html?file=broken.jaxscope")
    browser.wait_for(f"{said}.startsWith('broken.jaxscope cannot be opened as a capture.\\n')")
    assert browser.evaluate(said).endswith("was copied completely.")
    browser.open(f"{address}/index.html?file=gone.jaxscope")
    browser.wait_for(f"{said}.startsWith('gone.jaxscope could not be read.\\n404')")
    browser.evaluate(_take("update.jaxscope"))
    browser.wait_for("document.body.dataset.state === 'open'")
