"""End a turn in which a request to the model brought nothing, and tell the operator why and what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, Final, cast

from pydantic import SecretStr

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.records.logs import masked_error, masked_traceback, masking_logger
from reinforced_agent.graph.state import ModelError, Spoken, Turn
from reinforced_agent.models.binding import innermost
from reinforced_agent.models.errors import ModelFault, fault_of
from reinforced_agent.models.waiting import ModelTimeoutError
from reinforced_agent.policies.messages.endings import fault_sentence
from reinforced_agent.policies.redaction import hide, masked
from reinforced_agent.policies.redaction.names import secret_named
from reinforced_agent.policies.text.visible import visible
from reinforced_agent.tools.results import message_of


_logger = masking_logger(__name__)

_MOST_TRACED: Final = 20_000
"""Characters of a traceback in the log, its end."""
_SHORTEST_SECRET: Final = 6
"""Characters; hiding a shorter text wherever it stands would hide what is none."""
_OUTCOMES: Final = {"length": "too_long", "filter": "filtered"}
"""How a turn ends by a fault that is neither the provider's trouble nor the service's."""
_CAME: Final = {
    "address": "No request could be made",
    "connection": "No answer came",
    "setup": "The model refused to be used",
    "code": "Code failed before there was an answer",
}
"""What came of the request, where that was no answer."""


def ended_without_reply(turn: Turn, error: Exception, seconds: float, bound: Bindings) -> Turn:
    """End a turn for an error of a request to the model; its client has retried already.

    What may pass by itself ends as `model_down`, or as `limit` where the time of the run was over. What somebody has to
    mend first ends as `misconfigured`, what is too long for the model as `too_long`, and what its provider's filter
    refuses as `filtered`. All of it is put on record and in the log: at ERROR where the operator has something to do.

    Args:
        turn: The turn so far.
        error: What the client raised, or our own code before it was asked.
        seconds: How long the request took.
        bound: The parts of the graph.

    """
    fault = fault_of(error)
    cause = visible(_without(secrets_of(bound.model), _cause(error, fault)))
    failed: Spoken = {
        "step": turn["step"] + 1,
        "kind": "failed",
        "problem": fault.kind,
        "error": cause,
        "model_seconds": seconds,
    }
    spoken = [*turn.get("spoken", ()), failed]
    ended: Turn = {**turn, "seconds": turn.get("seconds", 0.0) + seconds, "spoken": spoken}
    if isinstance(error, ModelTimeoutError):
        _logger.warning("The model gave no answer in the time that was left of the run.")
        return {**ended, "outcome": "limit", "detail": message_of(error)}
    outcome = _OUTCOMES.get(fault.kind, "misconfigured" if fault.permanent else "model_down")
    detail = "\n".join([cause, *_more(fault)])
    _log(outcome, fault, detail, error, bound)
    return {**ended, "outcome": outcome, "detail": detail, "model_error": _told(outcome, fault, turn, bound)}


def ended_by_filter(turn: Turn, reason: str, bound: Bindings) -> Turn:
    """End a turn of whose reply the provider's filter left nothing; asked again it would do so again.

    Args:
        turn: The turn so far, with the message.
        reason: Why the reply ended, in the provider's word.
        bound: The parts of the graph.

    """
    fault = ModelFault("filter", permanent=True, code=reason)
    told = {**_told("filtered", fault, turn, bound), "operator": f"The filter left nothing of the reply ({reason})."}
    detail = f"The provider's filter left nothing of the reply: {reason}."
    _logger.warning("A turn ended as filtered: %s", detail)
    return {**turn, "outcome": "filtered", "detail": detail, "model_error": cast("ModelError", told)}


def _cause(error: Exception, fault: ModelFault) -> str:
    """Name an error; of what isn't the provider's, say what came and from where, which its client doesn't."""
    if not fault.page:
        return masked_error(error)
    status = f", with status {fault.status}" if fault.status is not None else ""
    place = f", from {fault.address}" if fault.address else ""
    return f"What came in place of a reply: {masked(fault.page)}{status}{place}."


def _more(fault: ModelFault) -> Iterator[str]:
    """Say what the error itself doesn't say."""
    if fault.advice:
        yield f"What to do: {fault.advice}."


def _told(outcome: str, fault: ModelFault, turn: Turn, bound: Bindings) -> ModelError:
    """Put an error into what may be handed on: for the user a sentence, for the operator facts, from neither a secret.

    What a provider writes may hold anything: it stays in the detail of the turn and in the log.
    """
    told: ModelError = {
        "kind": fault.kind,
        "sentence": fault_sentence(outcome, fault.kind, turn.get("locale", "en")),
        "operator": _facts(fault),
        "ended": bound.now().isoformat(),
    }
    if fault.status is not None:
        told["status"] = fault.status
    if fault.code and masked(fault.code) == fault.code:
        told["code"] = fault.code
    if fault.retry_after is not None:
        told["wait"] = fault.retry_after
    return told


def _facts(fault: ModelFault) -> str:
    """Say what came of a request, and what to do."""
    code = f" ({fault.code})" if fault.code and masked(fault.code) == fault.code else ""
    if fault.page:
        came = f"What came in place of a reply: {fault.page.partition(' with the title ')[0]}"
        came += f", with status {fault.status}" if fault.status is not None else ""
    elif fault.status is not None:
        came = f"The provider answered with status {fault.status}{code}"
    else:
        came = f"{_CAME.get(fault.kind, 'The request failed')}{code}"
    overflow = fault.overflow.window
    came += f"; the model takes in {overflow} tokens" if fault.kind == "length" and overflow else ""
    return f"{came}. What to do: {fault.advice}." if fault.advice else f"{came}."


def _log(outcome: str, fault: ModelFault, detail: str, error: Exception, bound: Bindings) -> None:
    """Write down what ended a turn; only whoever can mend code needs to know where it failed."""
    if outcome == "misconfigured":
        trace = _without(secrets_of(bound.model), masked_traceback(error)[-_MOST_TRACED:])
        traced = f"\n{visible(trace)}" if fault.kind == "code" else ""
        _logger.error("The model can't be used as it is set up. %s%s", detail, traced)
    else:
        _logger.log(logging.WARNING, "A turn ended as %s: %s", outcome, detail)


def secrets_of(model: Any) -> frozenset[str]:
    """Return the keys that a model was given: a server may quote one in any form, of which nothing else is known."""
    fields = vars(innermost(model))
    values = [one.get_secret_value() for one in fields.values() if isinstance(one, SecretStr)]
    headers = fields.get("default_headers")
    if isinstance(headers, dict):
        values += [str(value) for name, value in headers.items() if secret_named(str(name))[0]]
    return frozenset(one for one in values if len(one) >= _SHORTEST_SECRET)


def _without(secrets: frozenset[str], text: str) -> str:
    """Hide secrets in a text, longer ones first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, hide("key", secret))
    return text
