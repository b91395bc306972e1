"""The embedded model as it is: it goes on with a chat, freely and greedily, without tools and without a grammar."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict, PrivateAttr

from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.prompt import CHATML


class PlainLocalModel(BaseChatModel):
    """Plain chat with loaded weights: `PlainLocalModel(engine=load_local().engine)`.

    `response_metadata` has `finish_reason` (`stop`, or `length` where the tokens ran out) and `model_name`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    engine: Any
    """The loaded `Engine`."""
    most_tokens: int = 256
    """Most tokens of a reply."""
    _read: Reading | None = PrivateAttr(None)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-local-plain"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return {"model_name": self.engine.name, "most_tokens": self.most_tokens}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - part of LangChain's contract
        **kwargs: Any,  # noqa: ARG002 - so is this
    ) -> ChatResult:
        with self._lock:
            tokens = self.engine.encode(_prompt(self.engine.tokenizer, messages))
            written, reason = self._write(tokens, stop or ())
        text = self.engine.decode(written)
        end = min((place for one in stop or () if (place := text.find(one)) >= 0), default=len(text))
        usage = {"input_tokens": len(tokens), "output_tokens": len(written), "total_tokens": len(tokens) + len(written)}
        metadata = {"finish_reason": reason, "model_name": self.engine.name}
        message = AIMessage(text[:end].strip(), response_metadata=metadata, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _write(self, tokens: Sequence[int], stop: Sequence[str]) -> tuple[list[int], str]:
        """Write greedily after a prompt; what it shares with the last one isn't read again."""
        engine: Engine = self.engine
        reading = engine.move(self._read, tokens) if self._read else engine.read(tokens)
        self._read = None  # a reading that an error left half-way is not gone on with
        written: list[int] = []
        reason = "length"
        while len(written) < self.most_tokens:
            token = int(reading.logits[-1].argmax())
            if token == engine.end:
                reason = "stop"
                break
            written.append(token)
            if stop and any(one in engine.decode(written) for one in stop):
                reason = "stop"
                break
            reading = engine.extend(reading, [token])
        self._read = reading
        return written, reason


def _prompt(tokenizer: Any, messages: Sequence[BaseMessage]) -> str:
    """Write the turns in the chat format of the model."""
    turns = [{"role": _role(message), "content": message.text} for message in messages]
    template = tokenizer.chat_template or CHATML
    text: str = tokenizer.apply_chat_template(turns, chat_template=template, tokenize=False, add_generation_prompt=True)
    return text


def _role(message: BaseMessage) -> str:
    return (
        "system" if isinstance(message, SystemMessage) else "user" if isinstance(message, HumanMessage) else "assistant"
    )
