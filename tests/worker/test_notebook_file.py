"""A notebook is no file that can be run, and is answered with what works instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.errors import SourceError
from jaxscope.worker.host.source import read_source


def test_a_notebook_is_answered_with_what_works_inside_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text('{"cells": []}')

    with pytest.raises(SourceError) as raised:
        read_source(str(path))

    assert "is a notebook" in raised.value.explanation.what
    assert "`jaxscope.capture(" in raised.value.explanation.remedy
