"""The fit expert: whether a tool is meant at all, by how much of its name and description the request says.

For tools without examples: the talk that a request is compared with says little about which requests need a call.
"""

import math
import re
from collections.abc import Mapping, Sequence

from reinforced_agent.models.local.choice import words
from reinforced_agent.models.local.prompt import Tool


EVEN = 0.2
"""Fit at which a call is as likely as an answer; chosen on development requests."""
STEEP = 3.3
"""Nats for a whole name or a whole description; chosen on development requests."""
LACKING = 3.0
"""Nats against a call whose required numbers nobody has said; chosen on development requests."""
_FUNCTION_WORDS = """
    a about all an and any are as at be been being between but by can could did do does each for from get give had has
    have he her him his how i if in into is it its just let like make may me more most my need no not of on only or our
    out per please she should show so some such tell than that the their them then there these they this those to under
    up us use using want was we were what when where which who whom why will with would you your
"""
_STOP = words(_FUNCTION_WORDS)
_AMOUNT = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|"
    r"eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|dozens?|half|"
    r"halves|quarters?|single|double|triple|once|twice|thrice|both|couple|pair|first|second|third|fourth|fifth|last|next|"
    r"this|today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
"""What a number of a call may be taken from, generously: a day, a year or an ordinal among it."""
_LATIN = re.compile(r"[a-z]{2,}", re.IGNORECASE)


def content(text: str) -> set[str]:
    """Return the words of a text that say what it is about."""
    return words(text) - _STOP


def fit(tool: Tool, request: str) -> float:
    """Return the share of the name of a tool that a request says plus that of its description, 0 to 2."""
    said = content(request)
    return sum(len(part & said) / max(1, len(part)) for part in (content(tool.name), content(tool.description)))


def call_odds(tools: Sequence[Tool], request: str) -> float | None:
    """Return the log-odds that one of the tools is meant; None where the words of a request can't tell."""
    if not tools or len(_LATIN.findall(request)) < 3:  # noqa: PLR2004 - "yes", or another script
        return None
    return STEEP * (max(fit(tool, request) for tool in tools) - EVEN)


def lacks_numbers(tool: Tool, told: str) -> bool:
    """Tell whether a call needs more numbers than were said: then it would have to make some up."""
    required = [tool.properties.get(name) for name in tool.parameters.get("required") or ()]
    needed = sum(
        isinstance(schema, Mapping) and schema.get("type") in ("integer", "number") and "default" not in schema
        for schema in required
    )
    return needed > len(_AMOUNT.findall(told))


def log_sigmoid(odds: float) -> float:
    """Return the natural log of the probability with these log-odds."""
    return -math.log1p(math.exp(-odds)) if odds > 0 else odds - math.log1p(math.exp(odds))
