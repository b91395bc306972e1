"""End a turn in which a request to the model brought nothing, and tell the operator where only they can mend it."""

from __future__ import annotations

from typing import Final

from reinforced_agent.graph.records.logs import masked_error, masked_traceback, masking_logger
from reinforced_agent.graph.state import Spoken, Turn
from reinforced_agent.models.errors import fault_of
from reinforced_agent.models.waiting import ModelTimeoutError
from reinforced_agent.policies.text.visible import visible
from reinforced_agent.tools.results import message_of


_logger = masking_logger(__name__)

_MOST_TRACED: Final = 20_000
"""Characters of a traceback in the log, its end."""


def ended_without_reply(turn: Turn, error: Exception, seconds: float) -> Turn:
    """End a turn for an error of a request to the model; its client has retried already.

    What may pass by itself ends as `model_down`, or as `limit` where the time of the run was over. What somebody has to
    mend first ends as `misconfigured`, with an entry of the log and a record.

    Args:
        turn: The turn so far.
        error: What the client raised, or our own code before it was asked.
        seconds: How long the request took.

    """
    ended: Turn = {**turn, "seconds": turn.get("seconds", 0.0) + seconds}
    if isinstance(error, ModelTimeoutError):
        return {**ended, "outcome": "limit", "detail": message_of(error)}
    detail = visible(masked_error(error))
    fault = fault_of(error)
    if not fault.permanent:
        return {**ended, "outcome": "model_down", "detail": detail}
    detail = f"{detail}\nWhat to do: {fault.advice}."
    traced = f"\n{visible(masked_traceback(error)[-_MOST_TRACED:])}" if fault.kind == "code" else ""
    _logger.error("The model can't be used as it is set up. %s%s", detail, traced)
    failed: Spoken = {"step": turn["step"] + 1, "kind": "failed", "problem": fault.kind, "model_seconds": seconds}
    return {**ended, "outcome": "misconfigured", "detail": detail, "spoken": [*turn.get("spoken", ()), failed]}
