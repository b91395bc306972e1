"""Where records go: the stream of custom events, a structured log, the ledger's database, LangSmith."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.masking import masking_logger
from reinforced_agent.graph.recording import ProposalRecord, records_of
from reinforced_agent.graph.state import State
from reinforced_agent.graph.tickets import thread_of
from reinforced_agent.tools.ledger import Ledger


if TYPE_CHECKING:
    from langsmith.run_trees import RunTree

_logger = masking_logger(__name__)

EVENT = "reinforced_agent.record"
"""Value of `type` in the custom events that carry records."""


class LogSink:
    """Writes each record as one structured entry of a log: the record as JSON, and its fields in `extra`."""

    def __init__(self, logger: logging.Logger | None = None, level: int = logging.INFO) -> None:
        """Write to a logger; without one, to `reinforced_agent.records`."""
        self._logger = logger or masking_logger("reinforced_agent.records")
        self._level = level

    def __call__(self, records: Sequence[ProposalRecord]) -> None:
        """Write the records."""
        for record in records:
            self._logger.log(self._level, "%s", record.model_dump_json(), extra={"record": record.model_dump()})


class SqlSink:
    """Writes records to the table of a ledger's database; a record that is written again takes its old place."""

    def __init__(self, ledger: Ledger) -> None:
        """Write beside the effects of a ledger."""
        self._ledger = ledger

    def __call__(self, records: Sequence[ProposalRecord]) -> None:
        """Write the records in one transaction.

        Raises:
            LedgerError: When the database can't be written.

        """
        self._ledger.records.write([record.model_dump(mode="json") for record in records])


class LangSmithSink:
    """Scores the run in LangSmith: `first_call_valid` and `resolved`; does nothing unless tracing is on."""

    def __init__(self) -> None:
        """Send nothing yet."""
        self._sending: list[threading.Thread] = []

    def __call__(self, records: Sequence[ProposalRecord]) -> None:
        """Send the scores in the background; one that can't be sent is logged."""
        from langsmith import get_current_run_tree  # noqa: PLC0415  # loaded only where it is asked for

        run = get_current_run_tree()
        if run is None or not records:
            return
        scores = {"first_call_valid": records[0].is_valid, "resolved": records[-1].outcome == "answered"}
        self._sending = [thread for thread in self._sending if thread.is_alive()]
        self._sending.append(threading.Thread(target=_score, args=(run, scores), name="langsmith-scores", daemon=True))
        self._sending[-1].start()

    def flush(self, seconds: float = 10.0) -> None:
        """Wait until what was scored has been handed over, at most these seconds a score."""
        for thread in list(self._sending):
            thread.join(seconds)


def _score(run: RunTree, scores: Mapping[str, bool]) -> None:
    """Send scores of a run; LangSmith wants to know its project by id."""
    try:
        project = run.client.read_project(project_name=run.session_name)
        for key, value in scores.items():
            run.client.create_feedback(
                key=key,
                score=float(value),
                run_id=run.trace_id,
                trace_id=run.trace_id,
                session_id=project.id,
                start_time=run.start_time,
            )
    except Exception:
        _logger.exception("The scores of a run could not be sent to LangSmith.")


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
