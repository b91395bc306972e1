"""What comes in at the door: user messages and answers to approvals; within another graph, the chat it keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langgraph.types import Command, Interrupt

from reinforced_agent.graph.context import Context
from reinforced_agent.graph.people import signed
from reinforced_agent.policies.approval import Waiting, read_answer


CONFIG_KEY_CHECKPOINTER: Final = "__pregel_checkpointer"
"""Where LangGraph hands the parent's checkpointer to a nested graph; not public, so a test watches it."""
CONFIG_KEY_READ: Final = "__pregel_read"
"""Where LangGraph puts the function by which a node reads the state; not public either."""
CONFIG_KEY_RUNTIME: Final = "__pregel_runtime"
"""Where LangGraph puts the runtime of a node, whose context holds for what the node calls; not public either."""


OWN_PLACE: Final = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
"""A call that gives one of these has a place of its own, and inherits nothing of the node that it is made from."""


_ID: Final = re.compile(r"[0-9a-f]{32}")
"""Form of the id of an interrupt."""


class InputError(ValueError):
    """A run was started with something other than user messages; nothing was changed."""


def surroundings(config: RunnableConfig) -> RunnableConfig:
    """Return a configuration with what LangGraph adds to it: a node need not hand its own on to what it calls."""
    inherited = var_child_runnable_config.get() or {}
    if any((config.get("configurable") or {}).get(name) for name in OWN_PLACE):
        return config
    return merge_configs({"configurable": inherited.get("configurable") or {}}, config)


def given_context(config: RunnableConfig, options: Mapping[str, Any]) -> object:
    """Return the context of a run as it was given: with the run, or to the graph from whose node it is made."""
    if (given := options.get("context")) is not None:
        return given
    for one in (config, var_child_runnable_config.get() or {}):
        if (runtime := (one.get("configurable") or {}).get(CONFIG_KEY_RUNTIME)) is not None:
            return getattr(runtime, "context", None)
    return None


def is_nested(config: RunnableConfig) -> bool:
    """Tell whether the graph is run from within a node of another graph.

    What tells is a function that LangGraph puts there; a client that writes configuration as JSON can't.
    """
    return callable((config.get("configurable") or {}).get(CONFIG_KEY_READ))


def is_kept(config: RunnableConfig) -> bool:
    """Tell from within a node whether a checkpointer, its own or that of a graph around it, keeps the thread."""
    return bool((config.get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER))


def is_node_of_nested(config: RunnableConfig) -> bool:
    """Tell the same from within a node of this graph: its place then has more than one part."""
    return "|" in str((config.get("configurable") or {}).get("checkpoint_ns", ""))


def admit(value: Any, context: Context, *, nested: bool) -> Any:
    """Let resumes and user messages in; with the messages, whose they are.

    Args:
        value: What the graph is run with.
        context: Who runs it.
        nested: Whether it runs within another graph, which keeps the chat and hands it over.

    Raises:
        InputError: On any other input.

    """
    if value is None:
        return value
    if isinstance(value, Command):
        return _admit_resume(value)
    if nested and isinstance(value, Mapping) and "messages" in value:
        # A parent hands over all of its channels; the chat is the one that is shared.
        value = {"messages": value["messages"]}
    if not isinstance(value, Mapping) or set(value) != {"messages"}:
        msg = 'The input must be {"messages": [...]} with user messages and nothing else.'
        raise InputError(msg)
    messages = value["messages"]
    messages = convert_to_messages(messages if isinstance(messages, list) else [messages])
    if nested:
        return {"messages": messages, "tenant": context.tenant}
    strange = next((message.type for message in messages if not isinstance(message, HumanMessage)), None)
    if strange is not None or not messages:
        msg = f"The input must hold user messages only, but has {strange or 'none'}; the graph keeps the chat itself."
        raise InputError(msg)
    return {"messages": signed(messages, context), "tenant": context.tenant}


def _admit_resume(command: Command[Any]) -> Command[Any]:
    """Let answers to approvals in, but no update of the state and no jump.

    Raises:
        InputError: On a command that does more than resume.

    """
    if command.update or command.goto or command.graph or command.resume is None:
        msg = "A resume carries an answer and nothing else: send Command(resume=...) without `update` or `goto`."
        raise InputError(msg)
    return command


def is_bare_resume(admitted: object) -> bool:
    """Tell whether an input is an answer that doesn't name its question by the id of the interrupt."""
    if not isinstance(admitted, Command) or admitted.resume == {}:
        return False
    resume = admitted.resume
    return not isinstance(resume, Mapping) or not all(_ID.fullmatch(str(key)) for key in resume)


def is_answer(admitted: object) -> bool:
    """Tell whether an input answers questions."""
    return isinstance(admitted, Command) and admitted.resume != {}


def addressed(admitted: Command[Any], pending: Sequence[Interrupt]) -> Command[Any] | None:
    """Name the questions that an answer is for as they are called now; `None` where it can be for none.

    An answer that names none is for the only one that waits; of several, LangGraph asks which is meant. Where none
    waits, as after an edit of the chat, LangGraph would keep it for the next one that is put: nobody has seen that one,
    so decisions by position go nowhere. A question that was put again has a new id: an answer by its old one counts if
    all its decisions name tokens of calls that wait there.
    """
    if is_bare_resume(admitted):
        if not pending and _decides_by_position(admitted.resume):
            return None
        return Command(resume={pending[0].id: admitted.resume}) if len(pending) == 1 else admitted
    given: dict[str, Any] = dict(cast("Mapping[str, Any]", admitted.resume))
    open_ = [one for one in pending if one.id not in given]
    for old in given.keys() - {one.id for one in pending}:
        if (meant := next((one for one in open_ if is_bound_to(given[old], one)), None)) is not None:
            open_.remove(meant)
            given[meant.id] = given.pop(old)
    return Command(resume=given)


def _decides_by_position(answer: object) -> bool:
    """Tell whether a decision of an answer names no call."""
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    listed = decisions if isinstance(decisions, list | tuple) else []
    return any(isinstance(one, Mapping) and "token" not in one for one in listed)


def is_bound_to(answer: object, question: Interrupt) -> bool:
    """Tell whether every decision of an answer names, by its token, a call that a question is about."""
    asked = question.value.get("calls") if isinstance(question.value, Mapping) else None
    calls = [call for call in asked if isinstance(call, Mapping)] if isinstance(asked, list) else []
    # A tool that asks for something itself may use the same word for something else: it has no tokens.
    read = read_answer(answer, [Waiting(str(call.get("call_id")), str(call.get("token", ""))) for call in calls])
    return bool(read.decided) and not read.problems


def refuse_repeated(values: Mapping[str, Any], ids: list[str]) -> None:
    """Keep a message that was sent twice from starting its turn anew, and from closing a question that waits.

    Raises:
        InputError: When the thread has one of the messages.

    """
    known = {message.id for message in values.get("messages", ())}
    if repeated := [one for one in ids if one in known]:
        msg = (
            f"The message {repeated[0]!r} was received already: read its answer or its question from the thread's "
            "state, resume it, or go on with an interrupted run by invoking with None."
        )
        raise InputError(msg)
