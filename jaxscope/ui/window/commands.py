"""The commands of the window: one table with their menus and keys, and what does them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from jaxscope.late_dataclass import dataclass
from jaxscope.ui.panes.pane_area import PaneSide
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.toolkit.language import source_of, tr
from jaxscope.ui.window.places import Place


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        menu: The menu that it stands in.
        text: What it does, fit to show.
        slot: Name of the owner's method that does it.
        keys: Key sequences that trigger it, the one to show first.
        starts_section: Whether a line is drawn above it.
        owner: Who has the method; see `Commands.connect_owner`.
        is_checkable: The method takes whether it is on.
        argument: What the method takes; None for nothing.
        hint: What is said when the pointer rests on it.
        words: What people call it as well, for who looks for it in the palette.
        is_of_graph: Its keys are looked for by the graph that has the keyboard.
    """

    menu: str
    text: str
    slot: str
    keys: tuple[str, ...] = ()
    starts_section: bool = False
    owner: str = "window"
    is_checkable: bool = False
    argument: object = None
    hint: str = ""
    words: str = ""
    is_of_graph: bool = False


Row = tuple[str, str, str] | tuple[str, str, str, object] | None
"""Text, slot, keys and argument of a command; None for a line between two."""


def _owned(owner: str, menu: str, *rows: Row) -> list[Command]:
    """Commands of one owner in one menu."""
    found: list[Command] = []
    starts_section = False
    for row in rows:
        if row is not None:
            text, slot, keys, *argument = row
            found.append(
                Command(
                    *(menu, text, slot, (keys,) if keys else (), starts_section, owner),
                    argument=argument[0] if argument else None,
                )
            )
        starts_section = row is None
    return found


COMMANDS: Sequence[Command] = (
    Command(
        *("File", "Open …", "ask_open", ("Ctrl+O",)),
        owner="files",
        words="load capture HLO StableHLO profile",
    ),
    Command("File", "Open a folder of dumps …", "ask_open_folder", owner="files"),
    Command("File", "Paste code …", "paste_code", ("Ctrl+Shift+V",)),
    Command("File", "Start page", "close_file", ("Alt+Home",), owner="controller"),
    Command(
        "File", "Trusted folders …", "show_trusted_folders", words="settings preferences security"
    ),
    Command("File", "Save capture as …", "ask_save", ("Ctrl+S",), True, "files"),
    Command(
        *("File", "Export what is seen, or everything …", "export_dialog", ("Ctrl+Shift+X",)),
        words="picture image figure slide print PNG SVG PDF HTML",
    ),
    Command(
        "File",
        "Export a page or hand-out of the numbers, step by step …",
        "ask_export_steps",
        owner="files",
    ),
    Command("File", "Quit", "close", ("Ctrl+Q",), True, words="exit"),
    Command("Run", "Run the call", "run_call", ("Ctrl+R", "F5"), words="execute reload refresh"),
    Command("Run", "Run with the gradient", "run_with_gradient", ("Ctrl+Alt+G",)),
    Command("Run", "Stop", "stop_run", ("Esc",), words="cancel interrupt abort"),
    Command(
        *("Run", "Run a script as it is …", "run_script"),
        words="job watch recompilation arguments python",
    ),
    Command(
        *("Run", "Functions of the file", "open_functions", ("Ctrl+Shift+L",)), owner="call_bar"
    ),
    Command(
        *("Run", "Measure its time", "measure", ("Ctrl+M",)),
        owner="timing",
        words="benchmark speed eager jit profile",
    ),
    Command("Run", "Look at its values", "look_at_values", ("Ctrl+Alt+V",)),
    *_owned(
        *("stepping", "Run", None),
        ("Step through its numbers", "step", "F8"),
        ("Step back", "step_back", "Shift+F8"),
        ("Step into", "step_into", "F7"),
        ("Step out", "step_out", "Shift+F7"),
        ("Run to the selected equation", "run_to_selected", "F9"),
        ("Go to the first NaN or Inf", "go_to_nonfinite", "Shift+F9"),
        ("See it traced line by line", "trace_lines", ""),
        None,
    ),
    Command("Run", "Skip what is being measured", "skip", ("Ctrl+Shift+S",), owner="controller"),
    Command("Run", "Edit the call", "focus_call", ("Ctrl+L",), True),
    Command(
        *("Run", "Choose the target", "choose_target"),
        owner="call_bar",
        words="device backend platform chip cpu gpu tpu ssh",
    ),
    Command(
        *("Run", "Choose the interpreter …", "ask_interpreter"),
        owner="files",
        words="python environment venv virtualenv conda packages",
    ),
    *_owned(
        *("call_bar", "Run"),
        ("Put a transform around the call …", "add_transform", "Ctrl+Shift+A"),
        ("Change a transform of the call …", "change_transform", "Ctrl+Shift+G"),
    ),
    Command("Run", "Undo the change of the call", "undo_call", ("Ctrl+Z",)),
    Command("Run", "Redo the change of the call", "redo_call", ("Ctrl+Shift+Z", "Ctrl+Y")),
    *_owned(
        *("trial", "Run", None),
        ("Try a change of the source", "toggle", "Ctrl+Shift+T"),
        ("Save the change", "save_change", ""),
        ("Save the change as …", "ask_save_as", ""),
    ),
    *_owned("passes", "Run", ("Record XLA's passes", "record_passes", "Ctrl+Shift+F5")),
    *_owned(
        *("area", "View"),
        ("Next view", "focus_next", "F6", 1),
        ("Previous view", "focus_next", "Shift+F6", -1),
    ),
    Command("View", "Open another view", "add_pane", ("Ctrl+N",), owner="panes"),
    Command("View", "Close what has the keyboard", "close_focused", ("Ctrl+W",), words="view page"),
    *_owned(
        *("places", "View"),
        ("Next page", "turn_page", "Ctrl+PgDown", 1),
        ("Previous page", "turn_page", "Ctrl+PgUp", -1),
    ),
    Command("View", "Find in this view", "focus_search", ("Ctrl+F",), words="search"),
    *_owned(
        *("workspace", "View"),
        ("Next that was found", "find_next", "F3", 1),
        ("The one found before", "find_next", "Shift+F3", -1),
    ),
    *_owned(
        *("workspace", "View", None),
        ("This view as graph", "set_form", "Ctrl+1", Form.GRAPH),
        ("This view as text", "set_form", "Ctrl+2", Form.TEXT),
        ("This view as table", "set_form", "Ctrl+3", Form.TABLE),
        ("This view as tree", "set_form", "Ctrl+4", Form.TREE),
    ),
    Command(
        *("View", "What is selected", "toggle_inspector", ("Ctrl+B",), True),
        is_checkable=True,
        words="inspector panel show hide close",
    ),
    Command(
        *("View", "Page below the views", "toggle_drawer", ("F4",), False, "places"),
        is_checkable=True,
        words="drawer panel show hide close passes fusions memory",
    ),
    Command(
        *("View", "Present on the whole screen", "toggle_presenting", ("F11",)),
        words="slides talk full screen",
    ),
    Command(
        *("View", "Light or dark", "toggle_theme", ("Ctrl+T",)),
        words="settings preferences theme mode night appearance colour scheme",
    ),
    Command("View", "Animate changes of graphs", "set_animated", (), is_checkable=True),
    Command("View", "Wrap long lines of texts", "wrap_lines", ("Alt+Z",), False, "panes", True),
    Command(
        "View", "Larger type", "zoom_in", ("Ctrl++", "Ctrl+="), words="settings font size bigger"
    ),
    Command("View", "Smaller type", "zoom_out", ("Ctrl+-",), words="settings font size"),
    Command("View", "Ordinary type", "zoom_reset", ("Ctrl+0",), words="settings font size"),
    *_owned(
        *("panes", "Arrange"),
        ("Split to the right", "split", "Ctrl+Alt+R", PaneSide.RIGHT),
        ("Split below", "split", "Ctrl+Alt+B", PaneSide.BELOW),
    ),
    *_owned(
        *("area", "Arrange", None),
        ("Move to the left", "move_active", "Ctrl+Shift+Left", PaneSide.LEFT),
        ("Move to the right", "move_active", "Ctrl+Shift+Right", PaneSide.RIGHT),
        ("Move up", "move_active", "Ctrl+Shift+Up", PaneSide.ABOVE),
        ("Move down", "move_active", "Ctrl+Shift+Down", PaneSide.BELOW),
    ),
    *_owned("panes", "Arrange", None, ("Name this view …", "name_pane", "F2")),
    *_owned("area", "Arrange", ("This view alone, or all again", "show_alone", "Ctrl+Alt+A")),
    *_owned(
        *("panes", "Arrange"),
        ("Fold all blocks of its text", "fold_all", "Ctrl+Alt+-"),
        ("Unfold all blocks of its text", "unfold_all", "Ctrl+Alt++"),
    ),
    Command("Arrange", "Close this view", "close_pane"),
    Command("Arrange", "Ribbons between views", "show_ribbons", (), True, "panes", True),
    Command("Arrange", "Lay views out as at first", "reset", owner="panes", words="default layout"),
    *_owned(
        *("window", "Go"),
        ("All commands …", "show_palette", "Ctrl+K"),
        ("All menus", "show_menus", "F10"),
    ),
    *_owned(
        *("go", "Go", None),
        ("Back to what was selected before", "go_back", "Alt+Left"),
        ("Forward", "go_forward", "Alt+Right"),
        None,
        ("Focus on what is near the selection; again: wider", "widen_focus", "Ctrl+J"),
        ("Narrow the focus", "narrow_focus", "Ctrl+Shift+J"),
        ("Path from the selection before to this one", "show_path", "Ctrl+P"),
        ("See everything again", "end_focus", "Ctrl+Shift+K"),
    ),
    *_owned(
        *("bookmarks", "Go", None),
        ("Bookmark what is selected, or no longer", "toggle", "Ctrl+Shift+B"),
        ("Write a note about it …", "ask_note", "Ctrl+Shift+N"),
        ("Next bookmark", "go_next", "Ctrl+."),
        ("Bookmark before", "go_previous", "Ctrl+,"),
    ),
    *_owned(
        *("places", "Show page"),
        *(
            (place.value, "go_to", f"Alt+{number}", place)
            for number, place in enumerate(Place, start=1)
        ),
        None,
    ),
    *(
        Command("Graph", text, slot, keys, owner="graph", is_of_graph=True)
        for text, slot, keys in (
            ("Fit the picture to its view", "fit_picture", ("F",)),
            ("Zoom in", "enlarge_picture", ("+", "=")),
            ("Zoom out", "reduce_picture", ("-",)),
            ("Zoom to what is selected", "show_selected", ("Z",)),
        )
    ),
    Command(
        *("Graph", "Copy the picture", "copy_picture", (), True),
        words="image figure slide clipboard PNG",
    ),
    *_owned(
        *("graph", "Graph", None),
        ("Open all groups", "expand_all", "Ctrl+Shift+E"),
        ("Open as many as can be read", "expand_many", "Ctrl+Shift+M"),
        ("Close all groups", "collapse_all", "Ctrl+Shift+C"),
        ("Open what is open at first", "reset_expanded", "Ctrl+Shift+R"),
    ),
    Command("Graph", "Values flow down", "flow_down", (), True, "graph", True),
    Command("Graph", "Values flow to the right", "flow_right", owner="graph", is_checkable=True),
    Command("Graph", "Turn", "turn", ("Ctrl+Shift+D",), owner="graph"),
    Command(
        *("Graph", "Let Graphviz lay out what it is quick at", "use_graphviz", (), True, "graph"),
        is_checkable=True,
        hint="Needs the program dot; jaxscope lays out all that takes dot too long.",
    ),
    Command("Graph", "Overview of what is out of sight", "show_overview", (), True, "graph", True),
    *_owned(
        *("compare", "Compare"),
        ("With another call …", "ask_call", "Ctrl+D"),
        ("With another file …", "ask_file", "Ctrl+Shift+O"),
        ("With the run before", "compare_with_previous", "Ctrl+Shift+P"),
        ("Save the comparison as …", "ask_save", ""),
    ),
    Command(
        "Help", "Tour of the window", "start_tour", owner="help", words="tutorial introduction"
    ),
    Command("Help", "Course of lessons", "begin_course", words="tutorial"),
    Command("Help", "Lesson and samples", "toggle_lesson", ("Ctrl+Shift+H",)),
    Command("Help", "Samples with pictures", "close_file", owner="controller"),
    Command(
        *("Help", "Guide", "show_guide", ("Shift+F1",), True, "help"), words="documentation manual"
    ),
    Command(
        *("Help", "Glossary", "show_glossary", ("Ctrl+G",)),
        owner="help",
        words="words terms definitions",
    ),
    Command("Help", "Keys", "show_keys", ("F1",), owner="help", words="keyboard shortcuts"),
    Command(*("Help", "About jaxscope", "show_about", (), True, "help"), words="version license"),
)

MORE_KEYS: Sequence[tuple[str, str]] = (
    ("Enter", "In the call: run it"),
    ("Up, Down", "In the call: earlier and later calls; in a text: the next line"),
    ("Tab", "To the next part of the window"),
    ("Arrow keys", "In a graph: the next box in that direction"),
    ("Shift+arrow keys", "In a graph: move the picture"),
    ("Return", "In a graph: open or close the group"),
    ("]", "In a graph: the next of equal parts, such as layers"),
    ("[", "In a graph: the one of equal parts before"),
    ("Home", "In a graph: where it begins"),
    ("Ctrl+C", "In a text: copy the chosen lines"),
    ("Shift+Up, Shift+Down", "In a text: choose several lines"),
    ("Ctrl+click", "In any view: select one more thing, or let it go"),
    ("Shift+click", "In a text, a table or a tree: select all up to there"),
    ("-, +", "In a text: fold or unfold the block around the line"),
    ("/ and *", "In a text: fold or unfold all blocks"),
    ("Ctrl+S", "While the source is edited: save it; else the capture"),
    ("Shift+Tab", "In a source that is edited: to its buttons"),
    ("Space, Right", "On the whole screen: on, equation by equation"),
    ("Backspace, Left", "On the whole screen: back, equation by equation"),
    ("N", "On the whole screen: on with the lesson, without the equations of its call"),
    ("S", "On the whole screen: dim all but what is selected, or nothing"),
)
"""Keys of single parts; those of commands are in the table above."""


WORDS = "words"
"""The property of an action that has the command's `words`."""


class MenuLetters(QObject):
    """Underlines a letter of each entry, by which it is chosen, while a menu is open.

    Menus that are filled when they open have theirs so, too; everywhere else texts are plain.

    Args:
        root: The menu whose submenus have letters, and it itself.
    """

    def __init__(self, root: QMenu) -> None:
        super().__init__(root)
        self._lettered: dict[QAction, tuple[str, str]] = {}  # its texts with the letter and without
        self._known: set[QMenu] = set()
        self._listen(root)

    def _listen(self, menu: QMenu) -> None:
        if menu not in self._known:
            self._known.add(menu)
            menu.aboutToShow.connect(self._on_menu_about_to_show)
            menu.aboutToHide.connect(self._on_menu_about_to_hide)

    def _on_menu_about_to_show(self) -> None:
        menu = self.sender()
        assert isinstance(menu, QMenu)
        actions = [each for each in menu.actions() if each.isVisible() and not each.isSeparator()]
        texts = letter_texts([each.text() for each in actions])
        for action, lettered in zip(actions, texts, strict=True):
            inner = action.menu()
            if isinstance(inner, QMenu):
                self._listen(inner)  # not before: what fills it when it opens comes first
            if lettered != action.text():
                self._lettered[action] = lettered, action.text()
                action.setText(lettered)

    def _on_menu_about_to_hide(self) -> None:
        menu = self.sender()
        assert isinstance(menu, QMenu)
        for action in menu.actions():
            lettered, plain = self._lettered.pop(action, ("", ""))
            if lettered and action.text() == lettered:
                action.setText(plain)


_LETTER = re.compile("[a-z]")
_FIRST_LETTER = re.compile(r"\b[a-z]")


def letter_texts(texts: Sequence[str]) -> list[str]:
    """Entries of a menu, each with `&` before a letter that no other has; paths have none.

    First letters of entries are given first, then those of their other words. What is not in
    English has the letter of its English text behind it, as `文件(&F)`.
    """
    sources = ["" if "&" in text or os.sep in text else source_of(text).lower() for text in texts]
    given: dict[int, str] = {}
    for find in (
        lambda source: _FIRST_LETTER.findall(source)[:1],
        _FIRST_LETTER.findall,
        _LETTER.findall,
    ):
        for index, source in enumerate(sources):
            free = [each for each in find(source) if each not in given.values()]
            if free and index not in given:
                given[index] = free[0]
    return [_underline(text, given.get(index, "")) for index, text in enumerate(texts)]


def _underline(text: str, letter: str) -> str:
    if not letter:
        return text
    if source_of(text) != text:
        name = text.removesuffix(" …")
        return f"{name}(&{letter.upper()}){text[len(name) :]}"
    found = re.search(rf"\b{letter}", text, re.IGNORECASE) or re.search(letter, text, re.IGNORECASE)
    assert found is not None
    return f"{text[: found.start()]}&{text[found.start() :]}"


class Commands(QObject):
    """The actions of all commands, in menus.

    A command can be used once its owner is connected.

    Args:
        window: In which the keys work.

    Attributes:
        actions: By the name of the slot.
        root: Has the menus, in the order of the table.
        menus: By title.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.actions: dict[str, QAction] = {}
        self.root = QMenu(window)
        self.menus: dict[str, QMenu] = {}
        self._by_owner: dict[str, list[tuple[Command, QAction]]] = {}
        self._targets: dict[QAction, tuple[Command, Callable[[], object]]] = {}
        for command in COMMANDS:
            if command.menu not in self.menus:
                self.menus[command.menu] = self.root.addMenu(tr(command.menu))
            menu = self.menus[command.menu]
            if command.starts_section:
                menu.addSeparator()
            action = QAction(
                tr(command.text), window, checkable=command.is_checkable, enabled=False
            )
            action.setProperty(WORDS, command.words)
            if not (
                command.is_of_graph and sys.platform == "darwin"
            ):  # there a menu takes its keys
                action.setShortcuts([QKeySequence(keys) for keys in command.keys])
            if command.is_of_graph:
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            if command.hint:
                action.setToolTip(tr(command.hint))
                menu.setToolTipsVisible(True)
            menu.addAction(action)
            if not command.is_of_graph:
                window.addAction(action)
            self.actions.setdefault(command.slot, action)
            self._by_owner.setdefault(command.owner, []).append((command, action))
        self._letters = MenuLetters(self.root)
        if sys.platform == "darwin":
            for menu in self.menus.values():
                window.menuBar().addMenu(menu)

    def connect_owner(self, owner: str, target: object) -> None:
        """Have an object's methods do the commands of an owner."""
        self.connect_page(owner, lambda: target)

    def connect_page(self, owner: str, find: Callable[[], object]) -> None:
        """The same for an object that is found, or made, when one of its commands is used."""
        for command, action in self._by_owner.pop(owner, ()):
            self._targets[action] = command, find
            action.triggered.connect(self._on_action_triggered)
            action.setEnabled(True)

    @property
    def missing_owners(self) -> frozenset[str]:
        """Owners that are not connected yet."""
        return frozenset(self._by_owner)

    def _on_action_triggered(self, is_on: bool) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        command, find = self._targets[action]
        method = getattr(find(), command.slot)
        if command.is_checkable:
            method(is_on)
        elif command.argument is not None:
            method(command.argument)
        else:
            method()
