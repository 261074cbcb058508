"""The language of the interface.

English texts stand in the code and are what Qt's translation files translate. `tr` gives a text in
the language that is shown now. It also remembers how the text came about, so that
`LanguageSwitch` can give every part of the window its text anew: no part needs a method for this.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from importlib import resources

from PySide6.QtCore import (
    QCoreApplication,
    QLibraryInfo,
    QLocale,
    QObject,
    QTranslator,
    Signal,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from jaxscope.model.units import format_count

CONTEXT = "jaxscope"
"""Qt's translation files sort texts by context; ours are all in one."""

_MAX_MADE = 8_192
_BETWEEN = re.compile(r"(\n| · |\t|  | \(\d[\d,]*\)$| ›$| ▾$)")
"""What parts of a text are joined with, each of which may have been translated by itself."""


class Language(StrEnum):
    """What the interface can be shown in; the value is the name of Qt's locale."""

    SYSTEM = ""
    ENGLISH = "en"
    CHINESE = "zh_CN"

    @property
    def own_name(self) -> str:
        """Its name in itself."""
        names = {Language.ENGLISH: "English", Language.CHINESE: "简体中文"}
        return names.get(self) or tr("As the system")


_sources: dict[str, str] = {}
_made: dict[str, tuple[str, dict[str, object]]] = {}
"""Texts that are shown, and what of: a source, and the values that were put into it."""


def tr(source: str, /, **values: object) -> str:
    """A text in the language that is shown.

    Args:
        source: The text in English, a literal or a constant of the module. It may have fields as
            in `str.format`.
        values: What is put into the fields.
    """
    text = QCoreApplication.translate(CONTEXT, source)
    if not values:
        _sources[text] = source
        return text
    text = text.format(**values)
    if len(_made) > _MAX_MADE:
        _made.clear()
    _made[text] = source, values
    return text


def tr_count(count: int, noun: str) -> str:
    """A number of things, such as `3 nodes`; the noun is a literal in the singular."""
    source = "{count:,} " + noun
    if is_english():
        text = format_count(count, noun)
        _made[text] = source, {"count": count, "noun": noun}
        return text
    return tr(source, count=count, noun=noun)


def is_english() -> bool:
    """Whether texts are shown as they stand in the code."""
    return QCoreApplication.translate(CONTEXT, _PROBE) == _PROBE


_PROBE = "As the system"


def renew(text: str) -> str:
    """What a text that was shown before is in the language that is shown now."""
    if (source := _sources.get(text)) is not None:
        return tr(source)
    if (made := _made.get(text)) is not None:
        source, values = made
        new = {name: renew(v) if isinstance(v, str) else v for name, v in values.items()}
        if "noun" in values and source == "{count:,} " + str(values["noun"]):
            count = values["count"]
            assert isinstance(count, int)
            return tr_count(count, str(values["noun"]))
        return tr(source, **new)
    parts = _BETWEEN.split(text)
    return "".join(map(renew, parts)) if len(parts) > 1 else text


class LanguageSwitch(QObject):
    """Holds the language, and gives all parts of the window their texts in it.

    Args:
        application: The process's one.
        language: The one to begin with.

    Signals:
        changed: Another language is shown; what is made of several texts is to be made anew.
    """

    changed = Signal()

    def __init__(self, application: QApplication, language: Language = Language.SYSTEM) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self.language = language
        self._install()

    def use(self, language: Language) -> None:
        """Show another language."""
        if language is self.language:
            return
        self.language = language
        self._install()
        for widget in self._application.allWidgets():
            _renew_widget(widget)
        self.changed.emit()

    def _install(self) -> None:
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = list(map(_load, _files_of(find_locale(self.language))))
        for translator in self._translators:
            self._application.installTranslator(translator)


def find_locale(language: Language) -> str:
    """The name of the locale whose texts are shown: one that we have a translation for, or `en`."""
    name = language.value or QLocale.system().name()
    return Language.CHINESE.value if name.startswith("zh") else Language.ENGLISH.value


def _files_of(locale: str) -> list[tuple[str, str]]:
    """Folder and name of the translation files of a locale: ours, and Qt's own of its dialogs."""
    if locale == Language.ENGLISH.value:
        return []
    ours = str(resources.files("jaxscope.ui") / "translations")
    theirs = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    return [(theirs, f"qtbase_{locale}"), (ours, f"jaxscope_{locale}")]


def _load(file: tuple[str, str]) -> QTranslator:
    translator = QTranslator()
    translator.load(file[1], file[0])  # one that is missing leaves English
    return translator


def _renew_by(get: Callable[[], str], put: Callable[[str], object]) -> None:
    old = get()
    if old and (new := renew(old)) != old:
        put(new)


def _renew_widget(widget: QWidget) -> None:
    """Give a widget and its actions their texts in the language that is shown."""
    for get, put in (
        (widget.toolTip, widget.setToolTip),
        (widget.accessibleName, widget.setAccessibleName),
        (widget.accessibleDescription, widget.setAccessibleDescription),
        (widget.windowTitle, widget.setWindowTitle),
    ):
        _renew_by(get, put)
    if isinstance(widget, QLabel | QAbstractButton):
        _renew_by(widget.text, widget.setText)
    elif isinstance(widget, QLineEdit | QPlainTextEdit):
        _renew_by(widget.placeholderText, widget.setPlaceholderText)
    elif isinstance(widget, QMenu):
        _renew_by(widget.title, widget.setTitle)
    elif isinstance(widget, QComboBox):
        for index in range(widget.count()):
            old = widget.itemText(index)
            if (new := renew(old)) != old:
                widget.setItemText(index, new)
    elif isinstance(widget, QTabBar):
        for index in range(widget.count()):
            widget.setTabText(index, renew(widget.tabText(index)))
            widget.setTabToolTip(index, renew(widget.tabToolTip(index)))
    for action in widget.actions():
        _renew_action(action)


def _renew_action(action: QAction) -> None:
    _renew_by(action.text, action.setText)
    _renew_by(action.toolTip, action.setToolTip)
