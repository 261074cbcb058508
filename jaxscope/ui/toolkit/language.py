"""The language of the interface.

English texts stand in the code and are what Qt's translation files translate. `tr` gives a text in
the language that is shown. It also remembers what the text was made of, so that `LanguageSwitch`
can give the parts of a window their texts anew: no part needs a method for this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum
from importlib import resources

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTreeWidget,
    QWidget,
)

from jaxscope.model.said import COUNTED, LISTED, NAMED, Said, say_joined
from jaxscope.model.units import format_count

CONTEXT = "jaxscope"
"""Qt's translation files sort texts by context; ours are all in one."""

_MOST_MADE = 1_024
"""Texts of one source that are remembered: times of runs would be ever more of them."""
_BETWEEN = re.compile(r"(^\d+  |<code>.*?</code>|<[^>]+>|\n| · |\t| \(\d[\d,]*\)$| [›▾]$)")
"""What texts are joined with that were translated one by one."""
_NO_SPACE = (
    "(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|"
    " (?=[\u3001-\u303f\uff00-\uffef])|(?<=[\u3001-\u303f\uff00-\uffef]) "
)
"""Spaces around what was put into a sentence, where that or what is beside it is no Latin.
Compiling it takes 2 ms, which a window in English is spared."""


class Language(Enum):
    """What a person can choose; the value is what the settings remember."""

    SYSTEM = ""
    ENGLISH = "en"
    CHINESE = "zh_CN"

    @property
    def title(self) -> str:
        """What it calls itself."""
        names = {Language.ENGLISH: "English", Language.CHINESE: "简体中文"}
        return names.get(self) or tr("As the system")


_installed: list[QTranslator] = []
_sources: dict[str, str] = {}
_made: dict[str, tuple[str, dict[str, object] | Said]] = {}
"""Of texts that are shown: the source, and the values of its fields, or the whole sentence."""
_made_of: dict[str, dict[str, None]] = {}
"""Of each source the texts in `_made`, the newest last."""


def tr(source: str, /, **values: object) -> str:
    """A text in the language that is shown.

    Args:
        source: The text in English: a literal, a constant, or of a table of constants. It may have
            fields as `str.format` has them.
        values: What is put into the fields.
    """
    text = QCoreApplication.translate(CONTEXT, source)
    if not values:
        if source[:1].isupper() or text not in _sources:  # of two words for one the capital one
            _sources[text] = source
        return text
    shown = {name: _translate(v) if isinstance(v, Said) else v for name, v in values.items()}
    return _remember(text.format(**shown), source, values)


def tr_count(count: int, noun: str) -> str:
    """A number of things, such as `3 nodes`.

    Args:
        noun: In the singular: a literal, or of a table of `docs/write_translations.py`.
    """
    source = COUNTED + noun
    text = QCoreApplication.translate(CONTEXT, source)
    shown = format_count(count, noun) if text == source else text.format(count=count)
    return _remember(shown, source, {"count": count})


def tr_said(text: str) -> str:
    """A sentence of the library in the language that is shown; as it is where it is no `Said`."""
    return _remember(_translate(text), text.template, text) if isinstance(text, Said) else text


def tr_named(name: str, meaning: str) -> str:
    """Such as `grad: the program of the gradient`."""
    return tr(NAMED, name=name, meaning=meaning)


def tr_list(parts: Iterable[str]) -> str:
    """Those that are not empty, as in a sentence."""
    return tr_said(say_joined(parts, LISTED))


def _translate(text: str) -> str:
    if not _installed or not isinstance(text, Said):
        return str(text)
    template = QCoreApplication.translate(CONTEXT, text.template)
    values = {k: _translate(v) if isinstance(v, str) else v for k, v in text.values.items()}
    try:
        return re.sub(_NO_SPACE, "", template.format(**values)) if values else template
    except (KeyError, TypeError, ValueError):  # a file may hold others than the template has
        return str(text)


def _remember(text: str, source: str, values: dict[str, object] | Said) -> str:
    texts = _made_of.setdefault(source, {})
    texts.pop(text, None)  # it becomes the newest
    texts[text] = None
    _made[text] = source, values
    if len(texts) > _MOST_MADE:
        oldest = next(iter(texts))
        del texts[oldest]
        if _made.get(oldest, ("",))[0] == source:  # else it came from another one since
            del _made[oldest]
    return text


def renew(text: str) -> str:
    """What a text that was shown before is in the language that is shown now."""
    if (source := _sources.get(text)) is not None:
        return tr(source)
    if (made := _made.get(text)) is not None:
        source, values = made
        if isinstance(values, Said):
            return tr_said(values)
        count = values.get("count")
        if source.startswith(COUNTED) and isinstance(count, int):
            return tr_count(count, source.removeprefix(COUNTED))
        new = {
            name: renew(each) if isinstance(each, str) and not isinstance(each, Said) else each
            for name, each in values.items()
        }
        return tr(source, **new)
    parts = _BETWEEN.split(text)
    if len(parts) > 1:
        parts[::2] = map(renew, parts[::2])  # the others are what stands between
    return "".join(parts)


def source_of(text: str) -> str:
    """The English of a text that is shown; the text itself where it is none of `tr`."""
    if text in _sources or text not in _made:
        return _sources.get(text, text)
    source, values = _made[text]
    if isinstance(values, Said):
        return str(values)
    return source.format(
        **{n: source_of(each) if isinstance(each, str) else each for n, each in values.items()}
    )


def shown_language() -> str:
    """Two letters: `en` or `zh`."""
    return Language.CHINESE.value[:2] if _installed else Language.ENGLISH.value


class LanguageSwitch(QObject):
    """Holds the language, and gives all parts of the window their texts in it.

    Args:
        application: The process's one.
        language: The one to begin with.

    Signals:
        changed: Another language is shown. What is made of several texts is to be made anew.
    """

    changed = Signal()

    def __init__(self, application: QApplication, language: Language = Language.SYSTEM) -> None:
        super().__init__(application)
        self._application = application
        self.language = language
        self._install()

    def use(self, language: Language) -> None:
        """Show another language."""
        self.language = language
        self._install()
        for widget in self._application.allWidgets():
            _renew_widget(widget)
        self.changed.emit()

    def _install(self) -> None:
        while _installed:
            self._application.removeTranslator(_installed.pop())
        for folder, name in _find_files(self.language):
            translator = QTranslator()
            if translator.load(name, folder):
                self._application.installTranslator(translator)
                _installed.append(translator)


def _find_files(language: Language) -> list[tuple[str, str]]:
    """Folder and name of translation files: Qt's own of its dialogs, and ours. None for English."""
    locale = language.value or QLocale.system().name()
    if not locale.startswith(Language.CHINESE.value[:2]):
        return []
    theirs = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ours = str(resources.files("jaxscope.ui.toolkit") / "translations")
    locale = Language.CHINESE.value
    return [(theirs, f"qtbase_{locale}"), (ours, f"jaxscope_{locale}")]


def _renew_by(get: Callable[[], str], put: Callable[[str], object]) -> None:
    old = get()
    if old and (new := renew(old)) != old:
        put(new)


def _renew_widget(widget: QWidget) -> None:
    """Give a widget and its actions their texts in the language that is shown."""
    _renew_by(widget.toolTip, widget.setToolTip)
    _renew_by(widget.accessibleName, widget.setAccessibleName)
    _renew_by(widget.accessibleDescription, widget.setAccessibleDescription)
    _renew_by(widget.windowTitle, widget.setWindowTitle)
    if isinstance(widget, QLabel | QAbstractButton):
        _renew_by(widget.text, widget.setText)
    elif isinstance(widget, QLineEdit | QPlainTextEdit):
        _renew_by(widget.placeholderText, widget.setPlaceholderText)
    elif isinstance(widget, QMenu):
        _renew_by(widget.title, widget.setTitle)
    elif isinstance(widget, QComboBox):
        for index in range(widget.count()):
            widget.setItemText(index, renew(widget.itemText(index)))
    elif isinstance(widget, QTabBar):
        for index in range(widget.count()):
            widget.setTabText(index, renew(widget.tabText(index)))
            widget.setTabToolTip(index, renew(widget.tabToolTip(index)))
    elif isinstance(widget, QTreeWidget):
        header = widget.headerItem()
        for column in range(widget.columnCount()):
            header.setText(column, renew(header.text(column)))
    elif isinstance(widget, QHeaderView) and widget.count():
        widget.headerDataChanged(widget.orientation(), 0, widget.count() - 1)
    for action in widget.actions():
        _renew_by(action.text, action.setText)
        _renew_by(action.toolTip, action.setToolTip)
