"""Every command of the window in one table: its menu, its text, its keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        menu: The menu that it stands in.
        text: What it does, fit to show.
        slot: Name of the window's method that does it.
        keys: Key sequences that trigger it, the one to show first.
        starts_section: Whether a line is drawn above it.
    """

    menu: str
    text: str
    slot: str
    keys: tuple[str, ...] = ()
    starts_section: bool = False


COMMANDS: Sequence[Command] = (
    Command("File", "Open …", "open_dialog", ("Ctrl+O",)),
    Command("File", "Start page", "show_start_page", ("Alt+Home",)),
    Command("File", "Save capture as …", "save_dialog", ("Ctrl+S",), True),
    Command("File", "Export what is seen, or everything …", "export_dialog", ("Ctrl+E",)),
    Command("File", "Quit", "close", ("Ctrl+Q",), True),
    Command("Run", "Run the call", "run_call", ("Ctrl+R", "F5")),
    Command("Run", "Run with the gradient", "run_with_gradient", ("Ctrl+Alt+G",)),
    Command("Run", "Stop", "stop_run", ("Esc",)),
    Command("Run", "Measure its time", "measure_time", ("Ctrl+M",)),
    Command("Run", "Edit the call", "focus_call", ("Ctrl+L",), True),
    Command("View", "Next pane", "focus_next_pane", ("F6",)),
    Command("View", "Previous pane", "focus_previous_pane", ("Shift+F6",)),
    Command("View", "Open another pane", "add_pane", ("Ctrl+N",)),
    Command("View", "Close this pane", "close_pane", ("Ctrl+W",)),
    Command("View", "Next page", "focus_next_page", ("Ctrl+PgDown",)),
    Command("View", "Previous page", "focus_previous_page", ("Ctrl+PgUp",)),
    Command("View", "Find in this pane", "focus_search", ("Ctrl+F",)),
    Command("View", "As graph", "show_as_graph", ("Ctrl+1",), True),
    Command("View", "As text", "show_as_text", ("Ctrl+2",)),
    Command("View", "As table", "show_as_table", ("Ctrl+3",)),
    Command("View", "As tree", "show_as_tree", ("Ctrl+4",)),
    Command("View", "Side panel", "toggle_side", ("Ctrl+B",), True),
    Command("View", "Only the panes, on the whole screen", "toggle_presenting", ("F11",)),
    Command("View", "Light or dark", "toggle_theme", ("Ctrl+T",)),
    Command("View", "Larger type", "zoom_in", ("Ctrl++", "Ctrl+=")),
    Command("View", "Smaller type", "zoom_out", ("Ctrl+-",)),
    Command("View", "Ordinary type", "zoom_reset", ("Ctrl+0",)),
    Command("Help", "Keys", "show_keys", ("F1",)),
)

MORE_KEYS: Sequence[tuple[str, str]] = (
    ("Enter", "In the call: run it"),
    ("Up, Down", "In the call: earlier and later calls; in a text: the next line"),
    ("Tab", "To the next part of the window"),
    ("Ctrl+C", "In a text: copy the chosen lines"),
    ("Shift+Up, Shift+Down", "In a text: choose several lines"),
    ("Ctrl+click", "In any pane: select one more thing, or let it go"),
    ("Shift+click", "In a text, a table or a tree: select all up to there"),
    ("- and +", "In a text: fold or unfold the block around the line"),
    ("/ and *", "In a text: fold or unfold all blocks"),
    ("Ctrl+Shift+B, Ctrl+Shift+N", "Bookmark what is selected; write a note about it"),
    ("Ctrl+. and Ctrl+,", "To the next bookmark, and the one before"),
    ("Ctrl+Alt+R, Ctrl+Alt+B", "Split the pane to the right, or below"),
    ("Ctrl+Alt+arrows", "Swap the pane with its neighbour"),
    ("F2, Ctrl+Alt+A", "Name the pane; see it alone"),
    ("Ctrl+K", "All commands, by name"),
    ("Alt+Left, Alt+Right", "Back and forward through what was selected"),
    ("Ctrl+J, Ctrl+Shift+J", "In a graph: focus on what is near the selection, wider or narrower"),
    ("Ctrl+P", "In a graph: the path from the selection before to this one"),
    ("Ctrl+Shift+K", "In a graph: see everything again"),
    ("Ctrl+Shift+E", "In a graph: open all groups"),
    ("Ctrl+Shift+M", "In a graph: open as many as can be read"),
    ("Ctrl+Shift+C", "In a graph: close all groups"),
    ("Ctrl+Shift+R", "In a graph: open what is open at first"),
    ("Ctrl+Shift+S", "While measuring: skip the part that is measured now"),
    ("Ctrl+Shift+D", "Let values flow down or to the right"),
)
