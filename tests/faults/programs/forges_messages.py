"""Writes messages to the descriptors that it finds, as if they were of another run."""

# jaxscope: f(f32[3])
import contextlib
import json
import os
import struct


def forge(**fields):
    payload = json.dumps({**fields, "run": "0123", "arrays": []}).encode()
    for descriptor in range(200, 220):
        with contextlib.suppress(OSError):
            os.write(descriptor, struct.pack("<IB", len(payload), 1) + payload)


def f(x):
    forge(type="stage", name="jaxpr", title="", form="none", unavailable=None, seconds=float("nan"))
    forge(type="failed", fault="trace", stage=None, explanation={"what": "It was forged."})
    forge(type="done", wall_seconds=-1.0)
    return x * 2
