"""A draft runs in place of what is in a file, and the file stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.client.session import Session
from jaxscope.errors import TraceError
from jaxscope.model import Capture, StageText
from jaxscope.model.outline import Outline

ON_DISK = (
    "import jax.numpy as jnp\nfrom beside import K\n\n\ndef f(x):\n    return jnp.sin(x) * K\n"
)
DRAFT = ON_DISK.replace("jnp.sin(x)", "jnp.cos(x)") + "\n\ndef added(x):\n    return x[x > 0]\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("K = 2.0\n")
    path = tmp_path / "program.py"
    path.write_text(ON_DISK)
    return path


def test_the_draft_is_traced_shown_and_quoted_and_the_file_is_not(file: Path) -> None:
    drafts = {str(file): DRAFT}
    with Session() as session:
        request = CaptureRequest(str(file), "f(f32[3])", drafts=drafts)
        capture = session.start(request).wait()
        assert isinstance(capture, Capture)
        text = capture.stages[0].text
        assert isinstance(text, StageText) and "cos" in text.text and "sin" not in text.text
        assert [source.text for source in capture.files if source.path == str(file)] == [DRAFT]
        outline = session.start(OutlineRequest(str(file), drafts=drafts)).wait()
        assert isinstance(outline, Outline)
        assert [function.name for function in outline.functions] == ["f", "added"]
        with pytest.raises(TraceError) as caught:
            session.start(CaptureRequest(str(file), "added(f32[3])", drafts=drafts)).wait()
        assert caught.value.explanation.where == "program.py:10"
        assert "return x[x > 0]" in caught.value.explanation.traceback
        plain = session.start(CaptureRequest(str(file), "f(f32[3])")).wait()
        assert isinstance(plain, Capture) and "sin" in str(plain.stages[0].text)
    assert file.read_text() == ON_DISK
