"""Small recordings in our own words, in the shapes of the published ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from reinforced_agent.evaluation.replay.recorded import FILE
from tests.architecture.house import ROOT


DATA = ROOT.parent / "shared" / "data"
"""Where the published recordings are, if they are at hand."""

TOOLS = [
    {
        "name": "area",
        "description": "",
        "parameters": {
            "type": "dict",
            "properties": {"base": {"type": "integer"}, "unit": {"type": "string", "enum": ["cm", "m"]}},
            "required": ["base"],
        },
    }
]


def response(
    calls: Any, *, right: bool = False, error_type: str = "", decode_error: str | None = None
) -> dict[str, Any]:
    """Write a recorded response."""
    return {
        "id": "t",
        "model": "m",
        "tools": TOOLS,
        "calls": calls,
        "is_correct": right,
        "error_type": error_type or None,
        "decode_error": decode_error,
    }


def call(**arguments: Any) -> dict[str, Any]:
    """Write a recorded call."""
    return {"name": "area", "arguments": arguments}


RESPONSES = [
    response([call(base=1)], right=True),
    response([call(base=1, unit="CM")], right=True),
    response([call(base="one")], right=True),
    response([], right=True),
    response([call(base="one")], error_type="type_error:simple"),
    response([call(base=2)], error_type="value_error:others"),
    response([{"name": "volume", "arguments": {}}], error_type="simple_function_checker:wrong_func_name"),
    response(None, error_type="ast_decoder:decoder_failed", decode_error="bad"),
    response([], error_type="simple_function_checker:wrong_count"),
]


def write(folder: Path, responses: list[dict[str, Any]]) -> Path:
    """Write responses as they are published."""
    with gzip.open(folder / FILE, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(item) + "\n" for item in responses)
    return folder
