"""Modules of JAX whose names may be gone in another release: looked up when they are used."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from typing import Any

from jaxscope.errors import Explanation, MissingName


class LateModule:
    """A module that is imported when something of it is first used.

    A name that it lacks is told by `MissingName`, so that it costs only what needs it. What is set
    here is set on the module.

    Args:
        names: Of the module; of several, the first that there is.
    """

    def __init__(self, *names: str) -> None:
        vars(self).update(_names=names)

    @functools.cached_property
    def _module(self) -> Any:
        for name in vars(self)["_names"]:
            try:
                return importlib.import_module(name)
            except ImportError:
                continue
        return None

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._module, name)
        except AttributeError:
            raise MissingName(_explain(vars(self)["_names"][-1], name)) from None
        vars(self)[name] = found
        return found

    def __setattr__(self, name: str, value: object) -> None:
        vars(self).pop(name, None)
        setattr(self._module, name, value)


def _explain(module: str, name: str) -> Explanation:
    return Explanation(
        f"JAX {importlib.metadata.version('jax')} has no {module}.{name}, which jaxscope uses.",
        why="It is a private name of JAX, which changes them from release to release.",
        remedy="Use a release of JAX that jaxscope was tested with, by --python.",
        kind="MissingName",
    )
