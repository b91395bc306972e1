"""A tool that blocks until it is let go, and the two ways to call it."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from reinforced_agent.tools.execution import Late, Outcome, Raised, arun_call, run_call
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.threads import ToolsBusyError


class Gate:
    """A tool that blocks until its gate is opened."""

    def __init__(self, name: str = "gate") -> None:
        """Close the gate."""
        self.entered: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.opened = threading.Event()
        self.spec = ToolSpec(name=name, description="", parameters={"type": "object"}, run=self._run)

    def open(self) -> None:
        """Let every call pass, and wait until the threads are gone."""
        self.opened.set()
        for thread in self.threads():
            thread.join(5)

    def threads(self) -> list[threading.Thread]:
        """Return the threads on which the tool is at work."""
        return [thread for thread in threading.enumerate() if thread.name == f"tool-{self.spec.name}"]

    def _run(self, _: Any) -> str:
        self.entered.put(None)
        assert self.opened.wait(10)
        return "through"


Door: TypeAlias = Callable[..., Outcome]


def wait(spec: ToolSpec, seconds: float, late: Late | None = None, **more: Any) -> Outcome:
    """Run as a caller that waits."""
    return run_call(spec, {}, seconds=seconds, late=late, **more)


def hurry(spec: ToolSpec, seconds: float, late: Late | None = None, **more: Any) -> Outcome:
    """Run as a caller in an event loop."""
    return asyncio.run(arun_call(spec, {}, seconds=seconds, late=late, **more))


DOORS = pytest.mark.parametrize("door", [wait, hurry], ids=["sync", "async"])


def is_busy(outcome: Outcome) -> bool:
    """Tell whether a call was turned away."""
    return isinstance(outcome, Raised) and isinstance(outcome.error, ToolsBusyError)
