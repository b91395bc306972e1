"""The form of replies that are always one JSON object: a call, or an answer in an object of its own."""

from __future__ import annotations

import json
import re

from reinforced_agent.models.text.json_form import FENCED, JsonForm
from reinforced_agent.models.text.reply import Reply, end_of_value, join, split_thinking
from reinforced_agent.models.text.words import Words


_ANSWER = re.compile(r'\{\s*+"answer"\s*+:\s*+')
_OPENING = '{"answer":"'
_BLANKS = re.compile(r"\s+")
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
        """Take a reply apart; one that doesn't have the form is read as with the `json` protocol.

        Words around the object of an answer, which a server that takes no notice of the form lets pass, are kept.
        """
        thoughts, said = split_thinking(text)
        fenced = FENCED.fullmatch(said.strip())
        body = (fenced["body"] if fenced else said).strip()
        if body and _OPENING.startswith(_BLANKS.sub("", body)):
            return Reply("", thoughts)  # cut off before anything was said
        head = _ANSWER.search(body)
        if head is None or "{" in body[: head.start()]:
            return super().read(text)
        answer, after = _value(body, head.end())
        if answer is None:
            return super().read(text)
        return Reply(join(body[: head.start()].strip(), answer.strip(), after), thoughts)


def _value(body: str, start: int) -> tuple[str | None, str]:
    """Return the answer that begins at a position, as far as it was written, and what was said after its object.

    It is `None` when it can't be read.
    """
    end = end_of_value(body, start)
    if end is not None:
        rest = body[end:].strip()
        return _as_text(body[start:end]), rest[1:].strip() if rest.startswith("}") else ""
    if not body.startswith('"', start):
        return None, ""
    written = _CUT_ESCAPE.sub("", body[start:])
    try:
        return str(json.loads(f'{written}"', strict=False)), ""
    except ValueError:
        return None, ""


def _as_text(written: str) -> str:
    """Return a JSON value as it is told: a text without its quotes, nothing for null."""
    if written.startswith('"'):
        return str(json.loads(written, strict=False))
    return "" if written == "null" else written
