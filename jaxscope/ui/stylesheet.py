"""The application's style sheet, made from a theme's colours and a size of type."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxscope.ui.theme import Theme

_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QDialog[role="palette"] { border: 1px solid $border; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[role="heading"] { font-size: ${heading}pt; font-weight: 600; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="label"] { color: $muted; font-weight: 600; }
QLabel[role="badge"] { background: $warning_soft; color: $warning; border-radius: 4px;
    padding: 1px 6px; font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; padding: 0 2px; }
QLabel[role="error"] { color: $error; font-weight: 600; }

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
QPushButton[role="primary"]:disabled { background: $window; color: $muted; border-color: $border; }
QPushButton[role="stop"] { background: $error_soft; color: $error; border-color: $error;
    font-weight: 600; padding: 5px 18px; }
QPushButton[role="link"] { background: transparent; border: none; color: $accent;
    padding: 2px 2px; text-align: left; text-decoration: underline; }
QPushButton[role="link"]:focus { border: 1px dotted $accent; padding: 1px; }
QPushButton[role="chip"] { border-radius: 10px; padding: 2px 10px; background: $surface;
    border-color: $surface; }
QPushButton[role="chip"]:hover { border-color: $accent; }
QPushButton[role="chip"]:focus { border-color: $accent; padding: 1px 9px; }
QPushButton[role="row"] { background: transparent; border: 1px solid transparent; color: $accent;
    padding: 3px 0; text-align: left; }
QPushButton[role="row"]:hover { text-decoration: underline; }
QPushButton[role="row"]:focus { border-color: $accent; padding: 3px 0; }
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
    selection-background-color: $accent_soft; selection-color: $text; }
QToolButton::menu-indicator { image: none; width: 0; }

QLineEdit, QSpinBox { background: $surface; color: $text; border: 1px solid $border;
    border-radius: 5px; padding: 4px 8px; selection-background-color: $accent;
    selection-color: $on_accent; }
QLineEdit, QPlainTextEdit { placeholder-text-color: $muted; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; border: none; }
QLineEdit[problem="true"] { border-color: $error; background: $error_soft; }
QLineEdit:focus, QSpinBox:focus { border: 2px solid $accent; padding: 3px 7px; }

QMenu { background: $surface; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 4px 22px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px; }
QMenuBar { background: $window; color: $text; }
QMenuBar::item { padding: 3px 9px; background: transparent; }
QMenuBar::item:selected { background: $accent_soft; border-radius: 4px; }

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
QWidget[role="ground"] { background: $window; }

QFrame[role="card"], QFrame[role="pane"] { background: $surface; border: 1px solid $surface;
    border-radius: 8px; }
QFrame[role="pane"][active="true"] { border-color: $accent; }
QFrame[role="step"] { background: $surface; border: 1px solid $surface;
    border-bottom: 3px solid $surface; border-radius: 6px; }
QFrame[role="step"][aside="true"] { background: transparent; border: 1px dashed $muted;
    border-bottom: 3px solid transparent; }
QFrame[role="step"][condition="failed"] { background: $error_soft; border-color: $error_soft; }
QFrame[role="step"][condition="running"] { background: $accent_soft; border-color: $accent_soft; }
QFrame[role="step"][condition="waiting"], QFrame[role="step"][condition="absent"] {
    background: transparent; border-color: transparent; }
QFrame[role="step"][condition="waiting"] QLabel, QFrame[role="step"][condition="absent"] QLabel {
    color: $muted; }
QLabel[role="footnote"] { background: $warning_soft; padding: 4px 8px; border-radius: 4px; }
QFrame[role="step"][condition="stale"] QLabel { color: $muted; }
QFrame[role="step"][shown="true"] { border-bottom-color: $accent;
    border-bottom-left-radius: 1px; border-bottom-right-radius: 1px; }
QFrame[role="step"][shown="true"][condition="failed"] { border-bottom-color: $error; }
QFrame[role="step"]:hover, QFrame[role="step"]:focus { border-color: $accent; }
QFrame[role="problem"] { background: $error_soft; border: none; border-left: 4px solid $error;
    border-radius: 2px; }
QFrame[role="problem"] QPushButton { background: transparent; border-color: transparent;
    color: $text; }
QFrame[role="problem"] QPushButton:hover { border-color: $error; }
QFrame[role="problem"] QPushButton:focus { border-color: $accent; }
QFrame[role="problem"] QPushButton[role="link"] { color: $accent; }
QFrame[role="notice"] { background: $warning_soft; border: none; border-left: 4px solid $warning;
    border-radius: 2px; }

QTreeView, QTableView, QListView, QPlainTextEdit, QTextBrowser { background: $surface;
    alternate-background-color: $raised; color: $text; border: none; gridline-color: $border;
    selection-background-color: $accent_soft; selection-color: $text; }
QTreeView::item, QListView::item { padding: 2px 4px; }
QTableView::item { padding: 0 5px; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
    background: $accent_soft; color: $text; }
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
QStatusBar { background: $window; color: $muted; padding: 0 8px; }
QStatusBar QLabel { color: $muted; padding: 2px 6px; }
QStatusBar::item { border: none; }
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
