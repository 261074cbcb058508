"""The timing lab: one page for each experiment, side by side as tabs."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from jaxscope.ui.pages.experiment import ExperimentPage
from jaxscope.ui.pages.profile import ProfilePage
from jaxscope.ui.pages.recompilation import RecompilationPage
from jaxscope.ui.pages.scaling import ScalingPage
from jaxscope.ui.pages.versus import AgreementPage, VersusPage
from jaxscope.ui.state import WindowState
from jaxscope.ui.theme import Theme


class LabPage(QTabWidget):
    """`experiment_requested` carries a request whose file and call are still to be added."""

    experiment_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile, self.scaling = ProfilePage(), ScalingPage()
        self.recompilation = RecompilationPage()
        self.versus, self.agreement = VersusPage(), AgreementPage()
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)  # some styles draw it white on dark
        for title, page in self._pages():
            self.addTab(page, title)
            page.wanted.connect(self.experiment_requested)

    def show_state(self, state: WindowState, *, can_run: bool) -> None:
        """Show what the experiments found, and whether another can start."""
        self.profile.set_program(state.stages, state.files)
        self.scaling.propose(state.head.arguments if state.head is not None else ())
        for _, page in self._pages():
            page.set_runnable(can_run)
            page.show_lab(state.lab)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        for _, page in self._pages():
            page.set_theme(theme)

    def _pages(self) -> tuple[tuple[str, ExperimentPage], ...]:
        return (
            ("Where the time goes", self.profile),
            ("Size", self.scaling),
            ("Recompilation", self.recompilation),
            ("Two calls", self.versus),
            ("Agreement", self.agreement),
        )
