"""The page of experiments: one tab for each.

Its tabs are made when they are first wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.theme import LIGHT, Theme

if TYPE_CHECKING:
    from jaxscope.ui.measure.experiment_page import ExperimentPage
    from jaxscope.ui.measure.profile_page import ProfilePage
    from jaxscope.ui.measure.recompilation_page import RecompilationPage
    from jaxscope.ui.measure.scaling_page import ScalingPage
    from jaxscope.ui.measure.versus_page import AgreementPage, VersusPage
    from jaxscope.ui.session.controller import Controller


class LabPage(QTabWidget):
    """Has its pages once they are wanted: a window that can take a call does not wait for them.

    Args:
        selection: What is clicked here goes there, and what is selected is marked here.

    Signals:
        colours_requested: The graphs are to be shown, coloured by measured time.
    """

    colours_requested = Signal()

    profile: ProfilePage
    scaling: ScalingPage
    recompilation: RecompilationPage
    versus: VersusPage
    agreement: AgreementPage

    def __init__(self, selection: SelectionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._pages: tuple[ExperimentPage, ...] = ()
        self._state, self._can_run = WindowState(), False
        self._theme = LIGHT
        self.setDocumentMode(True)
        self.setAccessibleName("Experiments")
        self.tabBar().setDrawBase(False)  # some styles draw it white on dark

    def fill(self, controller: Controller) -> None:
        """Make the pages, once; experiments are asked of the controller."""
        from jaxscope.ui.measure.profile_page import ProfilePage
        from jaxscope.ui.measure.recompilation_page import RecompilationPage
        from jaxscope.ui.measure.scaling_page import ScalingPage
        from jaxscope.ui.measure.versus_page import AgreementPage, VersusPage

        self.profile, self.scaling = ProfilePage(), ScalingPage()
        self.recompilation = RecompilationPage()
        self.versus, self.agreement = VersusPage(), AgreementPage()
        titled: tuple[tuple[str, ExperimentPage], ...] = (
            ("Where the time goes", self.profile),
            ("Size", self.scaling),
            ("Recompilation", self.recompilation),
            ("Two calls", self.versus),
            ("Agreement", self.agreement),
        )
        for title, page in titled:
            self.addTab(page, title)
            page.wanted.connect(controller.experiment)
        self.profile.colours_requested.connect(self.colours_requested)
        self.profile.node_chosen.connect(self._selection.select_node)
        self._selection.changed.connect(self.profile.show_links)
        self.profile.show_links(self._selection.links)
        self._pages = tuple(page for _, page in titled)
        self.set_theme(self._theme)
        self.show_state(self._state, can_run=self._can_run)

    def show_state(self, state: WindowState, *, can_run: bool) -> None:
        """Show what the experiments found, and whether another can start."""
        self._state, self._can_run = state, can_run
        if not self._pages:
            return
        self.profile.set_program(state.stages, state.files)
        self.scaling.propose(state.head.arguments if state.head is not None else ())
        for page in self._pages:
            page.set_runnable(can_run)
            page.show_lab(state.lab)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        for page in self._pages:
            page.set_theme(theme)
