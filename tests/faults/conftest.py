"""One session for all faults: each must leave it fit for the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxscope.client.session import Session


@pytest.fixture(scope="package")
def session() -> Iterator[Session]:
    """A session that lives through all faults of the folder."""
    with Session() as session:
        yield session
