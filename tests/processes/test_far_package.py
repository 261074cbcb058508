"""What is sent to another machine is all that it needs there."""

from __future__ import annotations

import io
import re
import zipfile

from jaxscope.client.remote_sessions import make_package


def test_every_module_that_a_sent_module_imports_is_sent() -> None:
    archive = zipfile.ZipFile(io.BytesIO(make_package()[8:]))
    names = set(archive.namelist())
    missing = set()
    for name in names:
        if not name.endswith(".py") or name == "jaxscope/__init__.py":  # loads when used
            continue
        text = archive.read(name).decode()
        for module in re.findall(r"^(?:from|import) (jaxscope[\w.]*)", text, re.MULTILINE):
            path = module.replace(".", "/")
            if not {f"{path}.py", f"{path}/__init__.py"} & names:
                missing.add((name, module))
    assert not missing
