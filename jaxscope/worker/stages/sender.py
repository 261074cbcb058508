"""Sends stages as messages: graphs at once, texts when they are due. Nothing here needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxscope.model.graph import Graph, graph_to_arrays
from jaxscope.model.said import ENDED, said, say
from jaxscope.model.stages import COMPILED_STAGES, stage_kind
from jaxscope.worker.channel import Channel
from jaxscope.worker.stages.hlo_cost import UNKNOWN, Costs
from jaxscope.worker.stages.machine_code import NO_CODE, NO_DUMP, MachineCode

TITLES = {name: stage_kind(name).title for name in COMPILED_STAGES}
"""What the stages are called that follow the jaxprs, in pipeline order."""

Text = Callable[[], tuple[str, Any]]


class StageSender:
    """Sends the stages of one capture.

    Attributes:
        graphs: Every graph that was sent.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._texts: list[tuple[str, Text]] = []
        self.graphs: list[Graph] = []

    def add_text(self, name: str, text: Text) -> None:
        """Have a stage's text sent by the next `send_texts`; it is printed only then."""
        self._texts.append((name, text))

    def send_graph(
        self,
        name: str,
        title: str,
        seconds: float,
        graph: Graph,
        cost: Costs = UNKNOWN,
        *,
        is_fetched: bool = False,
    ) -> None:
        self.graphs.append(graph)
        arrays = graph_to_arrays(graph)
        self.send_stage(name, title, seconds, "graph", cost, arrays, is_fetched=is_fetched)

    def send_stage(
        self,
        name: str,
        title: str,
        seconds: float | None,
        form: str,
        cost: Costs,
        arrays: dict[str, Any] | None = None,
        *,
        is_fetched: bool = False,
    ) -> None:
        fields = {
            "name": name,
            "title": title,
            "seconds": seconds,
            "unavailable": None,
            "form": form,
            "cost": list(cost),
            "is_fetched": is_fetched,
        }
        self._channel.send("stage", fields, arrays)

    def send_unavailable(self, name: str, title: str, reason: str, **more: bool) -> None:
        fields = {
            "name": name,
            "title": title,
            "seconds": None,
            "unavailable": _sentence(reason),
            "form": "none",
            "cost": list(UNKNOWN),
            **more,
        }
        self._channel.send("stage", fields)

    def send_machine(self, machine: MachineCode, seconds: float | None) -> None:
        """Send the code of the kernels; XLA's own seconds are part of the compilation, and these
        are of collecting it."""
        if not machine.kernels:
            title = TITLES["machine"]
            if machine.has_dump:
                self.send_unavailable("machine", title, NO_CODE, has_no_kernels=True)
            else:
                self.send_unavailable("machine", title, NO_DUMP)
            return
        self.send_stage("machine", TITLES["machine"], seconds, "none", UNKNOWN)
        fields = {"name": "machine", "left_out": machine.num_left_out}
        self._channel.send("kernels", fields, machine.to_arrays())

    def send_texts(self) -> None:
        """Send the texts that are due."""
        while self._texts:
            name, make_text = self._texts.pop(0)
            self._channel.progress(
                "text", say("Printing the stage {stage}", stage=said(TITLES.get(name, name)))
            )
            try:
                text, line_nodes = make_text()
            except Exception as error:
                reason = say("Printing it raised {name}.", name=type(error).__name__)
                self._channel.send("text_missing", {"name": name, "reason": reason})
                continue
            data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
            arrays = {"utf8": data}
            if line_nodes is not None:
                arrays["line_nodes"] = line_nodes
            self._channel.send("text", {"name": name}, arrays)


def _sentence(text: str) -> str:
    bare = text.strip()
    told = text if bare == text else bare  # with its template
    return told if bare.endswith((".", "!", "?")) else say(ENDED, text=told)
