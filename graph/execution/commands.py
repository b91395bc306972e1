"""What a tool asks of the graph by returning a LangGraph `Command`: checked when it comes, kept as plain data.

A tool may add its own tool message and session facts, and hand over to the graph around this one. Everything else that
the graph keeps, such as whose turn it is and which calls ran, no tool changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import (
    AnyMessage,
    BaseMessage,
    RemoveMessage,
    ToolMessage,
    convert_to_messages,
    message_to_dict,
    messages_from_dict,
)
from langgraph.types import Command, Send

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.state import State
from reinforced_agent.policies.rules.facts import CHRONICLE
from reinforced_agent.policies.text.folds import code_list
from reinforced_agent.tools.returned import commands_in, messages_in


_MESSAGE: Final = "reinforced_agent_message"
_SEND: Final = "reinforced_agent_send"
_PROVENANCE: Final = frozenset({"value", "from", "tool", "by"})
_DEEPEST: Final = 40
"""Levels of values within values that are kept."""


class CommandError(ValueError):
    """A tool asks for something that this graph doesn't do; the text says what, and what to do instead."""

    def __init__(self, text: str, *, what: str) -> None:
        """Say it.

        Args:
            text: Says it to the author of the tool.
            what: Names it, for the model.

        """
        super().__init__(text)
        self.what = what


@dataclass(frozen=True, slots=True)
class Asked:
    """What a tool asks for beside its result."""

    facts: dict[str, Any] = field(default_factory=dict)
    """Session facts, by name."""
    handover: dict[str, Any] = field(default_factory=dict)
    """Where the graph around this one goes on (`goto`), and what is changed there (`update`); empty for nothing."""


def asked_by(value: Any, call_id: str, *, nested: bool) -> Asked:
    """Read the commands that a tool returned.

    Args:
        value: What it returned.
        call_id: The call; the tool message of a command must be for it.
        nested: Whether the graph runs within another one.

    Raises:
        CommandError: On anything that can't be done; nothing of it is done then.

    """
    commands = commands_in(value)
    if not commands:
        return Asked()
    _require_own_message(messages_in(value), call_id)
    facts: dict[str, Any] = {}
    handovers: list[Command[Any]] = []
    for command in commands:
        if command.resume is not None:
            msg = "`Command(resume=...)` answers a question to a person, which no tool may do: return the result alone."
            raise CommandError(msg, what="an answer in place of a person")
        if command.graph == Command.PARENT:
            handovers.append(command)
        else:
            _require_stays(command)
            facts |= _facts_of(_pairs(command.update))
    if handovers and not nested:
        msg = (
            "`Command(graph=Command.PARENT)` hands over to the graph around the agent, and there is none: add the "
            "agent to a graph as a node, or return the result alone."
        )
        raise CommandError(msg, what="a hand-over to another agent")
    return Asked(facts, _kept(handovers, call_id) if handovers else {})


def _require_own_message(messages: list[ToolMessage], call_id: str) -> None:
    """Refuse to answer another call, or one call twice.

    Raises:
        CommandError: Naming the id.

    """
    if len(messages) > 1:
        msg = f"A call gets one tool message, but the tool returned {len(messages)}: put the result into one."
        raise CommandError(msg, what="several results")
    if messages and messages[0].tool_call_id != call_id:
        msg = (
            f"The tool message is for the call {messages[0].tool_call_id[:80]!r}, not for the one that ran: take its "
            "id with a parameter `tool_call_id: Annotated[str, InjectedToolCallId]`."
        )
        raise CommandError(msg, what="a result for another call")


def _require_stays(command: Command[Any]) -> None:
    """Refuse to go anywhere within this graph, or to any other but the one around it.

    Raises:
        CommandError: Saying what is possible.

    """
    if command.graph is not None:
        msg = f"`Command(graph={command.graph!r})` names another graph: only `Command.PARENT` can be handed over to."
        raise CommandError(msg, what="a hand-over to another agent")
    if command.goto:
        msg = (
            f"`Command(goto={_named(command.goto)})` names a next step of the agent's own graph, which no tool may "
            "choose: add `graph=Command.PARENT` to hand over to the graph around it, or leave `goto` out."
        )
        raise CommandError(msg, what="a next step")


def _named(goto: Any) -> str:
    steps = goto if isinstance(goto, list | tuple) else [goto]
    return ", ".join(repr(one.node if isinstance(one, Send) else one)[:80] for one in steps)


def _pairs(update: Any) -> list[tuple[str, Any]]:
    """Return the changes of an update by channel.

    Raises:
        CommandError: When it has another form.

    """
    if update is None:
        return []
    if isinstance(update, Mapping):
        return list(update.items())
    if isinstance(update, list | tuple) and all(isinstance(one, list | tuple) and len(one) == 2 for one in update):  # noqa: PLR2004  # a pair
        return [(str(name), value) for name, value in update]
    msg = f"`Command(update=...)` is of the type {type(update).__name__}: write a dictionary by part of the state."
    raise CommandError(msg, what="a change of the state")


def _facts_of(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the session facts of an update; messages are only those of the call.

    Raises:
        CommandError: On a part of the state that no tool changes, or that isn't there.

    """
    facts: dict[str, Any] = {}
    for name, value in pairs:
        if name == "messages":
            _require_no_others(value)
        elif name == "facts":
            facts |= _plain_facts(value)
        else:
            why = "is the graph's own" if name in State.__annotations__ else "is not in the state of the agent"
            msg = (
                f"`Command(update=...)` changes `{name[:80]}`, which {why}: a tool may change `messages` (its own tool "
                "message) and `facts`; keep anything else in a store."
            )
            raise CommandError(msg, what=f"a change of `{name[:80]}`")
    return facts


def _require_no_others(value: Any) -> None:
    """Refuse messages that aren't the result of the call: the chat is what people and the model said.

    Raises:
        CommandError: Naming the kind.

    """
    for message in _messages(value):
        if not isinstance(message, ToolMessage):
            msg = (
                f"`Command(update=...)` adds a message of the kind {message.type[:40]!r} to the chat: a tool adds its "
                "own `ToolMessage` and no other."
            )
            raise CommandError(msg, what="further messages")


def _plain_facts(value: Any) -> dict[str, Any]:
    """Return session facts as plain values; who vouches for them, the graph says itself.

    Raises:
        CommandError: When they are no facts.

    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        msg = "`facts` of a `Command(update=...)` must be a dictionary of values by name."
        raise CommandError(msg, what="a change of `facts`")
    if own := [name for name in value if name in CHRONICLE]:
        msg = f"`Command(update=...)` changes {code_list(own)} of `facts`, which the graph writes itself: leave it out."
        raise CommandError(msg, what="a change of `facts`")
    bare = {
        name: one["value"] if isinstance(one, Mapping) and {"value", "from"} <= one.keys() <= _PROVENANCE else one
        for name, one in value.items()
    }
    return {name: _plain(one, f"facts.{name}") for name, one in bare.items()}


def _plain(value: Any, place: str) -> Any:
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"`{place[:80]}` of a `Command(update=...)` can't be kept: it must hold plain JSON values only."
        raise CommandError(msg, what=f"a change of `{place[:80]}`") from error


def _kept(handovers: Iterable[Command[Any]], call_id: str) -> dict[str, Any]:
    """Put hand-overs into a form that a checkpoint keeps; several become one.

    Raises:
        CommandError: When something in them has no such form.

    """
    goto: list[Any] = []
    update: dict[str, Any] = {}
    messages: list[AnyMessage] = []
    for command in handovers:
        steps = command.goto if isinstance(command.goto, list | tuple) else [command.goto]
        goto += [_packed(step, "goto") for step in steps if step]
        for name, value in _pairs(command.update):
            if name == "messages":
                messages += _messages(value)
            else:
                update[name] = _packed(value, name)
    # The result of the call goes into the chat like any other, with the message of the model before it.
    others = [one for one in messages if not (isinstance(one, ToolMessage) and one.tool_call_id == call_id)]
    return {"goto": goto, "update": update, "messages": [_packed(one, "messages") for one in others]}


def _messages(value: Any) -> list[AnyMessage]:
    try:
        found: Any = convert_to_messages(value if isinstance(value, list | tuple) else [value])
    except (TypeError, ValueError, NotImplementedError) as error:
        msg = f"`messages` of a `Command(update=...)` can't be read: {str(error)[:200]}"
        raise CommandError(msg, what="further messages") from error
    if any(isinstance(one, RemoveMessage) for one in found):
        msg = "`Command(update=...)` removes messages, which no tool may do: leave `RemoveMessage` out."
        raise CommandError(msg, what="the removal of messages")
    return list(found)


def _packed(value: Any, place: str, depth: int = 0) -> Any:
    """Write a value as plain data, with messages and `Send` in it marked as such.

    Raises:
        CommandError: On anything else.

    """
    if value is None or isinstance(value, str | int | float):
        return _plain(value, place)
    if depth > _DEEPEST:
        msg = f"`{place}` of a `Command` holds values within values too deep to be kept."
        raise CommandError(msg, what="a hand-over to another agent")
    if isinstance(value, BaseMessage):
        return {_MESSAGE: _plain(message_to_dict(value), place)}
    if isinstance(value, Send) and value.timeout is None:
        return {_SEND: [value.node, _packed(value.arg, place, depth + 1)]}
    if isinstance(value, list | tuple):
        return [_packed(one, place, depth + 1) for one in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _packed(one, place, depth + 1) for key, one in value.items()}
    msg = (
        f"`{place}` of a `Command` holds a {type(value).__name__}, which can't be kept until the hand-over: use plain "
        "data, messages and `Send(node, arg)`."
    )
    raise CommandError(msg, what="a hand-over to another agent")


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_MESSAGE}:
        return messages_from_dict([value[_MESSAGE]])[0]
    if value.keys() == {_SEND}:
        return Send(value[_SEND][0], _unpacked(value[_SEND][1]))
    return {key: _unpacked(one) for key, one in value.items()}


def handover_of(records: Iterable[CallRecord], chat: list[Any], output: Mapping[str, Any]) -> Command[Any]:
    """Return the command to the graph around this one, for all calls of a message that hand over.

    Args:
        records: The calls.
        chat: The chat as it is now; the graph around gets it as it does when the agent ends by itself.
        output: What else it gets then.

    """
    goto: list[Any] = []
    update: dict[str, Any] = {}
    messages = list(chat)
    for record in records:
        kept = record["handover"]
        goto += _unpacked(kept["goto"])
        update |= _unpacked(kept["update"])
        known = {message.id for message in messages}
        messages += [one for one in _unpacked(kept["messages"]) if one.id is None or one.id not in known]
    return Command(graph=Command.PARENT, goto=goto, update={**update, **output, "messages": messages})
