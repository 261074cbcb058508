"""The samples as a path of lessons: their order, and their docstrings as what to look at, what to
predict and what to see. No Qt.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import itertools
import re
from collections.abc import Sequence
from pathlib import Path

_MAX_BYTES = 200_000
_MAX_SUMMARY_CHARACTERS = 120
_MAX_TITLE_CHARACTERS = 60
_PARTS = re.compile(r"^(Look at|Predict|Then see):\s*", re.MULTILINE)
_PICTURES = "pictures"
"""The folder of the samples' pictures, beside the samples; `docs/thumbnails.py` makes them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One part of the path.

    Attributes:
        title: A verb.
        question: What its samples answer.
        names: Of its samples, without the ending, the easiest first.
    """

    title: str
    question: str
    names: tuple[str, ...]


PATH: Sequence[Step] = (
    Step(
        "Trace",
        "What does JAX record of a function, and what does it forget?",
        (
            *("quick_start", "pure_and_impure", "counter", "print_debug", "dynamic_shapes"),
            *("random_keys", "pytrees", "control_flow"),
        ),
    ),
    Step(
        "Differentiate",
        "How is a derivative a program of its own?",
        ("value_and_grad", "higher_order", "custom_rules"),
    ),
    Step(
        "Vectorize",
        "How does a program for one become a program for many?",
        ("vmap_axes", "parallel_devices"),
    ),
    Step(
        "Compile",
        "What does XLA make of it, and what does that save?",
        (
            *("selu", "immutable_update", "optimizer_passes", "recompilation", "async_dispatch"),
            *("conv_norm_relu", "pallas_kernel"),
        ),
    ),
    Step(
        "Train",
        "What do whole training steps and models look like?",
        ("linear_regression", "flax_modules", "dropout_batchnorm", "xor_training", "transformer"),
    ),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Lesson:
    """What the docstring of a file teaches.

    Attributes:
        title: A few words.
        summary: What it is about, one sentence; may be empty.
        look: What to look at; empty where the docstring is not written as a lesson.
        predict: The question, before anything is run.
        see: The answer.
    """

    title: str
    summary: str = ""
    look: str = ""
    predict: str = ""
    see: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all three parts are there."""
        return bool(self.look and self.predict and self.see)


def find_samples() -> list[Path]:
    """The sample programs of this checkout or installation, in the order of the path."""
    folder = _find_folder()
    if folder is None:
        return []
    places = {name: place for place, name in enumerate(n for step in PATH for n in step.names)}
    files = sorted(folder.glob("*.py"))
    return sorted(files, key=lambda path: places.get(path.stem, len(places)))


def _find_folder() -> Path | None:
    """A checkout has `samples` beside the package; a wheel puts them below `share/jaxscope`."""
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "pyproject.toml").is_file() and (checkout / "samples").is_dir():
        return checkout / "samples"
    import importlib.metadata  # of ten modules, which a checkout does not need

    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("jaxscope") or ():
            if file.match("share/jaxscope/samples/*.py"):
                return Path(str(file.locate())).resolve().parent
    return None


def find_next(path: Path, samples: Sequence[Path]) -> Path | None:
    """The sample that follows one; None after the last, and where the file is no sample."""
    return dict(itertools.pairwise(samples)).get(path)


def step_of(path: Path) -> Step | None:
    """The part of the path that a sample belongs to."""
    return next((step for step in PATH if path.stem in step.names), None)


def find_picture(path: Path, theme: str) -> Path | None:
    """The small picture of a sample's graph in a theme; None where there is none."""
    picture = path.parent / _PICTURES / f"{path.stem}_{theme}.png"
    return picture if picture.is_file() else None


def read_lesson(path: Path) -> Lesson:
    """What a file teaches, by its docstring. The file is not run.

    Without such a docstring the file's name is the title.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            return Lesson(_name(path))
        doc = _docstring_of(path.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Lesson(_name(path))
    return parse_lesson(doc, _name(path))


def parse_lesson(doc: str, name: str) -> Lesson:
    """What a docstring teaches.

    Args:
        doc: Without indentation.
        name: The title where the first sentence has none.
    """
    first, *_ = _PARTS.split(doc, maxsplit=1)
    sentence = " ".join(first.split("\n\n", 1)[0].split()).partition(". ")[0]
    title, colon, summary = sentence.partition(": ")
    if not colon or len(title) > _MAX_TITLE_CHARACTERS:
        title, summary = name, sentence
    summary = summary[:1].upper() + summary[1 : _MAX_SUMMARY_CHARACTERS + 1]
    if summary and not summary.endswith((".", "?", "!")):
        summary += "."
    parts = _PARTS.split(doc)[1:]
    told = {
        head: " ".join(text.split()) for head, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return Lesson(
        title,
        summary,
        _sentence(told.get("Look at", "")),
        _sentence(told.get("Predict", "")),
        _sentence(told.get("Then see", "")),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name(path: Path) -> str:
    return path.stem.replace("_", " ").capitalize()


def _docstring_of(text: str) -> str:
    """A module's docstring; the program below an ordinary one is not parsed, which takes longer."""
    quotes = '"""'
    end = text.find(quotes, len(quotes))
    if text.startswith(quotes) and end > 0:
        return inspect.cleandoc(ast.literal_eval(text[: end + len(quotes)]))
    return ast.get_docstring(ast.parse(text)) or ""
