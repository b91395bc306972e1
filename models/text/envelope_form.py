"""The form of replies that are always one JSON object: a call, or an answer in an object of its own."""

from __future__ import annotations

import json
import re

from reinforced_agent.models.text.json_form import FENCED, JsonForm
from reinforced_agent.models.text.reply import Reply, end_of_value, join, split_thinking
from reinforced_agent.models.text.words import Words


_ANSWER = re.compile(r'\{\s*+"answer"\s*+:\s*+(?=")')
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


class EnvelopeForm(JsonForm):
    """Calls as with the `json` protocol; answers as `{"answer": "..."}`, of which only the text is handed on."""

    def rules(self, words: Words) -> str:
        """Explain the form to the model."""
        return words.envelope

    def answer(self, text: str, thought: str = "") -> str:
        """Write an answer as an object."""
        del thought
        return json.dumps({"answer": text}, ensure_ascii=False)

    def read(self, text: str) -> Reply:
        """Take a reply apart; one that doesn't have the form is read as with the `json` protocol."""
        thoughts, said = split_thinking(text)
        fenced = FENCED.fullmatch(said.strip())
        body = (fenced["body"] if fenced else said).strip()
        head = _ANSWER.match(body)
        if head is None:
            return super().read(text)
        answer, after = _string(body, head.end())
        return super().read(text) if answer is None else Reply(join(answer.strip(), after), thoughts)


def _string(body: str, start: int) -> tuple[str | None, str]:
    """Return the text that begins at a position, as far as it was written, and what was said after its object.

    The text is `None` when it can't be read.
    """
    end = end_of_value(body, start)
    if end is not None:
        rest = body[end:].strip()
        return json.loads(body[start:end], strict=False), rest[1:].strip() if rest.startswith("}") else ""
    written = _CUT_ESCAPE.sub("", body[start:])
    try:
        return json.loads(f'{written}"', strict=False), ""
    except ValueError:
        return None, ""
