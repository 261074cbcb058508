"""Requests are named once: each type has a request of the client and a handler of the worker."""

from __future__ import annotations

from jaxscope.client.requests import Request
from jaxscope.wire import protocol
from jaxscope.worker.main import HANDLERS


def test_each_type_of_request_has_one_class_and_one_handler() -> None:
    # By name: a dataclass with slots leaves the class that it was made from behind for a while.
    types = {kind.__name__: kind.type for kind in Request.__subclasses__()}
    assert sorted(types.values()) == sorted(HANDLERS)
    for type in types.values():
        assert f"\n    {type} " in str(protocol.__doc__), type
