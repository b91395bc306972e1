"""Hand the tools to a chat model in the way that keeps its proposals readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableBinding

from reinforced_agent.tools.spec import Example, ToolSpec
from reinforced_agent.tools.toolset import offer


RAW_CALLS = "reinforced_agent_raw_calls"
"""Key in `additional_kwargs` under which a model may keep its calls as wire text."""

CALL_FIELDS = "reinforced_agent_call_fields"
"""Key in `additional_kwargs` for what else came with calls, such as signatures: by id of the call, or `#n` for the one
at position n where it has none."""

ASKS_FOR = "reinforced_agent_asks_for"
"""Key in `additional_kwargs` under which a model says what it asks back for: `tool`, `fields`, `arguments`."""


NOSTREAM: Final = "nostream"
"""Tag of requests that LangGraph keeps from those who listen to the messages of a run."""


@runtime_checkable
class LearnsFromExamples(Protocol):
    """A model that wants to see right calls beside the schemas."""

    learns_from_examples: bool

    def bind_tools(
        self, tools: Sequence[dict[str, Any]], *, examples: Mapping[str, Sequence[Example]] | None = None
    ) -> Any:
        """Bind tools together with their example calls."""


def bind_tools(model: BaseChatModel, specs: Sequence[ToolSpec]) -> Any:
    """Bind tools to a model; without tools the model is used as it is."""
    if not specs:
        return model
    tools = offer(specs)
    if isinstance(model, LearnsFromExamples):
        return model.bind_tools(tools, examples={spec.name: spec.examples for spec in specs})
    return model.bind_tools(tools, **(unstreamed(model) if model.disable_streaming else {}))


def pairs_of(examples: Mapping[str, Sequence[Example]] | None) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Write examples as plain data that can be bound: by tool, requests with the arguments of their right calls."""
    return {
        name: [(example.request, dict(example.arguments)) for example in given]
        for name, given in (examples or {}).items()
    }


def unstreamed(model: BaseChatModel) -> dict[str, Any]:
    """Return what a request has to say so that a model that always streams doesn't ask its server for a stream."""
    return {"stream": False} if getattr(model, "streaming", False) is True else {}


def without_streamed_calls(model: Any) -> Any:
    """Return the model as it streams no calls by itself, whatever the way the graph is run.

    Put together by LangChain, a call that was cut off looks complete; `models.streaming` does it another way.
    """
    if isinstance(model, RunnableBinding):
        return model.model_copy(update={"bound": without_streamed_calls(model.bound)})
    if model.disable_streaming or getattr(model, "streaming", None) is True:
        return model
    return model.model_copy(update={"disable_streaming": "tool_calling"})


def parts(speaker: Any) -> tuple[BaseChatModel, dict[str, Any]]:
    """Return a model and what is bound to it."""
    bound: dict[str, Any] = {}
    while isinstance(speaker, RunnableBinding):
        bound = {**speaker.kwargs, **bound}
        speaker = speaker.bound
    return speaker, bound


def innermost(model: Any) -> Any:
    """Return the model that makes the requests, below protocols and bindings."""
    while isinstance(inner := getattr(model, "inner", None), BaseChatModel):
        model = inner
    return model
