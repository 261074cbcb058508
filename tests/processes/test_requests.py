"""Requests are named once: each type has a request of the client and a handler of the worker."""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.client.requests import Request
from jaxscope.wire import protocol
from jaxscope.worker.main import HANDLERS


def all_kinds(base: type[Request]) -> Iterator[type[Request]]:
    """The classes of requests below a class; one without a type only has what several share."""
    for kind in base.__subclasses__():
        if kind.type:
            yield kind
        yield from all_kinds(kind)


def test_each_type_of_request_has_one_class_and_one_handler() -> None:
    # By name: a dataclass with slots leaves the class that it was made from behind for a while.
    types = {kind.__name__: kind.type for kind in all_kinds(Request)}
    assert sorted(types.values()) == sorted(HANDLERS)
    for type in types.values():
        assert f"\n    {type} " in str(protocol.__doc__), type
