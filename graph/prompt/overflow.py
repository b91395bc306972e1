"""Learn from a refusal how much a model takes in, and show it less of the conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.messages import AnyMessage

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt.window import cost_of
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.settings.sizes import tokens_within
from reinforced_agent.models.counting import Calibrated
from reinforced_agent.models.error_evidence import Overflow
from reinforced_agent.models.errors import fault_of


_logger = masking_logger(__name__)


class ShownMessages:
    """What the model is shown, and once more with less where it says that this was too long."""

    def __init__(self, write: Callable[[], list[AnyMessage]], bound: Bindings) -> None:
        """Begin with all that is to be shown.

        Args:
            write: Writes what is shown within what was learnt so far.
            bound: The parts of the graph.

        """
        self.messages = write()
        self._write = write
        self._bound = bound
        self._is_last = False

    def shorten(self, error: Exception) -> bool:
        """Show less after an error of a request; returns whether it is worth another one.

        What is learnt holds for all later requests of the agent, in whatever thread.
        """
        fewer = _shortened(error, self.messages, self._write, self._bound)
        if fewer is None or self._is_last:
            return False
        self.messages, self._is_last = fewer, True
        return True


def _shortened(
    error: Exception, shown: Sequence[AnyMessage], again: Callable[[], list[AnyMessage]], bound: Bindings
) -> list[AnyMessage] | None:
    """Return what to show instead of what was too long; `None` where it wasn't that, or nothing can be left out."""
    fault = fault_of(error)
    if fault.kind != "length":
        return None
    _learn(fault.overflow, shown, bound)
    fewer = again()
    # Learning may have changed how tokens are counted: both are counted as it is done now.
    before, after = (cost_of(messages, bound.sizes.count) for messages in (shown, fewer))
    if after >= before:
        return None
    _logger.warning(
        "The model refused about %d tokens as too long: from now on it is shown about %s at most.",
        before,
        bound.sizes.budget,
    )
    return fewer


def _learn(told: Overflow, shown: Sequence[AnyMessage], bound: Bindings) -> None:
    """Learn the window: from the numbers of the refusal where it holds any, else from what was sent."""
    sizes = bound.sizes
    if told.window is None:
        sent = cost_of(shown, sizes.count)
        sizes.learnt.narrow(sent // 2, sent + sizes.tools)
        return
    sent = told.sent if told.sent is not None and told.sent + (told.output or 0) > told.window else told.window
    if isinstance(sizes.count, Calibrated):
        sizes.count.learn(cost_of(shown, sizes.count) + sizes.tools, sent)
    here = cost_of(shown, sizes.count)
    # Where more was counted there than here, a token there is a smaller piece of text.
    scale = min((here + sizes.tools) / sent, 1.0)
    room = tokens_within(told.window, sizes.tools, told.output or 0)
    sizes.learnt.narrow(max(min(int(room * scale), here * 3 // 4), 1), max(int(told.window * scale), 1))
