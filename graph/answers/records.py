"""Hand the records of a turn that has ended to every sink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.effects import thread_of
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.records.record import ProposalRecord, records_of
from reinforced_agent.graph.records.sinks import EVENT
from reinforced_agent.graph.state import State


_logger = masking_logger(__name__)


def put_on_record(
    state: State, config: RunnableConfig, bound: Bindings, write: Callable[[Any], object] = lambda _event: None
) -> None:
    """Hand the records of a turn that has ended to every sink; whatever a sink does, the run goes on.

    Args:
        state: The state at the end of the turn.
        config: The configuration of the run.
        bound: The parts of the graph.
        write: Writes to the stream of custom events.

    """
    try:
        records = records_of(state, thread_of(config), bound.now().isoformat())
    except Exception:
        _logger.exception("The turn could not be put on record.")
        return
    for sink in (_to_stream(write), *bound.sinks):
        try:
            sink(records)
        except Exception:
            _logger.exception("A sink of records failed; the run goes on.")


def _to_stream(write: Callable[[Any], object]) -> Callable[[Sequence[ProposalRecord]], None]:
    """Make a sink of the stream of custom events."""

    def stream(records: Sequence[ProposalRecord]) -> None:
        for record in records:
            write({"type": EVENT, "record": record.model_dump(mode="json")})

    return stream
