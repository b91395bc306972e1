"""Turn a chat with tools into plain turns: one system text, then user and assistant by turns, beginning with the user.

Many chat templates refuse anything else. Calls and their results are written in the form of the protocol, one call a
turn, whatever number was made at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from reinforced_agent.models.text.form import Form, Turn
from reinforced_agent.models.text.prompt import Briefing, write_arguments
from reinforced_agent.models.text.reply import WrittenCall
from reinforced_agent.models.text.words import Words


@dataclass(frozen=True, slots=True)
class Scribe:
    """Writes conversations in one form and language."""

    form: Form
    words: Words

    def write(
        self, messages: Sequence[BaseMessage], briefing: Briefing, *, system_turn: bool = True
    ) -> list[BaseMessage]:
        """Write a conversation as plain messages.

        Args:
            messages: The chat, with calls and tool messages.
            briefing: What stands before it: instructions behind the system texts of the chat, and turns as examples.
            system_turn: Whether the model knows a system turn; else its text opens the first user turn.

        """
        turns = list(self._turns(messages))
        system = "\n\n".join(filter(None, [*(text for role, text in turns if role == "system"), briefing.instructions]))
        spoken = [*briefing.turns, *self._closed(_merged([turn for turn in turns if turn[0] != "system"]))]
        if system and not system_turn:
            spoken[0] = ("user", f"{system}\n\n{spoken[0][1]}")
        plain: list[BaseMessage] = [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in spoken]
        return [SystemMessage(system), *plain] if system and system_turn else plain

    def _closed(self, spoken: Sequence[Turn]) -> list[Turn]:
        """Let the user begin and end."""
        first: list[Turn] = [("user", self.words.earlier)] if not spoken or spoken[0][0] == "assistant" else []
        last: list[Turn] = [("user", self.words.go_on)] if spoken and spoken[-1][0] == "assistant" else []
        return [*first, *spoken, *last]

    def _turns(self, messages: Sequence[BaseMessage]) -> Iterator[Turn]:
        """Write each message as one turn, or as two for every call it makes."""
        results = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
        for message in messages:
            match message:
                case SystemMessage():
                    yield "system", self._text(message)
                case AIMessage():
                    yield from self._said(message, results)
                case ToolMessage() if message.tool_call_id not in results:
                    continue
                case ToolMessage():
                    yield "user", self._result(message.name or "tool", results.pop(message.tool_call_id))
                case _:
                    yield "user", self._text(message)

    def _said(self, message: AIMessage, results: dict[str, ToolMessage]) -> Iterator[Turn]:
        """Write what the model said: an answer, or each call with its result."""
        text = self._text(message)
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        if not calls:
            yield "assistant", self.form.answer(text or self.words.nothing)
        for call in calls:
            name, arguments = call["name"] or "", call["args"]
            written = arguments if isinstance(arguments, str) else write_arguments(arguments or {})
            yield "assistant", self.form.call(WrittenCall(name, written), text)
            yield "user", self._result(name, results.pop(call["id"] or "", None))
            text = ""

    def _result(self, name: str, message: ToolMessage | None) -> str:
        """Write the result of a call; a failure is named as one."""
        if message is None:
            return self.form.result(name, self.words.no_result)
        text = self._text(message) or self.words.nothing
        return self.form.result(name, f"{self.words.error}{text}" if message.status == "error" else text)

    def _text(self, message: BaseMessage) -> str:
        """Return the text of a message; parts that are no text are named."""
        if isinstance(message.content, str):
            return message.content
        return "\n".join(filter(None, map(self._part, message.content)))

    def _part(self, part: str | dict[str, object]) -> str:
        """Return the text of one part; calls and thoughts of the model are not part of what it said."""
        if isinstance(part, str):
            return part
        kind = str(part.get("type"))
        if kind == "text":
            return str(part.get("text") or "")
        if kind in _UNSAID:
            return ""
        return self.words.unseen.format(kind=kind)


_UNSAID = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "function_call_signature"}
    | {"tool_use", "tool_call", "invalid_tool_call", "function_call", "custom_tool_call"}
)


def _merged(turns: Sequence[Turn]) -> list[Turn]:
    """Put turns of the same speaker together."""
    merged: list[Turn] = []
    for role, text in turns:
        if merged and merged[-1][0] == role:
            merged[-1] = (role, f"{merged[-1][1]}\n\n{text}")
        else:
            merged.append((role, text))
    return merged
