"""Makes the pictures of README and `docs/` anew: `python docs/make_pictures.py [NAME …]`, in
about a minute.

Every picture is a real window with a real capture, drawn off screen. The times in one of them are
measured, so it is to be made on a machine that does nothing else.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable

from PySide6.QtWidgets import QApplication
from taking import (
    ROOT,
    open_window,
    run_call,
    save_themes,
    select_node,
    settle,
    show_page,
    start_application,
    wait,
)

from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow

FOLDER = ROOT / "docs" / "pictures"
PERCEPTRON = "grad(loss)(init(key(0)), f32[64, 8], f32[64])"

Act = Callable[[QApplication, MainWindow], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """One picture.

    Attributes:
        file: The program, by its path in the repository.
        call: What to run of it.
        act: What to do before the picture is taken.
        size: Of the window, in pixels.
    """

    file: str
    call: str
    act: Act
    size: tuple[int, int] = (1440, 810)


def _select(part: str) -> Act:
    """Select the first fusion whose name contains something."""

    def act(application: QApplication, window: MainWindow) -> None:
        select_node(application, window, "fusion", part)

    return act


def _measure(application: QApplication, window: MainWindow) -> None:
    window.pages["timing"].measure()
    wait(application, lambda: bool(window.controller.state.timing.ratios))
    wait(application, lambda: window.controller.state.phase is Phase.DONE)
    settle(application, window)


def _show_memory(application: QApplication, window: MainWindow) -> None:
    show_page(application, window, "Memory")


def _compare(call: str) -> Act:
    def act(application: QApplication, window: MainWindow) -> None:
        page = window.pages["compare"]
        show_page(application, window, "Compare")
        page.comparing.compare_with_call(call, target="cpu", python=None)
        wait(application, lambda: page.view is not None and page.view.isVisible())
        wait(application, lambda: page.view.comparison is not None)
        for _ in range(3):  # its graphs are laid out beside the window's
            settle(application, window)

    return act


PICTURES = {
    "quick_start": Picture(
        "samples/quick_start.py",
        "grad(simple_graph)(f32[1000])",
        _select("multiply"),
        (1600, 900),
    ),
    "transformer": Picture(
        "samples/transformer.py",
        "grad(loss)(init(key(0)), tokens(key(1)))",
        _select("gather"),
        (1600, 900),
    ),
    "compare": Picture(
        "samples/vmap_axes.py",
        "vmap(layer, in_axes=(0, None, None))(f32[4, 8], f32[4, 8], f32[4])",
        _compare("layer_loop(f32[4, 8], f32[4, 8], f32[4])"),
    ),
    "timing": Picture("docs/programs/mlp.py", PERCEPTRON, _measure, size=(1440, 1000)),
    "memory": Picture("samples/transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))",
                      _show_memory),
}  # fmt: skip


def main() -> None:
    """Make the named pictures, or all."""
    application = start_application()
    for name in sys.argv[1:] or PICTURES:
        picture = PICTURES[name]
        with open_window(application, picture.size) as window:
            run_call(application, window, picture.file, picture.call)
            picture.act(application, window)
            save_themes(application, window, FOLDER, name)


if __name__ == "__main__":
    main()
