"""Find the sentences of an answer that claim that something was done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.answers import chinese
from reinforced_agent.policies.answers.phrases import GENERIC, phrases_of
from reinforced_agent.policies.answers.verbs import VERBS, Verb


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is said to have been done."""

    verb: Verb | None
    """What; `None` where only "Done!" is said."""
    sentence: str
    about: str
    """The part of the sentence that belongs to it."""
    target: str
    """The words that name what it was done to."""
    own: bool
    """Whether the assistant claims to have done it; what others did is a fact, for which a result may vouch."""
    state: bool = False
    """Whether it is said how things are now: "is booked"."""

    @property
    def is_earlier(self) -> bool:
        """Tell whether it is said of an earlier time."""
        return _EARLIER.search(self.sentence) is not None

    @property
    def is_whole(self) -> bool:
        """Tell whether it is said of several or of all."""
        return _WHOLE.search(self.about) is not None


_EARLIER: Final = re.compile(
    r"\b(?:already|earlier|previously|before|yesterday|ago|last (?:time|week|month|night)|this morning|so far"
    r"|to recap|summary|recap)\b|之前|以前|刚才|早些时候|昨天|上次|今天早上|早上",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(
    r"\b(?:both|all|each|every\w*|them|these|those|two|three|four|five|\w+ and \w+)\b"
    r"|全部|都|两个|两张|三个|所有|分别",
    re.IGNORECASE,
)
_SENTENCES: Final = re.compile(r"(?<=[.!?])[\"')*]*\s+|(?<=[。！？；])|\n+")
_QUOTED: Final = re.compile(
    r"```.*?```|[\"“](?:[^\"”\n]{25,400})[\"”]|「[^」\n]{10,}」|^\s*>.*?$", re.DOTALL | re.MULTILINE
)
_DRAFT: Final = re.compile(
    r"\n\W*(?:subject:|dear |(?:hi|hello|hey) \w+[ ,]|主题：|尊敬的).*?"
    r"(?=\n\W*(?:---|___|best|regards|sincerely|kind|thanks,|cheers|yours|此致|祝好)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FAR: Final = re.compile(
    r"^\W*(?:if|once|unless|until|whenever|as soon as|should|whether|assuming|imagine|suppose|e\.g\.|for example|say)\b"
    r"|\b(?:shall I say|according to|(?<!you )(?:said|says|saying|asked)|claims?|claimed|states?|example|draft\w*"
    r"|template|hypothetical\w*|simulat\w+|as if|policy|unfortunately)\b|\?\W*$",
    re.IGNORECASE,
)
"""Makes a whole sentence something else than a claim."""
_HEARD: Final = re.compile(
    r"\b(?:glad|happy|sorry|pleased|relieved|hear(?:ing)?)\b|\bthat you(?:'ve| have)\b|\bthanks? (?:you )?for\b",
    re.IGNORECASE,
)
"""Answers what somebody else has told."""
_NEAR: Final = re.compile(
    r"\b(?:not|never|no|none|nothing|neither|nor|cannot|unable|if|once|when|whenever|until|unless|whether|will|would"
    r"|should|could|can|may|might|must|need|needs|to be|want|like|let me|please|as soon as|fail\w*|error|hardly"
    r"|without|instead of|rather than|that were|that was|which was|which were|who|you (?!are\b)|they|he|she)\b|n't\b",
    re.IGNORECASE,
)
"""Before the verb in its clause, makes it something else than a claim."""
_PRESENT: Final = re.compile(r"\b(?:is|are)\b|'s\b", re.IGNORECASE)
_TIME: Final = re.compile(
    r"\b(?:after|before|when|once|if|until|within|by the time|the moment|as soon as|usually|always|normally)\b",
    re.IGNORECASE,
)
"""With the present, says what will be."""
_CUT: Final = re.compile(
    r"[;–—(:]|(?<!\d),(?=\s*(?:I|we|your|the|it|this|that|and|but|so)\b)|\s-\s|\b(?:but|however|while|whereas|although"
    r"|though|because|since|so that)\b|\band (?=(?:I|we|your|the|it|also|have|has)\b)",
    re.IGNORECASE,
)
"""Where another clause may begin before a claim."""
_AFTER: Final = re.compile(
    r"[;–—(]|\s-\s|\b(?:but|however|while|whereas|although|though|because|since|so that|except|unlike|instead of"
    r"|rather than|other than|besides|apart from|aside from|without|not|before|after|which|who|whose|replac\w+)\b"
    r"|[,.]?\s(?:and|so|it|you|your)\s+(?:\S+\s+){0,4}?(?:is|are|was|were|will|has|have|can|could|remains?|stays?)\b",
    re.IGNORECASE,
)
"""Where what belongs to a claim ends."""
_ANY_DONE: Final = re.compile(rf"\band (?:\w+ ){{0,2}}(?:{'|'.join(verb.done for verb in VERBS)})\b", re.IGNORECASE)
_LEAST: Final = 2
"""Words before a verb that name no thing: the verb itself, and an adverb."""


def claims_in(answer: str, verbs: Iterable[Verb]) -> Iterator[Claim]:
    """List the claims about things that some tools do, and those that only say "Done!"."""
    text = _DRAFT.sub(" ", _QUOTED.sub(" ", answer.replace("’", "'").replace("**", "").replace("\\n", "\n")))
    wanted = [verb for verb in verbs if verb.word.search(text)]
    for sentence in _SENTENCES.split(text):
        if chinese.is_chinese(sentence):
            yield from _in_chinese(sentence, wanted)
        elif sentence.strip():
            if (found := GENERIC.search(sentence)) and _is_claim(sentence, found, own=True):
                yield Claim(None, sentence, sentence, "", own=True)
            yield from _in_english(sentence, wanted)


def _in_english(sentence: str, verbs: Iterable[Verb]) -> Iterator[Claim]:
    """List the claims of an English sentence, each thing once."""
    for verb in verbs:
        found = _find(sentence, verb) if verb.word.search(sentence) else None
        if found is not None:
            words, own = found
            state = not own and _PRESENT.search(words[0]) is not None
            yield Claim(verb, sentence, *_parts(sentence, words, own=own), own=own, state=state)


def _find(sentence: str, verb: Verb) -> tuple[re.Match[str], bool] | None:
    """Return the first words that claim a thing, and whether somebody says so of themselves."""
    for pattern, own in phrases_of(verb):
        for found in pattern.finditer(sentence):
            if _is_claim(sentence, found, own=own):
                return found, own
    return None


def _is_claim(sentence: str, found: re.Match[str], *, own: bool) -> bool:
    """Tell whether nothing around it makes it a condition, a wish, a question or a denial."""
    far = _FAR.search(sentence)
    if far and not (own and far[0].lower() in {"unfortunately", "policy"}):
        return False
    if _NEAR.search(_clause_before(sentence, found)):
        return False
    if not own and _HEARD.search(sentence[: found.start() + 1]):
        return False
    return own or not (_PRESENT.search(found[0]) and _TIME.search(sentence))


def _clause_before(sentence: str, found: re.Match[str]) -> str:
    """Return what stands before the end of the words that were found, within their clause."""
    cuts = [cut.end() for cut in _CUT.finditer(sentence, 0, found.start() + 1) if cut.end() <= found.end()]
    return sentence[cuts[-1] if cuts else 0 : found.end()]


def _parts(sentence: str, found: re.Match[str], *, own: bool) -> tuple[str, str]:
    """Return the part of a sentence that belongs to a claim, and the words for what it was done to."""
    after = sentence[found.end() :]
    ends = [match.start() for match in (_AFTER.search(after), _ANY_DONE.search(after)) if match]
    after = after[: min(ends)] if ends else after
    before = _clause_before(sentence, found)
    names_it = not own and len(before.split()) > _LEAST
    verb = re.split(r"\b(?:and|then)\b", found[0])[-1] if own else ""
    return f"{before}{after}", before if names_it else f"{verb}{after[:90]}"


def _in_chinese(sentence: str, verbs: Iterable[Verb]) -> Iterator[Claim]:
    """List the claims of a Chinese sentence, each thing once."""
    told = set()
    for clause in chinese.clauses(sentence):
        for verb in verbs:
            if verb not in told and chinese.claims(clause, verb):
                told.add(verb)
                yield Claim(verb, sentence, clause, clause, own=chinese.is_own(clause))
        if chinese.is_generic(clause):
            yield Claim(None, sentence, clause, "", own=True)


def trimmed(text: str) -> str:
    """Write a claim short."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 120 else f"{flat[:120]} …"  # noqa: PLR2004  # as long as a line
