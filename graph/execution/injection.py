"""What the graph fills in for tools, past the model: the requester, and what LangChain does, such as the state."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, assert_never

from langgraph.config import get_config
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import get_runtime
from langgraph.store.base import BaseStore

from reinforced_agent.graph.inputs import CONFIG_KEY_READ
from reinforced_agent.graph.state import State
from reinforced_agent.policies.text.folds import code_list
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.injection import Injected, fill_in_from, outside_a_run
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.spec import ToolSpec


_CHANNELS: Final = tuple(State.__annotations__)


@dataclass(frozen=True, slots=True)
class CallPeople:
    """What is a call's own."""

    id: str
    requester: Person
    approved_by: Person | None = None


def fill_in_for(call: CallPeople) -> None:
    """Let tools that run in the rest of the present context, which belongs to one call, get what they ask for."""
    fill_in_from(partial(_value_of, call))


def _value_of(call: CallPeople, one: Injected) -> Any:
    """Find the value of a parameter.

    Raises:
        LookupError: When there is none.

    """
    if not _is_in_run():
        # A context that a call ran in may outlive it; what it was given belongs to that call alone.
        raise outside_a_run(one)
    match one.source:
        case "call id" | "requester" | "approver":
            return {"call id": call.id, "requester": call.requester, "approver": call.approved_by}[one.source]
        case "state":
            state = _state()
            return state[one.field] if one.field else state
        case "config":
            return get_config()
        case "runtime":
            return get_runtime()
        case "tool runtime":
            return _tool_runtime(call.id)
        case "store":
            if (store := get_runtime().store) is not None:
                return store
        case "key" | "host":
            pass
        case _:
            assert_never(one.source)
    msg = f"This run has nothing for `{one.name}` ({one.label})."
    raise LookupError(msg)


def _is_in_run() -> bool:
    try:
        return CONFIG_KEY_READ in get_config().get("configurable", {})
    except RuntimeError:
        return False


def _state() -> Mapping[str, Any]:
    """Read the state; what a tool does to its lists and dictionaries reaches no channel."""
    read = get_config()["configurable"][CONFIG_KEY_READ]
    # The turn says for whom the other tools of the turn run.
    return {
        name: copy.deepcopy(value) if name == "turn" else copy.copy(value)
        for name, value in read(list(_CHANNELS)).items()
    }


def _tool_runtime(call_id: str) -> ToolRuntime[Any, Any]:
    runtime = get_runtime()
    return ToolRuntime(
        state=_state(),
        context=runtime.context,
        config=get_config(),
        stream_writer=runtime.stream_writer,
        tool_call_id=call_id,
        store=runtime.store,
        execution_info=runtime.execution_info,
        server_info=runtime.server_info,
    )


def require_fillable(specs: Iterable[ToolSpec], store: BaseStore | None) -> None:
    """Refuse tools that ask for something this graph doesn't have.

    Raises:
        ToolDefinitionError: Naming the tool, what it asks for, and what to do.

    """
    for spec in specs:
        for one in spec.injected:
            if not one.optional and (flaw := _flaw(one, store)):
                msg = f"The tool {spec.name!r} takes `{one.name}` as {one.label}, but {flaw}, or give it a default."
                raise ToolDefinitionError(msg)


def _flaw(one: Injected, store: BaseStore | None) -> str:
    if one.source == "store" and store is None:
        return "the graph has no store: give it one with `build_agent(store=...)`"
    if unknown := [name for name in one.needs if name not in _CHANNELS]:
        return f"the state has no {code_list(unknown)}: ask for a part that it has, such as `messages` or `facts`"
    return ""
