"""Read the questions and answers of BFCL, from the installed wheel `bfcl-eval` or from a folder of the same layout.

The wheel is read as data: none of its code is imported, and its dependencies need not be there.
"""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.bfcl.checker import Answers
from benchmarks.bfcl.schemas import ForeignSchemaError, convert_tool
from reinforced_agent.tools.call import canonical_json


VERSION = "2026.3.23"
"""Release of `bfcl-eval` that the reader was written for."""
INSTALL = f"pip install --no-deps bfcl-eval=={VERSION}"
"""Its dependencies are many, pinned, and of no use here."""

CATEGORIES: tuple[str, ...] = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "irrelevance",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "live_irrelevance",
    "live_relevance",
)
"""What can be asked: questions of one turn, about tools in Python or JSON."""

LEFT_OUT: Mapping[str, str] = {
    "simple_java": "its values are Java expressions in texts, which only a Java parser can compare",
    "simple_javascript": "its values are JavaScript expressions in texts, which only a JavaScript parser can compare",
}
"""Categories of one turn that are not asked, and why."""

_FOLDER = "bfcl_eval/data"
_UNANSWERED = ("irrelevance", "relevance")


class QuestionsError(ValueError):
    """The questions can't be read; the text says what is wrong and what to run."""


@dataclass(frozen=True)
class Question:
    """One question with what counts as a right response."""

    id: str
    category: str
    system: str
    """What the host says to the model; empty for nothing."""
    requests: tuple[str, ...]
    """The messages of the user, one after the other."""
    tools: tuple[Mapping[str, Any], ...]
    """Name, description and parameters (JSON Schema)."""
    answers: Answers = ()
    """The wanted calls; none where only the presence of a call counts."""

    @cached_property
    def digest(self) -> str:
        """Fingerprint of what a model is asked, answers not included."""
        asked = canonical_json([self.system, [*self.requests], [dict(tool) for tool in self.tools]])
        return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()


def load_questions(category: str, folder: Path | None = None) -> list[Question]:
    """Read the questions of a category, in their published order.

    Questions that go on from earlier words of an assistant (8 of `live_irrelevance`) are left out: the graph takes in
    words of users alone.

    Args:
        category: One of `CATEGORIES`.
        folder: Holds `BFCL_v4_CATEGORY.json` and `possible_answer/`; without it the installed wheel is read.

    Raises:
        QuestionsError: When the wheel or a file is missing or damaged, or has another layout.

    """
    questions = _read(f"BFCL_v4_{category}.json", folder)
    answers: Mapping[str, Any] = {}
    if _has_answers(category):
        answers = {
            str(item.get("id")): item.get("ground_truth")
            for item in _read(f"possible_answer/BFCL_v4_{category}.json", folder)
        }
    return [
        _question(item, category, answers, folder)
        for item in questions
        if not any(message.get("role") == "assistant" for message in _messages(item, category, folder))
    ]


def _has_answers(category: str) -> bool:
    """Tell whether certain calls are wanted, rather than any call or none."""
    return not category.endswith(_UNANSWERED)


def _messages(item: Mapping[str, Any], category: str, folder: Path | None) -> Sequence[Mapping[str, Any]]:
    """Return the messages of a question; there is one turn."""
    match item.get("question"):
        case [[*messages]] if messages and all(isinstance(message, dict) for message in messages):
            return messages
        case _:
            msg = _foreign(category, f"{item.get('id')!r} is no question of one turn", folder)
            raise QuestionsError(msg)


def _question(item: Mapping[str, Any], category: str, answers: Mapping[str, Any], folder: Path | None) -> Question:
    """Turn a line into a question."""
    messages = _messages(item, category, folder)
    if _has_answers(category) and item.get("id") not in answers:
        raise QuestionsError(_foreign(category, f"{item.get('id')!r} has no answer", folder))
    try:
        return Question(
            id=item["id"],
            category=category,
            system="\n".join(message["content"] for message in messages if message["role"] == "system"),
            requests=tuple(message["content"] for message in messages if message["role"] == "user"),
            tools=tuple(convert_tool(tool) for tool in item["function"]),
            answers=tuple(_answer(answer) for answer in answers.get(item["id"], ())),
        )
    except (KeyError, TypeError, AttributeError, ForeignSchemaError) as error:
        why = str(error) if isinstance(error, ForeignSchemaError) else f"{type(error).__name__}: {error}"
        raise QuestionsError(_foreign(category, f"{item.get('id')!r}: {why}", folder)) from error


def _answer(answer: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Check the form of a wanted call: its name, and the allowed values by argument.

    Raises:
        TypeError: When it has another form.

    """
    [allowed] = answer.values()
    if not all(isinstance(values, list) for values in allowed.values()):
        msg = "the allowed values are no lists"
        raise TypeError(msg)
    return answer


def _read(name: str, folder: Path | None) -> list[dict[str, Any]]:
    """Read a file of JSON Lines.

    Raises:
        QuestionsError: When it is missing or damaged.

    """
    content = _installed(name) if folder is None else _from(folder / name)
    return list(_lines(content, name, folder))


def _lines(content: bytes, name: str, folder: Path | None) -> Iterator[dict[str, Any]]:
    """Decode every line."""
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise QuestionsError(_damaged(name, f"line {number} is no JSON", folder)) from error
        if not isinstance(value, dict):
            raise QuestionsError(_damaged(name, f"line {number} is no JSON object", folder))
        yield value


def _from(path: Path) -> bytes:
    """Read a file of a folder."""
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"The questions in {str(path)!r} can't be read: {error.strerror}. Name a folder laid out as {_FOLDER}."
        raise QuestionsError(msg) from error


def _installed(name: str) -> bytes:
    """Read a file of the installed wheel, and compare it with the fingerprint it was installed with."""
    try:
        files = metadata.distribution("bfcl-eval").files or []
    except metadata.PackageNotFoundError as error:
        msg = f"The questions of BFCL are not installed; run: {INSTALL}"
        raise QuestionsError(msg) from error
    file = next((file for file in files if file.as_posix() == f"{_FOLDER}/{name}"), None)
    if file is None:
        msg = f"The installed bfcl-eval has no {name}, so it is of another layout; run: {INSTALL}"
        raise QuestionsError(msg)
    try:
        content = Path(str(file.locate())).read_bytes()
    except OSError as error:
        raise QuestionsError(_damaged(name, str(error.strerror), None)) from error
    if file.hash is not None and _fingerprint(content, file.hash.mode) != file.hash.value:
        raise QuestionsError(_damaged(name, "it is not as it was published", None))
    return content


def _fingerprint(content: bytes, mode: str) -> str:
    """Fingerprint a file as the records of wheels do."""
    return urlsafe_b64encode(hashlib.new(mode, content).digest()).rstrip(b"=").decode()


def _damaged(name: str, why: str, folder: Path | None) -> str:
    """Say that a file is damaged, and what to do."""
    if folder is not None:
        return f"The questions in {str(folder / name)!r} can't be used: {why}. Put the whole file there."
    return f"The file {name} of the installed bfcl-eval is damaged: {why}; run: {INSTALL} --force-reinstall"


def _foreign(category: str, why: str, folder: Path | None) -> str:
    """Say that a file has another layout, and what to do."""
    advice = f"run: {INSTALL}" if folder is None else f"lay the folder out as {_FOLDER} of bfcl-eval {VERSION}"
    return f"The questions of {category!r} have an unknown form ({why}); {advice}"
