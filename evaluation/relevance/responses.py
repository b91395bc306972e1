"""Look at a recorded response as the relevance layer would."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from reinforced_agent.graph.settings.relevance import shipped_forest
from reinforced_agent.policies.relevance import Forest, Proposal, Proposed, ToolIndex, is_plain_english
from reinforced_agent.tools.spec import ToolSpec


FOLDS: Final = 5


def fold_of(test_id: str) -> int:
    """Return the part of a test case: all responses to one question belong to the same."""
    return hashlib.sha256(f"relevance {test_id}".encode()).digest()[0] % FOLDS


def proposal_of(response: Mapping[str, Any]) -> Proposal | None:
    """Return the proposal of a response; nothing where it holds no readable call, or the request can't be judged."""
    calls = [Proposed(call["name"], call["arguments"]) for call in response["calls"] or [] if _is_readable(call)]
    said = tuple(str(message["content"]) for message in response.get("messages", ()) if message["role"] == "user")
    if not calls or not said or not is_plain_english(said[-1]):
        return None
    return Proposal(said[-1], calls, _index(json.dumps(response["tools"], sort_keys=True)), said)


def question_about(response: Mapping[str, Any], forest: Forest | None = None) -> str:
    """Say what the layer would ask about a response; empty for nothing.

    Each response is judged by the trees that were trained without any response to the same question.

    Args:
        response: A recorded response.
        forest: The trees; by default those of the package.

    """
    forest = forest or shipped_forest()
    proposal = proposal_of(response)
    if proposal is None:
        return ""
    probability = forest.probability(proposal.features, fold=fold_of(response["id"]))
    return f"wrong with probability {probability:.2f}" if probability >= forest.threshold else ""


def _is_readable(call: Mapping[str, Any]) -> bool:
    """Tell whether a call has a name and an object of arguments."""
    return isinstance(call["name"], str) and isinstance(call["arguments"], dict)


@lru_cache(maxsize=4096)
def _index(tools: str) -> ToolIndex:
    """Take the tools of a response apart; many responses share theirs."""
    return ToolIndex(
        ToolSpec(
            name=tool["name"],
            description=tool.get("description") or "",
            parameters=tool.get("parameters") or {"type": "object"},
        )
        for tool in json.loads(tools)
    )
