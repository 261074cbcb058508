"""Tags that stand in stack frames: they move into names, and leave the tables as without tags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jaxscope.model.op_name import move_tags, put_tags, strip_tags, untag_frames

TEXT = """\
HloModule jit_f

FileNames
1 "jxs~"
2 "f.py"

FunctionNames
1 "jxsd8~jxsb3~"
2 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=0 end_column=0}
2 {file_name_id=2 function_name_id=2 line=5 end_line=5 column=11 end_column=40}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=1 parent_frame_id=3}


%main (x: f32[]) -> f32[] {
  %x = f32[] parameter(0), metadata={op_name="x"}
  %a = f32[] abs(%x), metadata={op_name="jxsd1~/jit(f)/abs" stack_frame_id=3}
  %b = f32[] abs(%a), metadata={op_name="jxsd2~/jit(f)/abs" stack_frame_id=2}
  %c = f32[] call(%b), metadata={stack_frame_id=1}
  ROOT %d = f32[] abs(%c), metadata={op_name="abs" stack_frame_id=1}
}
"""

PLAIN = """\
HloModule jit_f

FileNames
1 "f.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=5 end_line=5 column=11 end_column=40}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%main (x: f32[]) -> f32[] {
  %x = f32[] parameter(0), metadata={op_name="x"}
  %a = f32[] abs(%x), metadata={op_name="jit(f)/abs" stack_frame_id=1}
  %b = f32[] abs(%a), metadata={op_name="jit(f)/abs" stack_frame_id=1}
  %c = f32[] call(%b)
  ROOT %d = f32[] abs(%c), metadata={op_name="abs"}
}
"""


def test_the_text_is_that_of_the_program_without_tags() -> None:
    moved = move_tags(TEXT)

    assert 'op_name="jxsd1~/jit(f)/jxsd8~jxsb3~//abs" stack_frame_id=1}' in moved
    assert 'op_name="jxsd2~/jit(f)/abs" stack_frame_id=1}' in moved
    assert 'call(%b), metadata={op_name="jxsd8~jxsb3~//"}' in moved
    assert strip_tags(TEXT) == PLAIN
    assert strip_tags(PLAIN) == move_tags(PLAIN) == PLAIN


def test_a_text_that_xla_did_not_write_stays() -> None:
    for line in ("1 {file_location_id=1 parent_frame_id=1}", '1 "jxsd8~jxsb3~"', '1 "jxs~"'):
        bad = TEXT.replace(line, "1 {}")
        assert move_tags(bad) == bad
    assert move_tags('"jxs~"') == '"jxs~"'


def test_of_joined_names_the_first_is_that_of_the_instruction_that_is_left() -> None:
    assert put_tags("jxsd3~", "jit(f)/mul;jit(f)/add") == "jit(f)/jxsd3~//mul;jit(f)/add"
    assert put_tags("", "mul") == "mul"


_FRAMES = st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 12)), max_size=12)


@given(_FRAMES, st.dictionaries(st.integers(0, 6), st.sampled_from(["jxsd1~", "jxsd2~"])))
def test_every_chain_of_frames_keeps_what_is_no_tag(
    frames: list[tuple[int, int]], tags: dict[int, str]
) -> None:
    def chain(rows: list[tuple[int, int]], number: int) -> list[int]:
        places, seen = [], set()
        while 0 < number <= len(rows) and number not in seen:
            seen.add(number)
            place, number = rows[number - 1]
            places.append(place)
        return places

    untagged = untag_frames(frames, tags, range(len(frames) + 1))

    assert len(set(untagged.frames)) == len(untagged.frames)
    assert all(parent < new for new, (_, parent) in enumerate(untagged.frames, start=1))
    for number in range(1, len(frames) + 1):
        places = chain(frames, number)
        left = [place for place in places if place not in tags]
        if left != places and left[len(left) // 2 :] == left[: len(left) // 2]:
            del left[len(left) // 2 :]  # put there twice, because of the tag
        assert chain(list(untagged.frames), untagged.numbers[number - 1]) == left
        told = [tags[place] for place in reversed(places) if place in tags]
        assert untagged.tags[number - 1] == "".join(told)
    unused = untag_frames(frames, tags, ())
    assert len(unused.frames) <= len(untagged.frames)
    for number in range(1, len(frames) + 1):
        if tags.keys().isdisjoint(chain(frames, number)):
            assert chain(list(unused.frames), unused.numbers[number - 1]) == chain(frames, number)
