"""Write down everything that is said to a model and by it, and read what it proposed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import LLMResult

from benchmarks.bfcl.checker import Response, WrittenCall
from reinforced_agent.graph.checks.reviewer import TAG
from reinforced_agent.graph.prompt.messages import output_of
from reinforced_agent.policies.messages import for_operator
from reinforced_agent.policies.parsing import Answer, Calls, UnreadCall, Unusable, read
from reinforced_agent.policies.tool_names import NameIndex


class Recorder(BaseCallbackHandler):
    """Listens to a model."""

    def __init__(self) -> None:
        self.replies: list[AIMessage] = []
        """What it said, in order."""
        self.shown: list[list[dict[str, Any]]] = []
        """The messages of each request, as plain data."""
        self.reviews: list[AIMessage] = []
        """What a reviewing model said, which is no proposal."""
        self._reviewers: set[UUID] = set()

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **kwargs: Any,
    ) -> None:
        """Note a request."""
        del serialized
        if TAG in (kwargs.get("tags") or ()):
            self._reviewers.add(run_id)
            return
        self.shown.append([_plain(message) for message in messages[0]])

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Note a reply."""
        del kwargs
        message = getattr(response.generations[0][0], "message", None)
        if isinstance(message, AIMessage):
            (self.reviews if run_id in self._reviewers else self.replies).append(message)

    def as_json(self) -> list[dict[str, Any]]:
        """Return every request with its reply, as plain data."""
        return [
            {"shown": shown, "said": said_by(reply)} for shown, reply in zip(self.shown, self.replies, strict=False)
        ]

    @property
    def tokens(self) -> int | None:
        """Tokens read and written, as model and reviewer count them; `None` when they tell nothing."""
        said = [*self.replies, *self.reviews]
        counts = [reply.usage_metadata["total_tokens"] for reply in said if reply.usage_metadata]
        return sum(counts) if counts else None


def _plain(message: BaseMessage) -> dict[str, Any]:
    """Turn a message that is shown to a model into plain data."""
    told: dict[str, Any] = {"role": message.type, "content": message.content}
    if isinstance(message, AIMessage) and message.tool_calls:
        told["tool_calls"] = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    return told


def said_by(message: AIMessage) -> dict[str, Any]:
    """Turn a reply into plain data: text, calls as delivered, why it ended, and the tokens it took."""
    output = output_of(message)
    return {
        "content": message.content,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in output.calls],
        "finish_reason": output.finish_reason,
        "usage": dict(message.usage_metadata) if message.usage_metadata else None,
        **{key: message.response_metadata[key] for key in ("text_protocol",) if key in message.response_metadata},
    }


def proposal_of(message: AIMessage, names: Iterable[str]) -> Response:
    """Read what a reply proposes; no layer but the reader has a say.

    Args:
        message: The reply.
        names: The tools that were offered.

    """
    match read(output_of(message), NameIndex(names)):
        case Answer():
            return Response()
        case Unusable(problems=problems):
            return Response(unreadable=for_operator(problems, tool=""))
        case Calls(calls=calls):
            unread = next((call for call in calls if isinstance(call, UnreadCall)), None)
            if unread is not None:
                return Response(unreadable=for_operator(unread.problems, tool=unread.name))
            return Response(tuple(WrittenCall(call.name, call.arguments) for call in _read_calls(calls)))


def _read_calls(calls: Sequence[Any]) -> Iterable[Any]:
    """Leave the calls that can be read."""
    return (call for call in calls if not isinstance(call, UnreadCall))
