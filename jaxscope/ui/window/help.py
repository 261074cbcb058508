"""Help: a guide, the glossary, the keys, versions, and a tour that points at the window's parts."""

from __future__ import annotations

import dataclasses
import itertools
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QUrl, Signal, qVersion
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.model.words import TERMS, Term
from jaxscope.program.cards import Card, read_cards
from jaxscope.program.explanations import COMPILER_OPERATIONS, PRIMITIVES
from jaxscope.report.cards import explain_card, name_card
from jaxscope.ui.selection.inspector import describe_card
from jaxscope.ui.toolkit.language import shown_language, tr, tr_said
from jaxscope.ui.toolkit.widgets import escape_html, fill_box, make_label
from jaxscope.ui.window.commands import COMMANDS, MORE_KEYS, Command
from jaxscope.version import __version__

GUIDE = """
### See what became of a call
Type a **call** in the bar, such as `grad(loss)(w, f32[8, 2])`, and press Enter. `f32[8, 2]` is
a random array of that type and shape, `key(0)` a random key. The functions of the file are
behind its name at the left. The line below the bar leads from the source to the machine code: a
click on a **stage** shows it.

### Find out what became of a line
Click the line. The equations, operations and instructions that came from it light up in every
view, and *Selected* says what became of each. It works in every direction: click an instruction
to see the lines that it came from.

### See the derivative
`+ transform` puts `grad`, `vmap` and others around the function. A click on the name of a
transform in the bar changes its arguments, moves or removes it. Without `grad` in the call,
*its gradient* shows what it would be.

### Know how long it takes
*Measure* compares eager with jit, with the range in which the ratio lies. The list at its left
asks further: where the time goes, how it grows with size, what is compiled again.

### Compare
*Compare* sets the call beside another one, another file, or the run before.

### Keep it
*File, Save capture* keeps everything in one file, which opens without running anything.
*Export* writes SVG, PNG, PDF, HTML and more.

### Find a command
Ctrl+K finds every command, sample and call by a few letters.
"""

_LINK_PX, _MARGIN_PX = 2, 14
_MOST_OF_SCREEN = 0.9


class HelpCommands(QObject):
    """Does the commands of the menu *Help* that explain."""

    def __init__(self, window: QWidget, parts: Callable[[], Sequence[TourStop]]) -> None:
        super().__init__(window)
        self._window, self._parts = window, parts
        self.dialog: HelpDialog | None = None
        self.tour: Tour | None = None

    def show_guide(self) -> None:
        """Say what can be done, task by task."""
        self._show("Guide")

    def show_glossary(self) -> None:
        """Explain words."""
        self._show("Glossary")

    def show_keys(self) -> None:
        """List all keys."""
        self._show("Keys")

    def show_about(self) -> None:
        """Say which versions these are."""
        self._show("About")

    def start_tour(self) -> None:
        """Point at the parts of the window, one after the other."""
        if self.tour is not None:
            self.tour.end()
        self.tour = Tour(self._window, self._parts())
        self.tour.ended.connect(self._on_tour_ended)

    def _on_tour_ended(self) -> None:
        self.tour = None

    def _show(self, title: str) -> None:
        if self.dialog is not None and self.dialog.language != shown_language():
            self.dialog.close()
            self.dialog.deleteLater()
            self.dialog = None
        if self.dialog is None:
            self.dialog = HelpDialog(self._window)
        self.dialog.open_at(title)


class HelpDialog(QDialog):
    """The guide, the glossary, the keys and the versions, as tabs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Help"))
        self.language = shown_language()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.setAccessibleName(tr("Help"))
        self.glossary = Glossary()
        for title, page in (
            (tr("Guide"), _make_guide()),
            (tr("Glossary"), self.glossary),
            (tr("Keys"), _make_keys()),
            (tr("About"), _make_about()),
        ):
            self.tabs.addTab(page, title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        fill_box(QVBoxLayout(self), (self.tabs, 1), buttons)

    def open_at(self, title: str) -> None:
        """Show one of the tabs."""
        titles = [self.tabs.tabText(index) for index in range(self.tabs.count())]
        self.tabs.setCurrentIndex(titles.index(tr(title)))
        if self.isHidden():  # type may have another size by now, as while presenting
            em = self.fontMetrics().horizontalAdvance("m")
            self.resize(QSize(70 * em, 44 * em).boundedTo(self._room() * _MOST_OF_SCREEN))
        self.show()
        self.raise_()
        self.activateWindow()
        self.tabs.currentWidget().setFocus()  # its keys scroll, and what is typed is looked for

    def _room(self) -> QSize:
        parent = self.parentWidget()
        return (self if parent is None else parent).screen().availableSize()


class Glossary(QWidget):
    """All words, JAX's primitives and HLO's opcodes, found by a few letters.

    A click on a primitive or an opcode shows its card in place of the list.
    """

    def __init__(self) -> None:
        super().__init__()
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a word, a primitive or an opcode"))
        self.search.setAccessibleName(tr("Find a word"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show)
        self.setFocusProxy(self.search)
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(tr("Glossary"))
        self.text.anchorClicked.connect(self._follow)
        self.text.document().setDocumentMargin(_MARGIN_PX)
        fill_box(QVBoxLayout(self), self.search, (self.text, 1))
        self._show("")

    def _show(self, wanted: str) -> None:
        self.text.setHtml("".join(_render_terms(list(find_terms(wanted)))))

    def _follow(self, link: QUrl) -> None:
        group, _, name = link.path().partition("/")
        if not name:
            self._show(self.search.text())
            return
        card = _cards(group)[name]
        muted = self.palette().color(QPalette.ColorRole.PlaceholderText).name()
        self.text.setHtml(
            tr(
                "<p><a href='card:'>All words</a></p><h3>{name}</h3><p>{sentence}</p>{card}",
                name=escape_html(tr_said(name_card(card))),
                sentence=_rich(tr_said(explain_card(card))),
                card=describe_card(card, muted),
            )
        )


_PRIMITIVES, _OPCODES = say("Primitives of jaxprs"), say("Opcodes of HLO")


def _cards(group: str) -> Mapping[str, Card]:
    """The cards of a group of words, by name; none of most groups."""
    primitives, opcodes = read_cards()
    return primitives if group == _PRIMITIVES else opcodes if group == _OPCODES else {}


def find_terms(wanted: str) -> Iterator[Term]:
    """Words, primitives and opcodes whose name contains a text, then those whose meaning does."""
    wanted = wanted.strip().casefold()
    every = [dataclasses.replace(term, name=_in_both(term.name)) for term in TERMS]
    for group, known in ((_PRIMITIVES, PRIMITIVES), (_OPCODES, COMPILER_OPERATIONS)):
        every += [Term(name, text, group) for name, text in sorted(known.items())]
    every = [dataclasses.replace(term, meaning=tr(term.meaning)) for term in every]
    by_name = [term for term in every if wanted in term.name.casefold()]
    yield from by_name
    if len(wanted) > 2:
        named = set(map(id, by_name))
        yield from (t for t in every if id(t) not in named and wanted in t.meaning.casefold())


def _in_both(name: str) -> str:
    """A word in the language that is shown, and in English, as code and the command line say it."""
    shown = tr(name)
    return name if shown == name else f"{shown} · {name}"


def _render_terms(terms: Sequence[Term]) -> Iterator[str]:
    if not terms:
        yield tr("<p>There is no such word.</p>")
    for group, found in itertools.groupby(terms, key=lambda term: term.group):
        yield f"<h4>{escape_html(tr(group))}</h4><table cellspacing='0' cellpadding='3'>"
        cards = _cards(group)
        for term in found:
            name = escape_html(term.name)
            if term.name in cards:
                name = f"<a href='card:{group}/{name}'>{name}</a>"
            yield f"<tr><td width='150'><b>{name}</b></td><td>{_rich(term.meaning)}</td></tr>"
        yield "</table>"


def _rich(text: str) -> str:
    parts = escape_html(text).split("`")
    return "".join(f"<code>{p}</code>" if odd % 2 else p for odd, p in enumerate(parts))


def _make_guide() -> QWidget:
    text = QTextBrowser()
    text.setAccessibleName(tr("Guide"))
    text.setProperty("role", "page")
    text.document().setDocumentMargin(_MARGIN_PX)
    text.setMarkdown(tr(GUIDE))
    return text


def _make_keys() -> QWidget:
    """Every key of the window, menu by menu, from the one table of commands."""
    groups = [*group_keys()]
    half = sum(len(rows) + 2 for _, rows in groups) / 2
    columns, filled = ["", ""], 0
    for title, rows in groups:
        told = "".join(
            f"<tr><td><b>{escape_html(keys)}</b></td><td>{escape_html(text)}</td></tr>"
            for keys, text in rows
        )
        columns[filled >= half] += f"<h4>{title}</h4><table cellpadding='3'>{told}</table>"
        filled += len(rows) + 2
    text = QTextBrowser()
    text.setAccessibleName(tr("Keys"))
    text.setProperty("role", "page")
    cells = "".join(f"<td width='50%'>{column}</td>" for column in columns)
    text.setHtml(f"<table width='100%'><tr>{cells}</tr></table>")
    return text


def group_keys() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Titles of menus, and the keys and texts of their commands."""
    with_keys = [each for each in COMMANDS if each.keys]
    menus = dict.fromkeys(each.menu for each in with_keys)
    for menu in menus:
        yield tr(menu), [(each.keys[0], _describe(each)) for each in with_keys if each.menu == menu]
    yield tr("In single parts"), [(keys, tr(text)) for keys, text in MORE_KEYS]


def _describe(command: Command) -> str:
    return tr(command.text).removesuffix(" …")


def _make_about() -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setSpacing(8)
    layout.addWidget(make_label("jaxscope", "title"))
    layout.addWidget(
        make_label(
            tr("Shows what JAX and XLA do with a call: every stage, linked, timed."), wraps=True
        )
    )
    versions = "\n".join(f"{name} {version}" for name, version in list_versions())
    told = make_label(versions)
    told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    layout.addWidget(told)
    copy = QPushButton(tr("Copy versions"))
    copy.clicked.connect(_copy_versions)
    layout.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
    layout.addWidget(make_label(tr("Licensed under the Apache License 2.0."), "muted"))
    layout.addWidget(
        make_label(tr("The interpreter of your file may have other versions."), "muted")
    )
    layout.addStretch()
    return page


def _copy_versions() -> None:
    text = "\n".join(f"{name} {version}" for name, version in list_versions())
    QGuiApplication.clipboard().setText(text)


def list_versions() -> list[tuple[str, str]]:
    """What the window runs with; nothing is imported for it."""
    found = [(name, _version_of(name)) for name in ("jax", "jaxlib", "numpy")]
    return [
        ("jaxscope", __version__),
        *found,
        ("Python", sys.version.split()[0]),
        ("Qt", str(qVersion())),
        ("PySide", _version_of("PySide6-Essentials", "PySide6")),
        (tr("System"), platform.platform(terse=True)),
    ]


def _version_of(*names: str) -> str:
    import importlib.metadata

    for name in names:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return tr("not installed")


# The tour: a bubble beside one part of the window after the other.


@dataclass(frozen=True, slots=True)
class TourStop:
    """A part of the window that the tour points at.

    Attributes:
        part: What is pointed at.
        title: A few words.
        text: What it is for, two sentences.
    """

    part: QWidget
    title: str
    text: str


class Tour(QFrame):
    """Lies over the window, frames one part, and says what it is for.

    Enter or Right goes on, Left goes back, Escape ends it.
    """

    ended = Signal()

    def __init__(self, window: QWidget, stops: Sequence[TourStop]) -> None:
        super().__init__(window)
        self._window, self._stops, self._number = window, stops, 0
        self._bubble = QFrame(self)
        self._bubble.setProperty("role", "popup")
        self._title, self._text = make_label(role="heading"), make_label(wraps=True)
        self._count = make_label(role="muted")
        self.back, self.next = QPushButton(tr("Back")), QPushButton(tr("Next"))
        leave = QPushButton(tr("End the tour"))
        self.next.setProperty("role", "primary")
        self.back.clicked.connect(self.go_back)
        self.next.clicked.connect(self.go_on)
        leave.clicked.connect(self.end)
        row = fill_box(QHBoxLayout(), self._count, 0, leave, self.back, self.next)
        layout = QVBoxLayout(self._bubble)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addLayout(row)
        self.setAccessibleName(tr("Tour"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        window.installEventFilter(self)
        self.show()
        self.raise_()
        self.setFocus()
        self._show_stop()

    @property
    def stop(self) -> TourStop:
        """The stop that the tour is at."""
        return self._stops[self._number]

    def go_on(self) -> None:
        """To the next part; after the last the tour is over."""
        if self._number + 1 >= len(self._stops):
            self.end()
        else:
            self._number += 1
            self._show_stop()

    def go_back(self) -> None:
        """Point at the part before."""
        self._number = max(self._number - 1, 0)
        self._show_stop()

    def end(self) -> None:
        """End the tour."""
        self.hide()
        self.ended.emit()
        self.deleteLater()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # Escape is a command of the window's as well
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Right):
            self.go_on()
        elif event.key() == Qt.Key.Key_Left:
            self.go_back()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._show_stop()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        shade = self.palette().shadow().color()
        shade.setAlpha(90)
        place = self._place()
        for area in _around(self.rect(), place):
            painter.fillRect(area, shade)
        painter.setPen(QPen(self.palette().link().color(), _LINK_PX))
        painter.drawRoundedRect(place, 4, 4)

    def _place(self) -> QRect:
        part = self.stop.part
        corner = part.mapTo(self._window, QPoint(0, 0))
        return QRect(corner, part.size()).adjusted(-3, -3, 3, 3).intersected(self.rect())

    def _show_stop(self) -> None:
        self.setGeometry(self._window.rect())
        self._title.setText(self.stop.title)
        self._text.setText(self.stop.text)
        self._count.setText(
            tr("{number} of {num_stops}", number=self._number + 1, num_stops=len(self._stops))
        )
        self.back.setEnabled(self._number > 0)
        self.next.setText(tr("Done") if self._number + 1 == len(self._stops) else tr("Next"))
        em = self.fontMetrics().horizontalAdvance("m")
        self._bubble.setFixedWidth(34 * em)
        self._bubble.adjustSize()
        self._bubble.move(_beside(self._place(), self._bubble.size(), self.rect()))
        self.setAccessibleDescription(f"{self.stop.title}. {self.stop.text}")
        self.update()


def _around(whole: QRect, hole: QRect) -> Iterator[QRect]:
    """What is left of an area without a part of it."""
    yield QRect(whole.left(), whole.top(), whole.width(), hole.top())
    yield QRect(whole.left(), hole.bottom() + 1, whole.width(), whole.bottom() - hole.bottom())
    yield QRect(whole.left(), hole.top(), hole.left(), hole.height())
    yield QRect(hole.right() + 1, hole.top(), whole.right() - hole.right(), hole.height())


def _beside(place: QRect, size: QSize, whole: QRect) -> QPoint:
    """Where a bubble finds room: below what it speaks of, above it, or inside of it."""
    gap = 12
    left = min(max(place.center().x() - size.width() // 2, gap), whole.right() - size.width() - gap)
    below, above = place.bottom() + gap, place.top() - gap - size.height()
    if below + size.height() < whole.bottom():
        return QPoint(left, below)
    if above > 0:
        return QPoint(left, above)
    return QPoint(left, place.bottom() - size.height() - gap)
