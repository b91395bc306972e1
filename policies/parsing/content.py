"""Read the text of a message: an answer, calls that leaked into it, or something to ask the model again about.

Drafts of calls in a model's reasoning are thoughts and never executed. Reasoning stands in `<think>` (DeepSeek-R1,
Qwen3) and its relatives, `[THINK]` (Mistral), `<|START_THINKING|>` (Cohere), `◁think▷` (Kimi-VL),
`<|begin_of_thought|>` (OpenThinker), `<reflection>` and other tags that prompts ask for. Chat templates often write the
opening tag themselves, so that the output starts in the middle of a thought.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from reinforced_agent.policies.parsing.arguments import MAX_CHARACTERS
from reinforced_agent.policies.parsing.finish_reason import Ending
from reinforced_agent.policies.parsing.leaked import Broken, Found, Leaked, find_calls, only_registered
from reinforced_agent.policies.parsing.leaked.harmony import read_harmony
from reinforced_agent.policies.parsing.leaked.react import Spoken, read_react
from reinforced_agent.policies.parsing.leaked.traces import first_trace, has_trace
from reinforced_agent.policies.parsing.native import CUT_OFF, Identities
from reinforced_agent.policies.parsing.output import Answer, Calls, ReadCall, Reading, Repair, Unusable
from reinforced_agent.policies.parsing.repair import strip_outer
from reinforced_agent.policies.text.json_faults import encodable
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind, Problem


_FINAL_TOKENS = re.compile(
    r"(?:<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end|return|call)\|>|</s>|<end_of_turn>|<\uff5cend▁of▁sentence\uff5c>)\s*+"
)

_NAME = r"(?:think|thinking|thought|thoughts|reasoning|seed:think)"
_OPEN = rf"(?:<{_NAME}\s*+>|\[THINK\]|<\|START_THINKING\|>|<\|begin_of_thought\|>|\u25c1think\u25b7)"
_CLOSE = rf"(?:</{_NAME}\s*+>|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|\u25c1/think\u25b7)"
LEADING_THOUGHT = re.compile(rf"\s*+{_OPEN}", re.IGNORECASE)
ANY_THOUGHT_END = re.compile(_CLOSE, re.IGNORECASE)
_SOMETHING = re.compile(r"\S")
# Names that an answer in XML may use too: thoughts only at the start, and only if something follows them.
_LEADING_PLAIN = re.compile(r"\s*+<(reflection|scratchpad|analysis)\s*+>", re.IGNORECASE)
# A tag right after a quote or a backtick is mentioned, not used.
_USED_TAG = rf"(?<![`'\"\u201c\u2018\u300c])(?:(?P<open>{_OPEN})|(?P<close>{_CLOSE}))"
_TAG = re.compile(_USED_TAG, re.IGNORECASE)
_TAG_OR_FENCE = re.compile(rf"{_USED_TAG}|(?P<fence>^```)", re.IGNORECASE | re.MULTILINE)
_PLAIN_CLOSE = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("reflection", "scratchpad", "analysis")}


class Speech(NamedTuple):
    """A text taken apart."""

    text: str
    """What is said."""
    thoughts: str = ""
    """What was only thought."""


def split_leading(content: str) -> Speech:
    """Take off the reasoning at the start of a message; an unclosed block is reasoning to its end.

    Only the start is touched, so a text that mentions the tags further on, in a string of a call for instance, stays
    as it is.
    """
    thoughts: list[str] = []
    position = 0
    while opened := LEADING_THOUGHT.match(content, position) or _LEADING_PLAIN.match(content, position):
        plain = opened.lastindex is not None
        closed = (_PLAIN_CLOSE[opened[1].lower()] if plain else ANY_THOUGHT_END).search(content, opened.end())
        if plain and closed and not _SOMETHING.search(content, closed.end()):
            break
        end = closed.start() if closed else len(content)
        thoughts.append(content[opened.end() : end].strip())
        position = closed.end() if closed else len(content)
    return Speech(content[position:], "\n".join(thoughts))


def split_lost_opening(text: str) -> Speech | None:
    """Take off reasoning whose opening tag stood in the prompt: all up to the first tag, if that is a closing one."""
    if "/" not in text and "<|" not in text:
        return None
    first = _TAG.search(text)
    if first is None or not first["close"]:
        return None
    return Speech(text[first.end() :], text[: first.start()].strip())


def split_everywhere(text: str) -> Speech:
    """Take closed blocks out of the middle of a text, and an unclosed one that starts a line.

    Good for showing a text; not for reading calls, since a block may as well stand inside a string.
    """
    if "<" not in text and "[" not in text and "\u25c1" not in text:
        return Speech(text)
    said: list[str] = []
    thoughts: list[str] = []
    position = 0
    while opened := _next_opening(text, position):
        closed = ANY_THOUGHT_END.search(text, opened.end())
        if closed is None and text[: opened.start()].rpartition("\n")[2].strip():
            break
        said.append(text[position : opened.start()])
        thoughts.append(text[opened.end() : closed.start() if closed else len(text)].strip())
        position = closed.end() if closed else len(text)
    return Speech("".join([*said, text[position:]]), "\n".join(thoughts))


def _next_opening(text: str, position: int) -> re.Match[str] | None:
    """Find the next opening tag outside fenced code; what is fenced is shown, not thought."""
    fenced = False
    for found in _TAG_OR_FENCE.finditer(text, position):
        if found["fence"]:
            fenced = not fenced
        elif found["open"] and not fenced:
            return found
    return None


def read_content(content: str, reasoning: str, names: NameIndex, ids: Identities, ending: Ending) -> Reading:
    """Read a message without native calls."""
    if ending is Ending.MALFORMED:
        return _unusable("provider_malformed_call")
    if len(content) > MAX_CHARACTERS:
        return _unusable("too_large_message", limit=str(MAX_CHARACTERS))
    found, speech = _take_apart(_trim(content), names)
    match found:
        case Leaked():
            return _unusable_ending(ending) or _promote(found, speech, ids)
        case Broken(problems):
            return _unusable_ending(ending) or Unusable(problems)
        case None:
            return _speak(speech, reasoning, names, ending)


def beside_calls(content: str, names: NameIndex) -> str:
    """Return what a message says beside its native calls: reasoning and the first trace of call markup end it."""
    if not content or len(content) > MAX_CHARACTERS:
        return ""
    found, speech = _take_apart(_trim(content), names)
    if isinstance(found, Leaked):
        return ""
    text = speech.text[: first_trace(speech.text, names)]
    return showable(strip_outer(text))


def showable(text: str) -> str:
    """Make a text safe to send and to store: half surrogate pairs become replacement characters."""
    if encodable(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _trim(content: str) -> str:
    """Drop white space around a message and the control tokens that some servers leave at its end."""
    text = strip_outer(content)
    if not text.endswith(">") or (text.endswith("</s>") and "<s>" in text):  # the latter is struck-out text
        return text
    start = len(text)
    while match := _last_token(text, start):
        start = match
    return strip_outer(text[:start])


def _last_token(text: str, end: int) -> int | None:
    """Return where a control token begins that reaches up to a position; the longest is shorter than the window."""
    window = max(0, end - 40)
    found = next((token for token in _FINAL_TOKENS.finditer(text, window, end) if token.end() == end), None)
    return found.start() if found else None


def _take_apart(text: str, names: NameIndex) -> tuple[Found, Speech]:
    """Look for calls in what is said, never in what is thought."""
    channels = read_harmony(text)
    if channels:
        return only_registered(channels.found, names), Speech(channels.text, channels.thoughts)
    leading = split_leading(text)
    found, speech = _calls_or_steps(leading, names)
    if isinstance(found, Leaked):
        return found, speech
    lost = split_lost_opening(leading.text)
    if lost:
        found, speech = _calls_or_steps(Speech(lost.text, _join(leading.thoughts, lost.thoughts)), names)
    if isinstance(found, Leaked | Broken):
        return found, speech
    rest = split_everywhere(speech.text)
    return None, Speech(strip_outer(rest.text), _join(speech.thoughts, rest.thoughts))


def _calls_or_steps(speech: Speech, names: NameIndex) -> tuple[Found, Speech]:
    text = strip_outer(speech.text)
    found = find_calls(text, names)
    if found is not None:
        return found, Speech("", speech.thoughts)
    steps = read_react(text, names)
    if isinstance(steps, Spoken):
        return None, Speech(steps.text, _join(speech.thoughts, steps.thoughts))
    return steps, Speech(text, speech.thoughts) if steps is None else Speech("", speech.thoughts)


def _promote(found: Leaked, speech: Speech, ids: Identities) -> Calls:
    calls = tuple(
        ReadCall(
            id=ids.claim(None)[0],
            name=call.name,
            arguments=call.arguments,
            repairs=(*call.repairs, Repair.FRESH_ID.value),
            origin="text",
        )
        for call in found.calls
    )
    return Calls(calls, showable(speech.text))


def _speak(speech: Speech, reasoning: str, names: NameIndex, ending: Ending) -> Reading:
    if has_trace(speech.text, names):
        return _unusable_ending(ending) or _unusable("leaked_beside_text")
    if not speech.text:
        return _silence(_join(reasoning, speech.thoughts), names, ending)
    if ending is Ending.CALLED:
        return _unusable("lost_call")
    return Answer(showable(speech.text), showable(speech.thoughts), ending)


def read_refusal(content: str, refusal: str, names: NameIndex) -> Answer:
    """Read a message in which the model declines: what it says is the answer, and no call in it is looked at."""
    said = beside_calls(content, names)
    return Answer(showable(_join(said, strip_outer(refusal[:MAX_CHARACTERS]))), ending=Ending.REFUSED)


def _silence(thoughts: str, names: NameIndex, ending: Ending) -> Answer | Unusable:
    """Name the reason why nothing was said, the truest first; a filter is likely to stop the next try as well."""
    if ending is Ending.FILTERED:
        return Answer("", ending=ending)
    if ending is Ending.CUT:
        return _unusable("silent_cut", ErrorKind.TRUNCATED)
    if ending is Ending.STOPPED:
        return _unusable("silent_stop", ErrorKind.TRUNCATED)
    if len(thoughts) <= MAX_CHARACTERS and _drafts_call(thoughts, names):
        return _unusable("call_in_reasoning")
    return _unusable("lost_call" if ending is Ending.CALLED else "silent")


def _drafts_call(thoughts: str, names: NameIndex) -> bool:
    return has_trace(thoughts, names) or isinstance(find_calls(strip_outer(thoughts), names), Leaked | Broken)


def _unusable_ending(ending: Ending) -> Unusable | None:
    """Refuse all calls of a text that didn't end by itself: the next one, or the end of this one, may be missing."""
    return _unusable(CUT_OFF[ending], ErrorKind.TRUNCATED) if ending in CUT_OFF else None


def _unusable(code: str, kind: ErrorKind = ErrorKind.MALFORMED, **facts: str) -> Unusable:
    return Unusable((Problem(code, kind, facts=facts),))


def _join(*parts: str) -> str:
    return "\n".join(filter(None, parts))
