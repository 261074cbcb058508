"""One session for all faults: each must leave it fit for the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxscope.client.session import Session
from tests.faults.scene import end_scenes


@pytest.fixture(scope="package")
def session() -> Iterator[Session]:
    """A session that lives through all faults of the folder."""
    with Session() as session:
        yield session


@pytest.fixture(autouse=True)
def _no_scene_outlives_its_test() -> Iterator[None]:
    yield
    end_scenes()
