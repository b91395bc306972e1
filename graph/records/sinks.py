"""Where records go: the stream of custom events, a structured log, the ledger's database, LangSmith."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.records.record import ProposalRecord
from reinforced_agent.graph.state import SUCCEEDED
from reinforced_agent.ledger import Ledger


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
        scores = {"first_call_valid": records[0].is_valid, "resolved": records[-1].outcome in SUCCEEDED}
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
