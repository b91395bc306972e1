"""A LangSmith client that sends no secrets."""

from __future__ import annotations

from typing import Any

from langsmith import Client
from urllib3.util import Retry

from reinforced_agent.policies.redaction import masked


_PATIENCE = (2_000, 5_000)
"""Milliseconds to connect, and to wait for an answer. LangSmith's own are longer: a process would not end for minutes
when its server hangs."""

_RETRY = Retry(
    total=1,
    backoff_factor=0.5,
    status_forcelist=[408, 429, 500, 502, 503, 504],
    allowed_methods=None,
    raise_on_status=False,
    respect_retry_after_header=False,
)

_BESIDE = ("extra", "serialized", "events", "tags")
"""What a run carries beside its inputs, outputs, metadata and error, which the anonymizer is applied to."""


class MaskedClient(Client):
    """Masks everything a run carries, in the thread of the run; sending happens in the background."""

    def __init__(self, **options: Any) -> None:
        """Make a client.

        Args:
            options: As for LangSmith's own client, which reads the rest from the environment.

        """
        options.setdefault("timeout_ms", _PATIENCE)
        options.setdefault("retry_config", _RETRY)
        super().__init__(anonymizer=masked, **options)

    def create_run(self, name: str, inputs: dict[str, Any], run_type: Any, **kwargs: Any) -> None:
        """Send the start of a run."""
        super().create_run(masked(name), inputs, run_type, **_masked_beside(kwargs))

    def update_run(self, run_id: Any, **kwargs: Any) -> None:
        """Send the end of a run."""
        super().update_run(run_id, **_masked_beside(kwargs))


def _masked_beside(fields: dict[str, Any]) -> dict[str, Any]:
    """Mask the fields that the anonymizer isn't applied to."""
    return {name: masked(value) if name in _BESIDE else value for name, value in fields.items()}
