"""Find claims that something was done, and tell whether a tool has done it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.answers.objections import Evidence, Undone
from reinforced_agent.policies.answers.verbs import VERBS, Verb
from reinforced_agent.tools.spec import ToolSpec


_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_OPEN: Final = re.compile(
    r"\b(?:not|never|no|none|nothing|cannot|unable|if|once|when|whenever|until|unless|after|before|whether|will|would"
    r"|should|could|can|may|might|must|need|needs|to be|want|like|let me|please|earlier|previously|yesterday|ago"
    r"|as soon as|unfortunately|fail\w*|error|example|e\.g\.|draft\w*|assume\w*|as if|hypothetical\w*|simulat\w+|said"
    r"|says|asked|claims?|claimed|according to)\b|n't\b|\?",
    re.IGNORECASE,
)
_OPEN_HAN: Final = re.compile(
    r"未|没|沒|不|无法|如果|若|假如|是否|请|是不是|吗|？|\?|之前|以前|之后|以后|一旦|等|失败|待|需要|将会|可以|建议|例如"
)
_PRONOUN: Final = re.compile(
    r"\b(?:it|that|this|them|these|those|everything|all|as (?:you )?requested|for you|your request)\b"
)
_WORD: Final = re.compile(r"[a-z]{3,}")
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_COMMON: Final = frozenset(["the", "and", "for", "with", "from", "into", "that", "this", "new", "name", "type"])
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def undone(answer: str, evidence: Evidence) -> Iterator[Undone]:
    """List the claims, each tool once, that no tool of the thread has made true."""
    told: set[str] = set()
    text = re.sub(r"```.*?```", " ", answer, flags=re.DOTALL)
    acts = [(verb, tools) for verb, tools in _acts(evidence.writes).items() if verb.word.search(text)]
    for sentence in _SENTENCES.split(text) if acts else ():
        for verb, tools in acts:
            claim = _claims(sentence, verb, tools, evidence.results)
            if claim is None or any(name in evidence.done for name in _of_kind(evidence.writes, verb)):
                continue
            tool = next((spec.name for spec in tools if spec.name in evidence.unknown), tools[0].name)
            if tool not in told:
                told.add(tool)
                yield Undone(tool, claim, unknown=tool in evidence.unknown)


def _acts(writes: tuple[ToolSpec, ...]) -> Mapping[Verb, list[ToolSpec]]:
    """Sort tools by what they do; one whose name has no verb that is known says nothing."""
    acts: dict[Verb, list[ToolSpec]] = {}
    for spec in writes:
        for verb in _verbs_of(spec.name):
            acts.setdefault(verb, []).append(spec)
    return acts


@lru_cache(maxsize=4096)
def _verbs_of(name: str) -> tuple[Verb, ...]:
    """Find the verbs in the name of a tool; the first counts."""
    pieces = [piece.lower() for piece in _PIECE.findall(name)]
    found = [verb for piece in pieces for verb in VERBS if piece in verb.names]
    return tuple(found[:1])


def _of_kind(writes: tuple[ToolSpec, ...], verb: Verb) -> Iterator[str]:
    """Name the tools that may have done what a verb says."""
    for spec in writes:
        pieces = {piece.lower() for piece in _PIECE.findall(spec.name)}
        if any(other.kind == verb.kind and pieces & other.names for other in VERBS):
            yield spec.name


def _claims(sentence: str, verb: Verb, tools: list[ToolSpec], results: Sequence[str]) -> str | None:
    """Return the words with which a sentence says that it was done."""
    if _HAN.search(sentence):
        return _claims_in_chinese(sentence, verb, results)
    if (found := verb.active.search(sentence)) and not _OPEN.search(_before(sentence, found.end())):
        return _trimmed(sentence) if _is_about(tools, sentence[found.end() :][:90]) else None
    found = verb.passive.search(sentence)
    if found is None or _OPEN.search(_before(sentence, found.end())) or _is_known(verb, results):
        return None
    return _trimmed(sentence) if _is_about(tools, sentence[: found.end()]) else None


def _claims_in_chinese(sentence: str, verb: Verb, results: Sequence[str]) -> str | None:
    """Return the words with which a Chinese sentence says that it was done."""
    for clause in re.split(r"[，,;；:：]", sentence):
        if verb.han.search(clause) and not _OPEN_HAN.search(clause) and not _is_known(verb, results):
            return _trimmed(clause)
    return None


def _before(sentence: str, end: int) -> str:
    """Return the words up to a place, and a question mark that follows."""
    return sentence[:end] + ("?" if sentence.rstrip().endswith("?") else "")


def _is_known(verb: Verb, results: Sequence[str]) -> bool:
    """Tell whether results speak of it: then the answer may report what it read."""
    return any(word in text.casefold() for text in results for word in verb.traces)


def _is_about(tools: list[ToolSpec], words: str) -> bool:
    """Tell whether a claim is about what the tools deal with, and not about something else that is in the answer."""
    said = _plain(words)
    if _PRONOUN.search(said):
        return True
    named = {word.rstrip("s") for word in _WORD.findall(said)}
    return any(named & _things_of(spec.name, spec.description) for spec in tools)


@lru_cache(maxsize=4096)
def _things_of(name: str, description: str) -> frozenset[str]:
    """List the words for what a tool deals with."""
    words = [*_PIECE.findall(name), *_WORD.findall(_plain(description.partition("\n")[0][:300]))]
    verb = next((word for word in words if any(word.lower() in verb.names for verb in _verbs_of(name))), "")
    return frozenset(word.lower().rstrip("s") for word in words if word.lower() not in _COMMON | {verb.lower()})


def _plain(text: str) -> str:
    """Write words the way names of tools do."""
    return text.lower().replace("e-mail", "email")


def _trimmed(text: str) -> str:
    """Write a claim short."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 120 else f"{flat[:120]} …"  # noqa: PLR2004  # as long as a line
