"""Colours, type sizes and the style sheet: one table per theme, everything else derived."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from jaxscope.analysis.view.palette import DARK as DARK_GRAPH
from jaxscope.analysis.view.palette import LIGHT as LIGHT_GRAPH
from jaxscope.ui.stylesheet import build_stylesheet


@dataclasses.dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme, as `#rrggbb`.

    Text on its ground reaches a contrast of at least 7:1 for `text` and 4.5:1 for `muted`.
    Forward and backward are blue and orange, which all common kinds of colour blindness tell apart.
    """

    name: str
    window: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    selected: str
    selected_soft: str
    forward: str
    forward_soft: str
    backward: str
    backward_soft: str
    error: str
    error_soft: str
    warning: str
    warning_soft: str
    good: str
    keyword: str
    string: str
    number: str
    comment: str
    type: str
    symbol: str

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    window="#eef1f5",
    surface=LIGHT_GRAPH.background,
    raised="#f3f5f8",
    border="#ccd3db",
    text="#1b1f24",
    muted="#4e5864",
    accent="#0b57d0",
    on_accent="#ffffff",
    accent_soft="#dbe7fd",
    selected=LIGHT_GRAPH.selected,
    selected_soft="#ecdcfb",
    forward=LIGHT_GRAPH.forward,
    forward_soft="#d6e6ff",
    backward=LIGHT_GRAPH.backward,
    backward_soft="#ffe3cf",
    error="#b3261e",
    error_soft="#fde7e5",
    warning="#8a5300",
    warning_soft="#fdf0d5",
    good="#146c2e",
    keyword="#7a28cb",
    string="#0a6640",
    number="#0b57d0",
    comment="#5b6570",
    type="#9a3412",
    symbol="#1b1f24",
)

DARK = Theme(
    name="dark",
    window="#0d0f12",
    surface=DARK_GRAPH.background,
    raised="#23272e",
    border="#3a414b",
    text="#eceff4",
    muted="#a9b3bf",
    accent="#8ab4f8",
    on_accent="#0b1a33",
    accent_soft="#25395c",
    selected=DARK_GRAPH.selected,
    selected_soft="#45305f",
    forward=DARK_GRAPH.forward,
    forward_soft="#233d66",
    backward=DARK_GRAPH.backward,
    backward_soft="#5c3517",
    error="#ff9d94",
    error_soft="#4b211f",
    warning="#f2c26b",
    warning_soft="#443418",
    good="#7ddc93",
    keyword="#d2a8ff",
    string="#8ddb9b",
    number="#8ab4f8",
    comment="#a3adb8",
    type="#ffb077",
    symbol="#eceff4",
)

_OUTLINE_PERCENT = 140
"""How much darker than its window the style's outlines are."""
MIN_POINTS, BASE_POINTS, MAX_POINTS = 7.0, 10.0, 24.0


class ThemeSwitch(QObject):
    """Holds the theme and the size of type, and dresses the application in them.

    `changed` carries the new `Theme`, also when only the size of type changed.
    """

    changed = Signal(object)

    def __init__(self, application: QApplication, theme: Theme | None = None) -> None:
        super().__init__(application)
        self._application = application
        self._points = BASE_POINTS
        self._follows_system = theme is None
        self.theme = theme or _system_theme()
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_hints_color_scheme_changed)
        self._dress()

    @property
    def points(self) -> float:
        """Size of the ordinary type, in points."""
        return self._points

    def toggle(self) -> None:
        """Change between light and dark; the system is not followed from then on."""
        self._follows_system = False
        self.set_theme(LIGHT if self.theme.is_dark else DARK)

    def set_theme(self, theme: Theme) -> None:
        """Dress the application in a theme."""
        self.theme = theme
        self._dress()

    def zoom(self, steps: int) -> None:
        """Make all type larger or smaller by points."""
        self.set_points(self._points + steps)

    def set_points(self, points: float) -> None:
        """Set the size of the ordinary type, kept within legible bounds."""
        points = min(max(points, MIN_POINTS), MAX_POINTS)
        if points != self._points:
            self._points = points
            self._dress()

    def reset_zoom(self) -> None:
        """Go back to the ordinary size of type."""
        self.set_points(BASE_POINTS)

    def _dress(self) -> None:
        # Undressed first: Qt takes three times as long to go from one sheet to another.
        self._application.setStyleSheet("")
        font = QFont(self._application.font())
        font.setPointSizeF(self._points)
        self._application.setFont(font)
        self._application.setPalette(_palette(self.theme))
        ticks = _palette_of_ticks(self.theme)
        # PySide's stub says bytes, and its function takes nothing but str.
        self._application.setPalette(ticks, "QCheckBox")  # type: ignore[arg-type]
        self._application.setStyleSheet(build_stylesheet(self.theme, self._points))
        self.changed.emit(self.theme)

    def _on_hints_color_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self._follows_system:
            self.set_theme(_system_theme())


def fixed_font(points: float) -> QFont:
    """The system's fixed-width font at a size."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(points)
    return font


def _system_theme() -> Theme:
    scheme = QGuiApplication.styleHints().colorScheme()
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


def _palette_of_ticks(theme: Theme) -> QPalette:
    """The style outlines boxes in a darker shade of their window: black on black in the dark."""
    palette = _palette(theme)
    palette.setColor(QPalette.ColorRole.Window, QColor(theme.muted).lighter(_OUTLINE_PERCENT))
    return palette


def _palette(theme: Theme) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.surface,
        QPalette.ColorRole.AlternateBase: theme.raised,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.on_accent,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.Mid: theme.border,
    }
    palette = QPalette()
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.ButtonText, QPalette.ColorRole.Text):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return palette
