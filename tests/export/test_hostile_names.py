"""Whatever a program calls its things, a file stays whole: nothing ends early, nothing runs."""

from __future__ import annotations

import dataclasses
import html.parser
import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jaxscope.export.diff_html import comparison_to_html
from jaxscope.export.order import ExportOrder
from jaxscope.export.render import render_order
from jaxscope.export.steps_html import steps_to_html
from jaxscope.export.steps_pdf import steps_to_pdf
from jaxscope.model import Capture, GraphBuilder, GroupKind, NodeKind, StageText
from jaxscope.model.lessons import Lesson, LessonPart, Shown, TextLesson
from jaxscope.model.values import ArraySummary, Step, Stepping, StepValue
from jaxscope.program.diff.captures import ComparedCapture, compare_captures

NASTY = st.sampled_from(
    ["</script>", "<!--", "]]>", '"', "'", "\\", "&lt;", "`", "|", "\u202e", "\u2028", "\x00",
     "\x1b]0;", "\ud800", "{", "}", "%s", "\n", "->", "</svg>", "</template>", "javascript:"]
)  # fmt: skip
NAMES = st.lists(st.one_of(NASTY, st.text(max_size=6)), max_size=8).map("".join)
FEW = settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")
ALWAYS = {
    "</script><script>alert(1)</script>", "\u202e\x1b[2J", "x" * 10_000, '"];}', "]]>", "```",
    "ends in \\",
}  # fmt: skip


def name_everything(capture: Capture, name: str) -> Capture:
    """A capture of one stage in which everything has that name."""
    builder = GraphBuilder()
    group = builder.add_group("g", GroupKind.SCOPE, name)
    first = builder.add_node(
        "in:0", NodeKind.INPUT, "input", name=name, attributes={"path": name}, types=[name]
    )
    second = builder.add_node(
        "0", NodeKind.EQUATION, name, group=group, name=name, types=[name], scope=[name],
        attributes={name: name},
    )  # fmt: skip
    builder.add_edge(first, second, type=name)
    stage = dataclasses.replace(
        capture.stages[0], title=name, text=StageText.plain(name), graph=builder.build()
    )
    return dataclasses.replace(capture, call=name, stages=(stage,), messages=(name,))


def export(capture: Capture, ending: str) -> str:
    stage = capture.stages[0].name
    text = render_order(ExportOrder(capture, stage, ending)).data.decode("utf-8")
    assert not UNSEEN.search(text), "controls and marks that turn text around are made visible"
    return text


class Tags(html.parser.HTMLParser):
    """The elements of a page, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.data: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def with_hard_names(test):  # type: ignore[no-untyped-def]  # hypothesis wraps what it is given
    for name in sorted(ALWAYS):
        test = example(name)(test)
    return FEW(given(NAMES)(test))


@pytest.fixture(scope="module")
def plain(capture: Capture) -> dict[str, Tags]:
    """Pages with a harmless name, which all others are held against."""
    pages = {
        "html": export(name_everything(capture, "x"), "html"),
        "differences": page_of_differences(capture, "x"),
        "steps": steps_to_html(*steps_named(capture, "x")),
    }
    return {kind: Tags(page) for kind, page in pages.items()}


@with_hard_names
def test_svg_is_well_formed(capture: Capture, name: str) -> None:
    root = ElementTree.fromstring(export(name_everything(capture, name), "svg"))
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "title", "rect", "path", "polygon", "text"}


@with_hard_names
def test_a_page_has_the_elements_it_always_has(
    capture: Capture, plain: dict[str, Tags], name: str
) -> None:
    page, usual = Tags(export(name_everything(capture, name), "html")), plain["html"]
    assert set(page.tags) == set(usual.tags)
    assert page.tags.count("script") == usual.tags.count("script") == 2
    assert not [each for each in page.attributes if each.startswith("on")]
    data = max((each for each in page.data if each.startswith('{"files"')), key=len)
    assert json.loads(data)["stages"]


def assert_same_elements(page: str, usual: Tags) -> None:
    """That texts add no element and no attribute that runs something."""
    found = Tags(page)
    assert set(found.tags) <= set(usual.tags)
    assert found.tags.count("script") == usual.tags.count("script")
    assert not [each for each in found.attributes if each.startswith("on")]


def page_of_differences(capture: Capture, name: str) -> str:
    sides = (ComparedCapture(each, name_everything(capture, each)) for each in (name, "other"))
    return comparison_to_html(compare_captures(*sides))


@with_hard_names
@pytest.mark.slow
def test_a_page_of_differences_has_the_elements_it_always_has(
    capture: Capture, plain: dict[str, Tags], name: str
) -> None:
    assert_same_elements(page_of_differences(capture, name), plain["differences"])


def steps_named(
    capture: Capture, name: str
) -> tuple[Stepping, list[Step], Capture, Lesson | TextLesson]:
    """What pages and hand-outs are made of, with the name wherever a name can be."""
    value = StepValue("result", 0, name, name, ArraySummary((2,), name, text=name), name, name)
    step = Step(1, "0", operation=name, values=(value,), inside=name, note=name)
    stepping = Stepping(name, capture.environment, "jaxpr", 1, (name,), (name,))
    lesson = Lesson(name, name, name, name, name)
    steps = [step, Step(2, is_end=True, failure=name)]
    return stepping, steps, name_everything(capture, name), lesson


@with_hard_names
def test_a_page_of_steps_has_the_elements_it_always_has(
    capture: Capture, plain: dict[str, Tags], name: str
) -> None:
    assert_same_elements(steps_to_html(*steps_named(capture, name)), plain["steps"])


@with_hard_names
@pytest.mark.slow
def test_a_hand_out_is_written(capture: Capture, name: str) -> None:
    stepping, steps, named, lesson = steps_named(capture, name)
    assert steps_to_pdf(stepping, steps, named, lesson).startswith(b"%PDF-")
    part = LessonPart(name, name, name, Shown(name, name), Shown(name, f"f{name}"))
    told = TextLesson(name, name, (part, part))
    assert steps_to_pdf(stepping, steps * 15, named, told).startswith(b"%PDF-")


@with_hard_names
def test_dot_quotes_close_where_they_should(capture: Capture, name: str) -> None:
    dot = export(name_everything(capture, name), "dot")
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", dot)
    assert '"' not in bare
    assert bare.count("{") == bare.count("}") == 2
    assert re.fullmatch(r"[\w\s\[\]{}=;.,>-]*", bare), "nothing of a name stands outside quotes"


@with_hard_names
def test_markdown_keeps_names_in_code_or_escaped(capture: Capture, name: str) -> None:
    report = export(name_everything(capture, name), "md")
    fence = ""
    for line in report.split("\n"):  # as CommonMark reads them: a longer fence holds shorter ones
        if found := re.fullmatch(r"(`{3,})(\w*)", line):
            if not fence:
                fence = found[1]
            elif len(found[1]) >= len(fence) and not found[2]:
                fence = ""
    assert fence == "", "each is closed"
    assert report.count("## Stages") >= 1


@with_hard_names
@pytest.mark.slow
def test_json_and_pictures_are_written(capture: Capture, name: str) -> None:
    named = name_everything(capture, name)
    stage = named.stages[0].name
    data = render_order(ExportOrder(named, stage, "json")).data
    assert json.loads(data)["format"] == "jaxscope.capture"
    assert render_order(ExportOrder(named, stage, "pdf")).data.startswith(b"%PDF-")
    assert render_order(ExportOrder(named, stage, "png", scale=0.5)).data.startswith(b"\x89PNG")
