"""Keep a served model to the tools on offer while it writes: what a reply may be, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.settings.guided import Guide
from reinforced_agent.graph.state import Guidance, State
from reinforced_agent.models.binding import innermost
from reinforced_agent.models.text import TextToolModel
from reinforced_agent.policies.guiding import (
    InexpressibleError,
    Mask,
    Offer,
    Refused,
    mask_of,
    narrowed,
    request_for,
    strict_parameters,
    without_fillers,
)
from reinforced_agent.policies.guiding.strategy import Guided, Strategy, StrategyError, Way, strategy_of
from reinforced_agent.policies.parsing import Calls, ReadCall, Reading, UnreadCall
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.spec import ToolSpec


_logger = masking_logger(__name__)
_EMBEDDED: Final = "reinforced-agent-local"
_RAN: Final = (Status.DONE, Status.SERVED, Status.ANSWERED)


def guidance_of(message: AIMessage) -> Guidance | None:
    """Return for the record how the request of a message was masked; `None` where it wasn't to be."""
    told = message.response_metadata.get("guided")
    return {"way": told["way"], "sent": told["sent"], "heeded": told["heeded"]} if told else None


def guided(model: BaseChatModel, given: Strategy | str, rules: RuleBook) -> tuple[BaseChatModel, Guide | None]:
    """Return the model to ask and how its replies are masked; `None` where they are not, or the model does it itself.

    Raises:
        StrategyError: When the model can't be told in the way that is named.

    """
    way = _way(model, strategy_of(given).guided)
    if way is None:
        return model, None
    from reinforced_agent.models.guided import GuidedChatModel  # noqa: PLC0415  # only where asked for

    masks = {name: mask_of(tool) for name, tool in rules.tools.items()}
    if way == "strict tools":
        _warn_of_lax(masks)
    return GuidedChatModel.around(model), Guide(way, masks)


def _way(model: BaseChatModel, given: Guided) -> Way | None:
    """Choose how a model's server is told.

    Raises:
        StrategyError: When it can't be told in the way that is named.

    """
    if given == "off":
        return None
    inside, writes = innermost(model), isinstance(model, TextToolModel)
    can = "extra_body" in getattr(type(getattr(inside, "llm", inside)), "model_fields", {})
    if given == "auto":
        if can:
            return "response_format" if writes else "strict tools"
        if inside._llm_type != _EMBEDDED:  # noqa: SLF001  # has no public name
            _logger.warning(
                "What %s writes can't be masked: it is asked as with strategy='retry'.", type(inside).__name__
            )
        return None
    if not can:
        msg = f"guided={given!r} is for models of OpenAI-compatible servers, not {type(inside).__name__}: write 'auto'."
        raise StrategyError(msg)
    if given == "strict tools" and writes:
        msg = "guided='strict tools' is for models that call tools themselves: write 'auto', or leave the protocol out."
        raise StrategyError(msg)
    return given


def _warn_of_lax(masks: Mapping[str, Mask]) -> None:
    """Say which tools can't be strict, and why."""
    for name, mask in masks.items():
        try:
            strict_parameters(mask)
        except InexpressibleError as error:
            _logger.warning("The tool %s is offered without `strict`, which can't express it: %s.", name, error)


def _refused(state: State) -> list[Refused]:
    """Return the calls of this turn that were refused since something last ran."""
    records = list(state.get("calls", {}).values())
    since = max((record.get("step", 0) for record in having(records, *_RAN)), default=0)
    newest = state["turn"]["step"]
    refused = [one for one in having(records, Status.REVISE, Status.REFUSED) if one.get("step", 0) > since]
    return [_as_refused(one, newest=one.get("step") == newest) for one in refused]


def _as_refused(record: CallRecord, *, newest: bool) -> Refused:
    """Reduce a record to what narrows the next mask."""
    objections: list[Any] = [one for one in record.get("verdicts", ()) if one.get("verdict") in {"revise", "refuse"}]
    fields = objections[-1].get("fields", ()) if objections else ()
    return Refused(
        tool=record.get("tool", record.get("raw_name", "")),
        arguments=record.get("arguments", {}),
        kind=record.get("kind", ""),
        fields=tuple(map(str, fields)),
        newest=newest,
    )


def masking(guide: Guide, offered: Sequence[ToolSpec], state: State) -> dict[str, Any]:
    """Say what the next reply may be: a call of a tool on offer, without what was refused, or an answer."""
    offers = [Offer(spec.name, guide.masks[spec.name]) for spec in offered]
    asked = request_for(guide.way, narrowed(offers, _refused(state)))
    return {
        "way": asked.way,
        "written": asked.written,
        "body": dict(asked.body),
        "strict": dict(asked.strict),
        "names": list(asked.names),
    }


def cleared(guide: Guide, reading: Reading, message: AIMessage) -> Reading:
    """Take out of strict calls the nulls that stand for what was left out."""
    strict = message.response_metadata.get("guided", {}).get("strict", ())
    if not strict or not isinstance(reading, Calls):
        return reading
    return replace(reading, calls=tuple(_clear(guide, call, strict) for call in reading.calls))


def _clear(guide: Guide, call: ReadCall | UnreadCall, strict: Sequence[str]) -> ReadCall | UnreadCall:
    """Clear one call."""
    if isinstance(call, UnreadCall) or call.name not in strict:
        return call
    return replace(call, arguments=without_fillers(call.arguments, guide.masks[call.name]))
