"""The samples as a path of lessons: their order, and where they are. No Qt."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from pathlib import Path

from jaxscope.late_dataclass import dataclass
from jaxscope.model.lessons import LESSON_ENDING, in_language, language_of

_PICTURES = "pictures"
"""The folder of the samples' pictures, beside the samples; `docs/thumbnails.py` makes them."""

_LESSONS = "lessons"


@dataclass(frozen=True, slots=True)
class PathStep:
    """A part of the path through the samples.

    Attributes:
        title: A verb.
        question: What its samples answer.
        names: Of its samples, without the ending, the easiest first.
    """

    title: str
    question: str
    names: tuple[str, ...]


PATH: Sequence[PathStep] = (
    PathStep(
        "Trace",
        "What does JAX record of a function, and what does it forget?",
        (
            *("quick_start", "pure_and_impure", "counter", "print_debug", "dynamic_shapes"),
            *("random_keys", "pytrees", "control_flow"),
        ),
    ),
    PathStep(
        "Differentiate",
        "How is a derivative a program of its own?",
        ("value_and_grad", "higher_order", "custom_rules"),
    ),
    PathStep(
        "Vectorize",
        "How does a program for one become a program for many?",
        ("vmap_axes", "parallel_devices"),
    ),
    PathStep(
        "Compile",
        "What does XLA make of it, and what does that save?",
        (
            *("selu", "immutable_update", "optimizer_passes", "recompilation", "async_dispatch"),
            *("conv_norm_relu", "pallas_kernel"),
        ),
    ),
    PathStep(
        "Train",
        "What do whole training steps and models look like?",
        ("linear_regression", "flax_modules", "dropout_batchnorm", "xor_training", "transformer"),
    ),
)


def find_samples() -> list[Path]:
    """The sample programs of this checkout or installation, in the order of the path."""
    folder = _find_folder()
    if folder is None:
        return []
    places = {name: place for place, name in enumerate(n for step in PATH for n in step.names)}
    files = sorted(folder.glob("*.py"))
    return sorted(files, key=lambda path: places.get(path.stem, len(places)))


def is_sample(path: str) -> bool:
    """Whether a file is one that comes with jaxscope; what counts is where links lead to."""
    folder = _find_folder()
    return folder is not None and Path(path).resolve().is_relative_to(folder.resolve())


def find_lessons(language: str) -> list[Path]:
    """The lessons of the course, in their order; in a language where they were translated."""
    folder = _find_folder()
    if folder is None:
        return []
    lessons = sorted((folder / _LESSONS).glob(f"*{LESSON_ENDING}"))
    return [in_language(each, language) for each in lessons if not language_of(each)]


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


def step_of(path: Path) -> PathStep | None:
    """The part of the path that a sample belongs to."""
    return next((step for step in PATH if path.stem in step.names), None)


def find_picture(path: Path, theme: str) -> Path | None:
    """The small picture of a sample's graph in a theme; None where there is none."""
    picture = path.parent / _PICTURES / f"{path.stem}_{theme}.png"
    return picture if picture.is_file() else None
