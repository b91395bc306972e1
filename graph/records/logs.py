"""Write exceptions and log entries without secrets."""

from __future__ import annotations

import logging
import traceback

from reinforced_agent.policies.redaction import masked
from reinforced_agent.tools.results import message_of


_LONGEST_MESSAGE = 2_000
"""Characters of the message of an exception."""


def masked_traceback(error: BaseException) -> str:
    """Write an exception with its traceback for a log, without secrets; never empty, and never raises."""
    try:
        lines = traceback.format_exception(error)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        lines = traceback.format_tb(error.__traceback__)
    return str(masked("".join(lines))) or type(error).__name__


def masked_error(error: BaseException) -> str:
    """Name an exception by its type and its message, without secrets and in at most 2,000 characters."""
    return f"{type(error).__name__}: {str(masked(message_of(error)))[:_LONGEST_MESSAGE]}"


def masking_logger(name: str) -> logging.Logger:
    """Return a logger that writes no secrets: neither in its messages nor in the tracebacks beside them."""
    logger = logging.getLogger(name)
    if _mask_entry not in logger.filters:
        logger.addFilter(_mask_entry)
    return logger


def _mask_entry(entry: logging.LogRecord) -> bool:
    """Mask one entry; formatters write `exc_text` where there is one, and would write `exc_info` as it is."""
    entry.msg, entry.args = masked(entry.getMessage()), None
    if entry.exc_info and entry.exc_info[1] is not None:
        entry.exc_text, entry.exc_info = masked_traceback(entry.exc_info[1]), None
    return True


for _name in ("models.candidates", "models.guided.memory", "ledger.leases", "ledger.pauses", "tools.langchain"):
    masking_logger(f"reinforced_agent.{_name}")  # they quote errors of servers, and know nothing of what stands here
