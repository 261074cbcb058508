"""Lessons that are files: what is read, what a wrong one says, and how the window goes through."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QLocale, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from jaxscope.cli import main
from jaxscope.client.events import Stepped, SteppingReady
from jaxscope.client.requests import CaptureRequest, StepRequest
from jaxscope.errors import UsageError
from jaxscope.model.lessons import Shown, lessons_beside, parse_text_lesson, read_text_lesson
from jaxscope.model.values import Step, Stepping
from jaxscope.ui.session.state import Trust
from jaxscope.ui.toolkit.language import Language, LanguageSwitch
from jaxscope.ui.toolkit.widgets import list_stops
from jaxscope.ui.window import presentation
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.presentation import SpeakerScreen, find_other_screen
from jaxscope.ui.window.text_lesson import MarkdownView, to_plain_text

from .conftest import Driver
from .programs import build_capture
from .test_timing_page import HERE

LESSON = """# Sums

Show: taught.py::f(f32[3])
Stage: jaxpr
Fact: equations of jaxpr = 1

One `add`, **no more**.

## How many?

Count them.

```python
## no heading
Reveal:
```

Reveal:

Fact: type of result 0 = f32[3]

One.

## Longer

The same again.

Reveal:

Show: taught.py::f(f32[5])

It is one again.
"""
PROGRAM = "# jaxscope: f(f32[3])\n\n\ndef f(x):\n    return x + 1\n"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    (tmp_path / "taught.py").write_text(PROGRAM)
    path = tmp_path / "sums.md"
    path.write_text(LESSON)
    return path


def test_a_lesson_has_parts_with_fields_text_and_what_is_revealed(lesson: Path) -> None:
    found = read_text_lesson(lesson)
    assert (found.title, found.path) == ("Sums", str(lesson))
    first, second, third = found.parts
    file = str(lesson.parent / "taught.py")
    assert first.shown == Shown(file, "f(f32[3])", "jaxpr", ("equations of jaxpr = 1",))
    assert first.revealed == Shown(file, "f(f32[3])") and "Fact" not in first.text
    assert first.text == "One `add`, **no more**." and not first.reveal
    assert second.heading == "How many?" and second.reveal == "One."
    assert "## no heading" in second.text and second.shown == first.revealed
    assert second.revealed.facts == ("type of result 0 = f32[3]",)
    assert (third.shown.call, third.revealed.call) == ("f(f32[3])", "f(f32[5])")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with its title"),
        ("Words.\n\n# Sums\n", 1, "begins with its title"),
        ("# Sums\n\nText.\n", 1, "has to say what it shows"),
        ("# Sums\n\nShow: taught.py\n", 3, "not of the form"),
        ("# Sums\n\nShow: taught.py::\n", 3, "not of the form"),
        ("# Sums\nShow: notes.txt::f(x)\n", 2, "not of the form"),
        ("# Sums\nShow: none.py::f(x)\n", 2, "no file none.py"),
        ("# Sums\nShow: /etc/taught.py::f(x)\n", 2, "not named from the folder"),
        ("# Sums\nShow: ssh://host/taught.py::f(x)\n", 2, "not named from the folder"),
        ("# Sums\nShow: ..\\taught.py::f(x)\n", 2, "not named from the folder"),
        ("# Sums\nShow: \0.py::f(x)\n", 2, "no file"),
        ("# Sums\nStage:\n", 2, "followed by something"),
        (f"# Sums\nStage: {'x' * 600}\n", 2, "of one line"),
        ("# Sums\nShow: taught.py::f(x)\n", 1, "has no text"),
        ("# Sums\nShow: taught.py::f(x)\n\nText.\n\n## \n\nMore.\n", 6, "has no words"),
        ("# Sums\nShow: taught.py::f(x)\n\nText.\n" + "## More\nText.\n" * 100, 203, "100 parts"),
    ],
)
def test_a_wrong_lesson_says_what_and_at_which_line(
    lesson: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_text_lesson(text, lesson)
    explanation = caught.value.explanation
    assert said in explanation.why and explanation.where == f"sums.md:{line}"


def test_what_is_no_text_or_too_long_is_no_lesson(tmp_path: Path) -> None:
    path = tmp_path / "sums.md"
    for data, said in ((b"# \xff\n", "UTF-8"), (b"#" * 200_001, "too large")):
        path.write_bytes(data)
        with pytest.raises(UsageError, match=said):
            read_text_lesson(path)
    with pytest.raises(UsageError, match="could not be read"):
        read_text_lesson(tmp_path / "none.md")
    with pytest.raises(UsageError, match="could not be read"):
        read_text_lesson(tmp_path)


def test_html_is_text_and_pictures_are_not_loaded(qtbot: QtBot, tmp_path: Path) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.resize(200, 100)
    picture = tmp_path / "secret.png"
    view.show_markdown(f"<b>bold</b> <script>x</script> ![seen]({picture}) [link](file:///etc)")
    assert "<script>" in view.toPlainText() and view.loadResource(2, QUrl(str(picture))) is None
    assert not view.openLinks() and view.height() == round(view.document().size().height() + 0.5)
    assert to_plain_text("A `b` **c**\u202e.\n\nD") == "A b c<U+202E>.\nD"


def test_the_window_goes_through_a_lesson(
    driver: Driver, window: MainWindow, lesson: Path, qtbot: QtBot
) -> None:
    window._settings.add_trusted_folder(str(lesson.parent))
    window._open_chosen(str(lesson))
    run = driver.wait_for(CaptureRequest)
    assert run.request.call == "f(f32[3])"
    driver.finish(run, build_capture())
    strip, walk = window.lesson, window.walk
    assert strip.isVisible() and strip._title.text() == "Sums"
    assert strip._texts[0].toPlainText() == "One add, no more." and not strip.answer_is_shown
    assert strip._reveal.text() == "Next: How many?"
    assert "jaxpr" in window.workspace.area.shown_stages()  # not what views follow the call to
    qtbot.mouseClick(strip._reveal, Qt.MouseButton.LeftButton)
    assert strip._place.text() == "Lesson · 2 of 3" and not strip.answer_is_shown
    assert strip._reveal.text() == "Show what to see"
    qtbot.mouseClick(strip._reveal, Qt.MouseButton.LeftButton)
    assert strip.answer_is_shown and strip._texts[1].toPlainText() == "One."
    walk.go_on()
    assert strip._reveal.text() == "Show what to see" and walk.number == 2
    assert len(driver.session.of_type(CaptureRequest)) == 1  # the answer is not run before it
    walk.go_on()
    assert driver.wait_for(CaptureRequest, 2).request.call == "f(f32[5])"
    assert strip._reveal.isHidden()  # there is no other lesson in the folder
    walk.go_back()
    assert walk.number == 1 and strip.answer_is_shown
    assert str(lesson) in window._settings.recent_files
    other = lesson.with_name("other.py")
    other.write_text(PROGRAM)
    driver.open(other, ("f(f32[3])",))
    assert walk.lesson is None and strip._texts[0].isHidden() and strip._texts[1].isHidden()


def test_every_stop_of_the_tab_key_in_a_lesson_shows_that_it_has_the_keyboard(
    driver: Driver, window: MainWindow, lesson: Path
) -> None:
    window._settings.add_trusted_folder(str(lesson.parent))
    window._open_chosen(str(lesson))
    driver.finish(driver.wait_for(CaptureRequest), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    assert window.lesson._texts[0].isVisible()
    stops = [
        part
        for part in list_stops(window.lesson)
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isEnabled()
    ]
    assert len(stops) > 3
    for stop in stops:
        before = stop.grab().toImage()
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        driver.wait_until(stop.hasFocus)
        assert stop.grab().toImage() != before, stop


def test_what_a_lesson_shows_is_not_run_unasked(
    driver: Driver, window: MainWindow, lesson: Path
) -> None:
    window.open_path(str(lesson))
    assert window.controller.state.trust is Trust.ASKED
    window.walk.go_to(2, is_revealed=True)
    assert window.controller.state.trust is Trust.ASKED
    assert not driver.session.of_type(CaptureRequest)


def test_a_wrong_lesson_is_explained_and_what_was_open_stays(
    driver: Driver, window: MainWindow, lesson: Path, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    lesson.write_text("Nothing of this.")
    window._open_chosen(str(lesson))
    error = window.controller.state.error
    assert error is not None and "is no lesson" in error.explanation.what
    assert window.controller.state.file == str(source) and window.walk.lesson is None


@pytest.mark.slow
def test_presenting_goes_through_the_parts(
    driver: Driver, window: MainWindow, lesson: Path, qtbot: QtBot
) -> None:
    window._settings.add_trusted_folder(str(lesson.parent))
    window._open_chosen(str(lesson))
    driver.finish(driver.wait_for(CaptureRequest), build_capture())
    caption = window.presenting.caption
    window.toggle_presenting()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and caption.isVisible())
    assert caption.whole == "Sums\nOne add, no more."
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert caption.whole.startswith("How many?\nCount them.") and "One." not in caption.whole
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert caption.whole.endswith("One.")
    QTest.keyClick(window, Qt.Key.Key_Space)  # the next part leaves the call: its equations
    driver.wait_for(StepRequest)
    assert window.presenting.steps.is_between_equations
    QTest.keyClick(window, Qt.Key.Key_N)  # while the worker starts nothing happens
    assert window.presenting.steps.is_between_equations
    selection = window.workspace.selection
    run, steps = driver.wait_for(StepRequest), window.presenting.steps.run
    driver.wait_until(lambda: bool(window.controller._bridge._runs[steps._run]))
    run.tell(SteppingReady(Stepping("f(f32[3])", HERE, "jaxpr", 2, ("x",))))
    driver.wait_until(lambda: len(run.sent) == 1)
    run.tell(Stepped(Step(1, "0", operation="sin")))
    driver.wait_until(lambda: steps.step is not None)
    assert selection.node_at(selection.place) == ("jaxpr", 1)
    QTest.keyClick(window, Qt.Key.Key_N)
    assert caption.whole == "Longer\nThe same again."
    assert selection.place is None, "the next part is seen as a whole"
    QTest.keyClick(window, Qt.Key.Key_Space)
    driver.wait_for(CaptureRequest, 2)
    assert caption.whole.endswith("It is one again.")
    QTest.keyClick(window, Qt.Key.Key_N)
    assert caption.whole.startswith("The end")
    QTest.keyClick(window, Qt.Key.Key_N)
    assert caption.whole == "Sums\nOne add, no more."
    window.walk.go_to(2, is_revealed=True)
    QTest.keyClick(window, Qt.Key.Key_Left)
    assert caption.whole.endswith("One.")
    window.toggle_presenting()


@pytest.mark.slow
def test_space_goes_on_whatever_was_pressed_last(
    driver: Driver, window: MainWindow, lesson: Path, qtbot: QtBot
) -> None:
    window._open_chosen(str(lesson))
    window.toggle_presenting()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and window.trust_question.isVisible())
    qtbot.mouseClick(window.trust_question.once, Qt.MouseButton.LeftButton)
    driver.finish(driver.wait_for(CaptureRequest), build_capture())
    qtbot.waitUntil(lambda: not window.trust_question.isVisible())
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Space)
    assert window.call_bar.edit.text() == "f(f32[3])"
    assert window.presenting.caption.whole.startswith("How many?")
    window.focus_call()
    QTest.keyClick(window.call_bar.edit, Qt.Key.Key_Return)
    driver.wait_for(CaptureRequest, 2)
    assert not window.call_bar.edit.hasFocus()
    window.toggle_presenting()


NOTED = """# Line

Show: line.py::line(3.0)

Two operations.

Notes:

Say *nothing* of the **answer**.

## What is it?

What is 3 * 2 + 1?

Reveal:

Seven.

Notes:

Wait for hands.

## At two

Show: line.py::line(2.0)

Five.
"""


def test_notes_belong_to_a_part_and_are_for_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "line.py").write_text("def line(x):\n    return x * 2 + 1\n")
    path, out = tmp_path / "line.md", tmp_path / "steps.html"
    path.write_text(NOTED)
    first, second, third = read_text_lesson(path).parts
    assert (first.text, first.notes) == (
        "Two operations.",
        "Say *nothing* of the **answer**.",
    )
    assert (second.reveal, second.notes, third.notes) == ("Seven.", "Wait for hands.", "")
    both = NOTED.replace("Reveal:", "Notes:\n\nFirst.\n\n```\nNotes:\n```\n\nReveal:")
    (_, second, _) = parse_text_lesson(both, path).parts
    assert second.text == "What is 3 * 2 + 1?"
    assert second.notes == "First.\n\n```\nNotes:\n```\n\nWait for hands."
    beside = NOTED.replace("Reveal:\n\nSeven", "Reveal: Seven").replace("Notes:\n\n", "Notes: ")
    assert beside.count("Notes: ") == 2
    on_one_line = parse_text_lesson(beside, path).parts
    for one, other in zip(on_one_line, read_text_lesson(path).parts, strict=True):
        assert (one.text, one.reveal, one.notes) == (other.text, other.reveal, other.notes)
    assert main(["values", str(path), "-o", str(out)]) == 0
    assert "Seven." in out.read_text() and "hands" not in out.read_text()


@pytest.mark.slow
def test_the_speaker_sees_the_notes_on_another_screen(
    driver: Driver, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "line.py").write_text("# jaxscope: line(3.0)\n\n\ndef line(x):\n    return x\n")
    path = tmp_path / "line.md"
    path.write_text(NOTED)
    window._settings.add_trusted_folder(str(tmp_path))
    window._open_chosen(str(path))
    driver.finish(driver.wait_for(CaptureRequest), build_capture())
    window.toggle_presenting()
    assert window.findChildren(SpeakerScreen) == []  # there is one screen
    window.toggle_presenting()
    monkeypatch.setattr(presentation, "find_other_screen", lambda shown: shown.screen())
    window.toggle_presenting()
    (speaker,) = window.findChildren(SpeakerScreen)
    assert speaker.isVisible() and speaker.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    assert speaker.place.text().startswith("Part 1 of 3 · 0:0")
    assert speaker.heading.text() == "Line" and speaker.next.text() == "Next: What is it?"
    assert speaker.notes.toPlainText() == "Say nothing of the answer."
    assert "nothing" not in window.presenting.caption.whole
    window.walk.go_on()
    assert speaker.notes.toPlainText() == "Wait for hands."
    assert speaker.next.text() == "To be revealed: Seven."
    window.walk.go_to(2)
    assert (speaker.notes.toPlainText(), speaker.next.text()) == ("", "The last part")
    assert (
        "Wait" not in window.lesson._texts[0].toPlainText() + window.lesson._texts[1].toPlainText()
    )
    window.toggle_presenting()
    assert window.presenting._speaker is None and not speaker.isVisible()
    window.walk.end()
    window.toggle_presenting()
    assert window.presenting._speaker is None  # what is presented has no notes
    window.toggle_presenting()


def test_the_other_screen_is_one_that_the_window_is_not_on(window: MainWindow) -> None:
    assert find_other_screen(window) is None


def test_a_lesson_that_is_dropped_begins(driver: Driver, window: MainWindow, lesson: Path) -> None:
    window._settings.add_trusted_folder(str(lesson.parent))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(lesson))])
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    place, modifier = QPointF(10.0, 10.0), Qt.KeyboardModifier.NoModifier
    # As `QDragEnterEvent`, of which each release of Qt wants another kind of place.
    drag = QDropEvent(place, action, mime, button, modifier, QEvent.Type.DragEnter)
    window.dragEnterEvent(drag)
    assert drag.isAccepted()
    window.dropEvent(QDropEvent(place, action, mime, button, modifier))
    assert window.walk.lesson is not None and window.walk.lesson.title == "Sums"
    assert driver.wait_for(CaptureRequest).request.call == "f(f32[3])"


def test_a_lesson_that_is_opened_while_presenting_is_beside_the_program_after_it(
    driver: Driver, window: MainWindow, source: Path, lesson: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window._settings.shows_lessons = False
    window.toggle_presenting()
    window.open_path(str(lesson))
    assert not window.lesson.isVisible(), "only the picture is shown"
    window.toggle_presenting()
    assert window.lesson.isVisible() and window._settings.shows_lessons


def test_the_course_is_in_the_menu(driver: Driver, window: MainWindow) -> None:
    window.commands.actions["begin_course"].trigger()
    assert window.walk.lesson is not None and window.walk.lesson.title == "What is a jaxpr?"
    driver.wait_for(CaptureRequest)  # it comes with jaxscope, and runs unasked


def test_lessons_follow_each_other_in_one_language(lesson: Path) -> None:
    names = ("sums.zh.md", "tail.md", "umbra.md", "umbra.zh.md", "lonely.de.md")
    for name in names:
        lesson.with_name(name).write_text(LESSON)

    def beside(name: str) -> list[str]:
        return [each.name for each in lessons_beside(lesson.with_name(name))]

    assert beside("sums.md") == ["lonely.de.md", "sums.md", "tail.md", "umbra.md"]
    assert beside("sums.zh.md") == ["lonely.de.md", "sums.zh.md", "tail.md", "umbra.zh.md"]


def test_the_course_comes_in_the_language_of_the_window(
    qapp: QApplication, driver: Driver, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QLocale, "system", lambda: QLocale("zh_CN"))
    languages = LanguageSwitch(qapp)  # as the system
    window.begin_course()
    languages.use(Language.ENGLISH)
    languages.deleteLater()
    assert window.walk.lesson is not None and window.walk.lesson.title == "什么是 jaxpr？"
    driver.wait_for(CaptureRequest)


def test_an_open_lesson_follows_the_language(
    driver: Driver, window: MainWindow, lesson: Path
) -> None:
    lesson.with_name("sums.zh.md").write_text(
        LESSON.replace("# Sums", "# 求和").replace("Count them.", "数一数。")
    )
    window.open_path(str(lesson))
    window.walk.go_on()
    window.walk.reveal()
    begun = len(driver.session.of_type(CaptureRequest))
    languages = window.commands.root.findChildren(QAction)
    of = {each.data(): each for each in languages if isinstance(each.data(), Language)}
    try:
        for language, told, title in (
            (Language.CHINESE, "数一数。", "求和"),
            (Language.ENGLISH, "Count them.", "Sums"),
        ):
            of[language].trigger()
            assert told in window.lesson._texts[0].toPlainText()
            assert (window.walk.number, window.walk.is_revealed) == (1, True)
            rows = [button.text() for button in window.lesson.findChildren(QPushButton)]
            assert title in rows, "of the parts, and of the lessons beside it"
    finally:
        of[Language.ENGLISH].trigger()
    assert len(driver.session.of_type(CaptureRequest)) == begun, "nothing runs for another language"


def test_the_page_of_steps_holds_the_lesson(
    lesson: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "steps.html"
    assert main(["values", str(lesson), "-o", str(out)]) == 0
    text = out.read_text()
    assert text.index("<h3>Sums</h3>") < text.index("How many?") < text.index("The arguments")
    assert '<div class="answer"><p>One.</p></div>' in text and "Fact" not in text
    assert "<pre>```python\n## no heading" in text
    capsys.readouterr()
    assert main(["check", str(lesson)]) == 2
    assert "is a lesson" in capsys.readouterr().err
