"""The documents name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(
        ROOT / name
        for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "RELIABILITY.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_PLACES = [ROOT / name for name in ("jaxscope", "samples", "tests", "bench", "docs")]
# A path between backticks: it has a slash or the ending of a file of ours, and no space.
_PATH = re.compile(
    r"`([\w./*-]+(?:/|\.(?:py|toml|md)))`|`((?:[\w*-]+/)+[\w.*-]+)`|\]\(([\w./-]+)\)"
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_in_documents_exist(document: Path) -> None:
    names = {name for found in _PATH.findall(document.read_text("utf-8")) for name in found if name}
    assert not sorted(name for name in names if not _exists(name, document.parent))


def _exists(name: str, folder: Path) -> bool:
    """Whether a path exists: from the root, the package or the document; a bare name anywhere."""
    if "/" not in name:
        return any(any(place.rglob(name)) for place in _PLACES) or any(ROOT.glob(name))
    places = (ROOT, ROOT / "jaxscope", ROOT / "jaxscope" / "picture", folder)
    return any(any(place.glob(name)) for place in places) or (folder / name).exists()
