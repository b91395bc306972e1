"""A tiny set of questions in words of our own, laid out as those of BFCL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.bfcl.questions import Question, load_questions


PAINT: dict[str, Any] = {
    "name": "paint.needed",
    "description": "Tell how many litres of paint a wall needs.",
    "parameters": {
        "type": "dict",
        "properties": {
            "width": {"type": "integer", "description": "Metres."},
            "height": {"type": "float", "description": "Metres."},
            "colour": {"type": "string", "enum": ["white", "grey"], "description": "Colour.", "default": "white"},
        },
        "required": ["width", "height"],
    },
}
BRUSH: dict[str, Any] = {
    "name": "find_brush",
    "description": "Find a brush.",
    "parameters": {
        "type": "dict",
        "properties": {
            "size": {"type": "any", "description": "Size."},
            "span": {"type": "tuple", "items": {"type": "float"}, "description": "From and to."},
        },
        "required": [],
    },
}
WANTED: dict[str, Any] = {"paint.needed": {"width": [4], "height": [2.5], "colour": ["white", ""]}}
RIGHT: dict[str, Any] = {"name": "paint_needed", "arguments": {"width": 4, "height": 2.5}}
WRONG: dict[str, Any] = {"name": "paint_needed", "arguments": {"width": 5, "height": 2.5}}
MISSPELT: dict[str, Any] = {"name": "paint_needed", "arguments": {"widht": 4, "height": 2.5}}


def ask(test_id: str, *tools: dict[str, Any], messages: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Write a question."""
    told = messages or [("user", f"A wall of 4 by 2.5 metres: how much paint? ({test_id})")]
    turn = [{"role": role, "content": text} for role, text in told]
    return {"id": test_id, "question": [turn], "function": list(tools)}


def write(folder: Path, category: str, items: Sequence[Any], answers: Sequence[Any] | None = None) -> None:
    """Write the questions of a category, and their answers."""
    (folder / "possible_answer").mkdir(exist_ok=True)
    lines = "".join(json.dumps(item) + "\n" for item in items)
    (folder / f"BFCL_v4_{category}.json").write_text(lines, encoding="utf-8")
    if answers is not None:
        lines = "".join(json.dumps(item) + "\n" for item in answers)
        (folder / "possible_answer" / f"BFCL_v4_{category}.json").write_text(lines, encoding="utf-8")


def write_set(folder: Path, count: int = 8) -> Path:
    """Write a set: questions with one call, with two calls, and with no fitting tool."""
    simple = [f"simple_python_{number}" for number in range(count)]
    pairs = [f"parallel_{number}" for number in range(count)]
    write(
        folder,
        "simple_python",
        [ask(one, PAINT) for one in simple],
        [{"id": one, "ground_truth": [WANTED]} for one in simple],
    )
    write(
        folder,
        "parallel",
        [ask(one, PAINT, BRUSH) for one in pairs],
        [{"id": one, "ground_truth": [WANTED, {"find_brush": {"size": ["big"]}}]} for one in pairs],
    )
    write(folder, "irrelevance", [ask(f"irrelevance_{number}", PAINT) for number in range(count)])
    return folder


def question_of(folder: Path, category: str) -> Question:
    """Return the first question of a category of the set."""
    return load_questions(category, write_set(folder, 1))[0]
