"""Who has said what in a thread: texts that may name values, and untrusted ones, with what their calls were given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from reinforced_agent.graph.call_record import CallRecord, Foreign
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt.untrusted import foreign_in
from reinforced_agent.graph.queries.sources import source_of, source_of_message, words_of, words_of_message
from reinforced_agent.graph.state import State
from reinforced_agent.policies.situation import ResultText
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import canonical_json


def untrusted_texts(state: State, bound: Bindings) -> Iterator[tuple[Foreign, str]]:
    """List the untrusted texts of this thread."""
    strangers = bound.toolset.of_strangers
    if not strangers:
        return
    for message, given in _answered(state):
        foreign = foreign_in(message) or _unmarked(source_of_message(message), strangers)
        if foreign is not None:
            yield foreign, _of_message(message, given, bound)
    for record in state.get("calls", {}).values():
        foreign = record.get("foreign") or _unmarked(source_of(record), strangers)
        if foreign is not None and record["status"] != Status.ANSWERED and (text := _of_record(record, bound)):
            yield foreign, text
    # An answer that a summary tells of may have repeated what strangers wrote, and both may not be kept any more.
    if (summary := state.get("summary")) and summary["sources"]:
        source, told = summary["sources"][0], summary["text"]
        # It tells of trusted results as well, so what it names is not known outside.
        yield {"source": source}, ResultText(told, tool=source, arguments=told)


def trusted_texts(state: State, bound: Bindings) -> Iterator[str]:
    """List the texts that may name values: of the host, the user and persons, and results of trusted tools."""
    strangers = bound.toolset.of_strangers
    yield bound.prompt
    yield from (message.text for message in state.get("messages", []) if isinstance(message, HumanMessage))
    for message, given in _answered(state):
        if foreign_in(message) is None and source_of_message(message) not in strangers:
            yield _of_message(message, given, bound)
    for record in state.get("calls", {}).values():
        answered = record["status"] == Status.ANSWERED
        if "foreign" not in record and (answered or source_of(record) not in strangers):
            text = _of_record(record, bound)
            yield from ([str(text) if answered else text] if text else ())
        # What a person wrote into a call is as good as what the user said.
        if record.get("edit"):
            yield canonical_json(dict(record["edit"]["arguments"]))
        if "original_digest" in record:
            yield canonical_json(dict(record["arguments"]))


def _unmarked(source: str, strangers: frozenset[str]) -> Foreign | None:
    """Take a text for one of strangers where its tool says so and nothing was put on record."""
    return {"source": source} if source in strangers else None


def _answered(state: State) -> Iterator[tuple[ToolMessage, Mapping[str, Any]]]:
    """List the results in the chat, each with the arguments of its call."""
    given: dict[str, Mapping[str, Any]] = {}
    messages: list[AnyMessage] = state.get("messages", [])
    for message in messages:
        if isinstance(message, AIMessage):
            given |= {call["id"] or "": call["args"] for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            yield message, given.get(message.tool_call_id, {})


def _of_message(message: ToolMessage, given: Mapping[str, Any], bound: Bindings) -> ResultText:
    source = source_of_message(message)
    return ResultText(
        words_of_message(message),
        tool=source,
        arguments=_written(given),
        private=_is_private(source, bound),
        error=message.status == "error",
    )


def _of_record(record: CallRecord, bound: Bindings) -> ResultText:
    """Return what a call brought; the message of an error may hold foreign text as well."""
    source, words = source_of(record), words_of(record)
    return ResultText(
        words or record.get("failure", {}).get("message", ""),
        tool=source,
        arguments=_written(record.get("arguments", {})),
        private=_is_private(source, bound),
        error=not words,
    )


def _written(arguments: Mapping[str, Any]) -> str:
    """Write what a call was given; most calls have no result that is looked at."""
    return canonical_json(dict(arguments)) if arguments else ""


def _is_private(tool: str, bound: Bindings) -> bool:
    spec = bound.toolset.get(tool)
    return spec is not None and spec.private_output
