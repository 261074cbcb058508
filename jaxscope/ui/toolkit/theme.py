"""Light and dark theme: colours, type sizes, and the style sheet and palette made from them.

One table of colours per theme; everything else is derived. `ThemeSwitch` applies a theme to the
application and follows the system's setting until a person chooses one.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from string import Template

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from jaxscope.heap import without_collector
from jaxscope.late_dataclass import dataclass
from jaxscope.picture import palette
from jaxscope.picture.palette import DARK as DARK_GRAPH
from jaxscope.picture.palette import LIGHT as LIGHT_GRAPH
from jaxscope.ui.toolkit import theme

_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QDialog[role="palette"] { border: 1px solid $border; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[role="heading"] { font-size: ${heading}pt; font-weight: 600; }
QLabel[role="caption"] { padding: 6px 24px 10px 24px; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="label"] { color: $muted; font-weight: 600; }
QLabel[role="badge"] { background: $warning_soft; color: $warning; border-radius: 4px;
    padding: 1px 6px; font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; padding: 0 2px; }
QLabel[role="error"] { color: $error; font-weight: 600; }

QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton, QToolButton, QComboBox { background: $raised; color: $text;
    border: 1px solid $border; border-radius: 5px; padding: 4px 10px; }
QToolButton { padding: 4px 7px; }
QPushButton:hover, QToolButton:hover, QComboBox:hover { border-color: $accent; }
QPushButton:focus, QToolButton:focus, QComboBox:focus { border: 2px solid $accent; padding: 3px 9px;
    outline: none; }
QToolButton:focus { padding: 3px 6px; }
QPushButton:pressed, QToolButton:pressed { background: $accent_soft; }
QPushButton:checked, QToolButton:checked { background: $accent_soft; border-color: $accent;
    color: $text; }
QPushButton:disabled, QToolButton:disabled, QComboBox:disabled { color: $muted;
    background: $window; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent;
    font-weight: 600; padding: 5px 18px; }
QPushButton[role="primary"]:focus { border: 2px solid $text; padding: 4px 17px; }
QPushButton[role="primary"]:disabled { background: $window; color: $muted; border-color: $border; }
QPushButton[role="stop"] { background: $error_soft; color: $error; border-color: $error;
    font-weight: 600; padding: 5px 18px; }
QPushButton[role="link"] { background: transparent; border: none; color: $accent;
    padding: 2px 2px; text-align: left; text-decoration: underline; }
QToolButton[role="link"] { background: transparent; border: 1px solid transparent; color: $accent;
    padding: 2px 4px; font-weight: 600; }
QToolButton[role="link"]:hover, QToolButton[role="link"]:focus { border-color: $accent; }
QPushButton[role="link"]:focus { border: 2px solid $accent; padding: 0; }
QPushButton[role="row"] { background: transparent; border: 1px solid transparent; color: $accent;
    padding: 3px 4px; text-align: left; }
QPushButton[role="row"]:hover { text-decoration: underline; }
QPushButton[role="row"]:focus { border-color: $accent; padding: 3px 4px; }
QPushButton[role="sample"] { background: $surface; border: 1px solid $surface;
    border-radius: 8px; }
QPushButton[role="sample"]:hover { border-color: $accent; }
QPushButton[role="sample"]:focus { border: 2px solid $accent; }
QToolButton[role="compact"], QComboBox[role="compact"], QLineEdit[role="compact"] {
    background: transparent; border-color: transparent; padding: 2px 5px; }
QLineEdit[role="compact"] { background: $raised; }
QToolButton[role="compact"]:hover, QComboBox[role="compact"]:hover { background: $raised;
    border-color: $border; }
QToolButton[role="compact"]:checked { background: $accent_soft; border-color: $accent_soft; }
QToolButton[role="compact"]:disabled, QComboBox[role="compact"]:disabled {
    background: transparent; }
QToolButton[role="compact"]:focus, QComboBox[role="compact"]:focus,
QLineEdit[role="compact"]:focus { border-color: $accent; padding: 1px 4px; }
QComboBox { padding-right: 6px; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox QAbstractItemView { background: $surface; color: $text; border: 1px solid $border;
    outline: none;
    selection-background-color: $accent_soft; selection-color: $text; }
QScrollArea[role="page"], QTextBrowser[role="page"] { border: 1px solid transparent; }
QScrollArea[role="page"]:focus, QTextBrowser[role="page"]:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; width: 0; }

QLineEdit, QSpinBox { background: $surface; color: $text; border: 1px solid $border;
    border-radius: 5px; padding: 4px 8px; selection-background-color: $accent;
    selection-color: $on_accent; }
QLineEdit, QPlainTextEdit { placeholder-text-color: $muted; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; border: none; }
QLineEdit[problem="true"], QComboBox[problem="true"] { border-color: $error;
    background: $error_soft; }
QLineEdit:focus, QSpinBox:focus { border: 2px solid $accent; padding: 3px 7px; }

QMenu { background: $surface; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 4px 22px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px; }

QTabWidget::pane { border: none; border-radius: 8px; background: $surface; }
QTabBar::tab { background: transparent; color: $muted; padding: 5px 11px 4px 11px;
    border: none; border-bottom: 2px solid transparent; margin-bottom: 5px; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected:focus { background: $accent_soft; border-top-left-radius: 5px;
    border-top-right-radius: 5px; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::scroller { width: 48px; }
QTabBar QToolButton { padding: 0; border-radius: 3px; }
QToolButton[role="more"] { background: transparent; border-color: transparent; color: $muted;
    padding: 3px 10px; }
QToolButton[role="more"]:hover { color: $text; }
QToolButton[role="more"]:focus { border-color: $accent; padding: 2px 9px; }
QToolButton[role="place"] { background: transparent; color: $muted; border: none;
    border-top: 2px solid transparent; border-radius: 0; padding: 3px 8px 5px 8px; }
QToolButton[role="place"]:hover { color: $text; }
QToolButton[role="place"]:checked { color: $text; border-top-color: $accent; }
QToolButton[role="place"]:focus { background: $accent_soft; }
QStackedWidget[role="pages"], QStackedWidget[role="drawer"], QScrollArea[role="pages"],
QScrollArea[role="drawer"] { background: $surface; }
QScrollArea[role="drawer"] { border: none; border-top: 1px solid $border; }

QFrame[role="card"], QFrame[role="pane"] { background: $surface; border: 1px solid $surface;
    border-radius: 8px; }
QFrame[role="popup"] { background: $surface; border: 1px solid $border; border-radius: 6px; }
QFrame[role="pane"][active="true"] { border-color: $border; }
QFrame[role="pane"][active="true"][keyboard="true"] { border-color: $accent; }
QToolButton[role="step"] { background: transparent; border: 1px solid transparent; padding: 0;
    border-bottom: 2px solid transparent; border-radius: 3px; }
QToolButton[role="step"][aside="true"] QLabel { font-weight: normal; }
QToolButton[role="step"][condition="failed"] { background: $error_soft;
    border-color: $error_soft; }
QToolButton[role="step"][condition="running"] { background: $accent_soft;
    border-color: $accent_soft; }
QToolButton[role="step"][condition="waiting"], QToolButton[role="step"][condition="absent"] {
    background: transparent; border-color: transparent; }
QToolButton[role="step"][condition="waiting"] QLabel,
QToolButton[role="step"][condition="absent"] QLabel { color: $muted; }
QLabel[role="footnote"] { background: $warning_soft; padding: 4px 8px; border-radius: 4px; }
QToolButton[role="step"][condition="stale"] QLabel { color: $muted; font-style: italic;
    font-weight: normal; }
QToolButton[role="step"][shown="true"] { border-bottom: 2px solid $accent; }
QToolButton[role="step"][shown="true"][condition="failed"] { border-bottom-color: $error; }
QToolButton[role="step"]:hover, QToolButton[role="step"]:focus { border-color: $accent; }
QFrame[role="problem"] { background: $error_soft; border: none; border-left: 4px solid $error;
    border-radius: 2px; }
QFrame[role="problem"] QPushButton { background: transparent; border-color: transparent;
    color: $text; }
QFrame[role="problem"] QPushButton:hover { border-color: $error; }
QFrame[role="problem"] QPushButton:focus { border-color: $accent; }
QFrame[role="problem"] QPushButton[role="link"] { color: $accent; }
QFrame[role="problem"] QPushButton[role="link"]:disabled { color: $text; text-decoration: none; }
QFrame[role="notice"] { background: $warning_soft; border: none; border-left: 4px solid $warning;
    border-radius: 2px; }

QTreeView, QTableView, QListView, QPlainTextEdit, QTextBrowser { background: $surface;
    alternate-background-color: $raised; color: $text; border: none; gridline-color: $border;
    selection-background-color: $accent_soft; selection-color: $text; }
QTreeView::item, QListView::item { padding: 2px 4px; }
QDialog[role="palette"] QTreeView::item { padding: 2px 10px; }
QTableView::item { padding: 0 5px; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
    background: $accent_soft; color: $text; }
QListView[role="questions"] { border: 2px solid transparent; }
QListView[role="questions"]:focus { border-color: $accent; }
QListView[role="popup"] { border: 1px solid $border; padding: 2px; }
QTextBrowser[role="text"] { background: transparent; }
QListView[role="popup"]::item { padding: 3px 6px; }
QHeaderView::section { background: $surface; color: $muted; border: none;
    border-bottom: 1px solid $border; padding: 4px 8px; font-weight: 400; }
QHeaderView::section:hover { color: $text; background: $raised; }
QHeaderView { background: $surface; }
QTableCornerButton::section { background: $surface; border: none; }

QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $accent_soft; }
QScrollArea, QScrollArea > QWidget > QWidget[role="content"],
QWidget[role="content"] > QWidget[role="content"] { background: transparent; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; min-height: 24px;
    min-width: 24px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QFrame#lesson { background: $surface; border: none; }
QFrame#lesson > QScrollArea, QFrame#lesson > QScrollArea > QWidget > QWidget {
    background: $surface; }
QMainWindow::separator { width: 4px; background: $window; }
QProgressBar { background: $raised; border: 1px solid $border; border-radius: 4px;
    text-align: center; color: $text; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QCheckBox { color: $text; spacing: 6px; }
""")


def build_stylesheet(theme: Theme, points: float) -> str:
    """Fill the style sheet with a theme's colours and the type scale."""
    colours = {name: getattr(theme, name) for name in theme.__slots__}
    scale = {"title": f"{points * 1.7:.1f}", "heading": f"{points * 1.15:.1f}"}
    return _SHEET.substitute(**colours, **scale)


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme, as `#rrggbb`.

    Text on its ground reaches a contrast of at least 7:1 for `text` and 4.5:1 for `muted`.
    Forward and backward are blue and orange: no common kind of colour blindness mixes them up.
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
    keyword: str
    string: str
    number: str
    comment: str
    type: str
    symbol: str

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


_COLOURS = {
    "window": ("#eef1f5", "#0d0f12"),
    "surface": (LIGHT_GRAPH.background, DARK_GRAPH.background),
    "raised": ("#f3f5f8", "#23272e"),
    "border": ("#ccd3db", "#3a414b"),
    "text": ("#1b1f24", "#eceff4"),
    "muted": ("#4e5864", "#a9b3bf"),
    "accent": ("#0b57d0", "#8ab4f8"),
    "on_accent": ("#ffffff", "#0b1a33"),
    "accent_soft": ("#dbe7fd", "#25395c"),
    "selected": (LIGHT_GRAPH.selected, DARK_GRAPH.selected),
    "selected_soft": ("#ecdcfb", "#45305f"),
    "forward": (LIGHT_GRAPH.forward, DARK_GRAPH.forward),
    "forward_soft": ("#d6e6ff", "#233d66"),
    "backward": (LIGHT_GRAPH.backward, DARK_GRAPH.backward),
    "backward_soft": ("#ffe3cf", "#5c3517"),
    "error": ("#b3261e", "#ff9d94"),
    "error_soft": ("#fde7e5", "#4b211f"),
    "warning": ("#8a5300", "#f2c26b"),
    "warning_soft": ("#fdf0d5", "#443418"),
    **palette.CODE_COLOURS,
}
"""Of each colour the light one and the dark one."""

LIGHT = Theme("light", **{name: light for name, (light, _) in _COLOURS.items()})
DARK = Theme("dark", **{name: dark for name, (_, dark) in _COLOURS.items()})

_OUTLINE_PERCENT = 140
"""How much darker than its window the style's outlines are."""
MIN_POINTS, BASE_POINTS, MAX_POINTS = 7.0, 10.0, 48.0
FIXED_SHARE = 0.9
"""Letters of equal width are wider than others of their size, and look larger."""


class ThemeSwitch(QObject):
    """Holds the theme and the size of type, and dresses the application in them.

    No garbage is collected meanwhile. Qt styles one widget after the other of a list, and Python
    runs in between. One further on may be garbage that only the collector finds, such as a dialog
    that refers to itself: deleted then, it would end the process.

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

    @contextlib.contextmanager
    def dressed_last(self) -> Iterator[None]:
        """Put the style sheet on when all that is made inside has been made.

        Each time a widget is put into another, Qt styles all that is in it anew: a window with all
        of its pages is made in 0.7 s instead of 1.1 s.
        """
        with without_collector():
            self._application.setStyleSheet("")
        try:
            yield
        finally:
            with without_collector():
                self._application.setStyleSheet(build_stylesheet(self.theme, self._points))

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
        with without_collector():
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
    """The system's fixed-width font, as large as the ordinary one looks at a size."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if sys.platform == "win32":  # which names Courier New, for the sake of old programs
        font.setFamilies(["Cascadia Mono", "Consolas", *font.families()])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(points * FIXED_SHARE)
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


# Reloads colours and style sheet when their files are saved; for work on them.
#
# `./run dev --window` switches it on. A file that cannot be loaded leaves what is shown as it was,
# and its traceback goes to standard error.

_SETTLE_MS = 100
"""Editors write a file in several steps: it is read when none has followed for so long."""


class LiveTheme(QObject):
    """Watches the modules of the theme and applies them anew when one changes.

    Graphs keep the colours that they were drawn with; everything that follows the style sheet or
    `ThemeSwitch.changed` has the new ones.
    """

    def __init__(self, themes: theme.ThemeSwitch) -> None:
        super().__init__(themes)
        self._themes = themes
        self._files = [str(palette.__file__), str(theme.__file__)]
        self._watcher = QFileSystemWatcher(self._files, self)
        self._timer = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._watcher.fileChanged.connect(self._on_watcher_file_changed)
        self._timer.timeout.connect(self.reload)

    def reload(self) -> None:
        """Load the modules again and apply the theme of the same name."""
        # An editor that replaces a file leaves Qt watching the old one under the same name.
        self._watcher.removePaths(self._files)
        self._watcher.addPaths(self._files)
        name = self._themes.theme.name
        try:
            for module in (palette, theme):
                importlib.reload(module)
            self._themes.set_theme(theme.DARK if name == theme.DARK.name else theme.LIGHT)
        except Exception:  # whatever a half-written module raises
            traceback.print_exc(file=sys.stderr)

    def _on_watcher_file_changed(self, _path: str) -> None:
        self._timer.start()
