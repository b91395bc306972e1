"""Which calls are held for where they come from: orders in a stranger's text, and destinations only it named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from reinforced_agent.policies.provenance import SHORTEST_TEXT, Taint, fold, value_at
from reinforced_agent.policies.situation import Situation
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import Risk, ToolSpec


Why: TypeAlias = Literal["tainted", "destination", "orders", "unasked", "carries"]
"""Code of the words for the person who decides."""

_DESTINATION: Final = re.compile(
    r"to|cc|bcc|recipients?|receivers?|payees?|beneficiar(?:y|ies)|accounts?|iban|bic|address(?:es)?|e?mails?|phones?|mobile"
    r"|urls?|uri|links?|href|hosts?|domains?|webhooks?|callback|endpoint|targets?|destinations?|dest|participants?|attendees?"
    r"|invitees?|collaborators?|members?|owners?|channels?|paths?|dirs?|director(?:y|ies)|folders?|repos?|repositor(?:y|ies)"
    r"|buckets?|servers?|keys?|收件人|地址|账号|账户|邮箱|链接|电话|路径"
)
"""Names of arguments that say where something goes."""
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")
_ADDRESS: Final = re.compile(
    r"[^\s@]+@[^\s@]+\.[^\s@]+|[a-z][a-z0-9+.-]*://\S+|www\.\S+|\+?\d[\d ()/.-]{6,20}\d|[A-Z]{2}\d{2}[A-Z0-9 ]{8,34}"
)
"""A whole value that is an address, a link, a telephone number or an account."""
_LINK: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+", re.IGNORECASE)

_NOTHING: Final = ("",) * 1_000
_KINDS: Final = tuple(
    frozenset(words.split())
    for words in (
        "mail mails email emails inbox message messages emailed invitation told",
        "page pages web webpage website site www http https url link post forum browse visiting visit article online",
        "file files document documents folder attachment bill invoice notes text directory",
        "calendar event events meeting appointment schedule",
        "product products item items shop cart buy order purchase shopping",
        "review reviews rating ratings",
        "repository repositories repo repos github git code",
        "chat channel slack thread",
        "ticket tickets issue issues",
        "transaction transactions payment payments statement bank",
    )
)
"""Words that mean the same kind of source, in names of tools and in requests."""
_CHINESE_KINDS: Final[Mapping[str, str]] = {
    "邮件": "mail", "收件箱": "mail", "网页": "page", "网站": "page", "链接": "page", "文件": "file", "文档": "file",
    "附件": "file", "日历": "calendar", "会议": "calendar", "商品": "product", "评价": "review", "仓库": "repository",
}  # fmt: skip
_DEEDS: Final = tuple(
    frozenset(words.split())
    for words in (
        "send sent mail email emails reply answer write message forward invite greet tell",
        "pay send transfer money bill top wire refund",
        "delete remove clear cancel erase",
        "create add make set setup schedule book reserve plan register new",
        "download save get fetch clone",
        "buy purchase order cart checkout rebuy",
        "change update edit reschedule move rename reset",
        "share invite grant",
        "input fill submit visit browse reserve finish top",
    )
)
"""Words that mean the same deed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaintRule:
    """Which calls are held for where they come from, whatever rules and exemptions say."""

    fields: Literal["destinations", "all"] = "destinations"
    """Whether only destinations count (addresses, accounts, links; see `ToolSpec.destinations`), or any value."""
    unless_pointed_to: bool = True
    """Let a value pass whose source the user pointed to: `pay what bill.txt says` lets the file name the account."""
    shortest: int = SHORTEST_TEXT
    """Characters of the shortest value that counts; short ones turn up in texts by chance."""
    orders: bool = True
    """After a text that reads like orders to the model, hold every change that the user did not ask for, every one with
    a value from text of strangers, and reads of links that only it named."""
    leaks: bool = True
    """Hold reads that would carry data to a host that only text of strangers named."""


UNASKED: Final = TaintRule()
"""Hold what the user neither asked for nor pointed to."""
EVERY_VALUE: Final = TaintRule(fields="all", unless_pointed_to=False)
"""Hold every change that has any value from text of strangers."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One reason to hold a call for where it comes from."""

    why: Why
    source: str
    """The tool whose text it is."""
    field: str = ""
    """Path of the argument; empty where the call as a whole is meant."""
    passage: str = ""


def suspicions(
    call: Call, situation: Situation, risk: Risk, rule: TaintRule, taints: Sequence[Taint]
) -> tuple[Origin, ...]:
    """Say for what a call is held; empty where it may go on."""
    if risk is Risk.READ:
        return tuple(_leaks(call, situation)) if rule.leaks else ()
    if rule.orders and situation.orders and (taints or not asked_for(call.tool, situation.request)):
        return tuple(_ordered(call, situation, taints))
    code: Why = "tainted" if rule.fields == "all" else "destination"
    counted = [taint for taint in taints if rule.fields == "all" or is_destination(call, situation.spec, taint)]
    counted = [taint for taint in counted if len(str(value_at(call.arguments, taint.path))) >= rule.shortest]
    if rule.unless_pointed_to:
        counted = [taint for taint in counted if not pointed_to(taint.source, situation)]
    return tuple(Origin(code, taint.source, taint.field) for taint in counted)


def _ordered(call: Call, situation: Situation, taints: Sequence[Taint]) -> Iterator[Origin]:
    """Name the passage that may have ordered a call, and what speaks for that."""
    sources = {taint.source for taint in taints}
    source, passage = next((order for order in situation.orders if order[0] in sources), situation.orders[-1])
    yield Origin("orders", source, passage=passage)
    yield from (Origin("tainted", taint.source, taint.field) for taint in taints)
    if not asked_for(call.tool, situation.request):
        yield Origin("unasked", source)


def is_destination(call: Call, spec: ToolSpec, taint: Taint) -> bool:
    """Tell whether an argument says where something goes: as its tool declares, else by its name or its form."""
    return says_where(taint.path, value_at(call.arguments, taint.path), spec)


def says_where(path: Sequence[str | int], value: JSON, spec: ToolSpec) -> bool:
    """Tell the same of the value at a path."""
    names = [step for step in path if isinstance(step, str)]
    if spec.destinations is not None:
        return bool(names) and names[0] in spec.destinations
    if names and any(_DESTINATION.fullmatch(part.lower()) for part in _PARTS.findall(names[-1])):
        return True
    return isinstance(value, str) and _ADDRESS.fullmatch(value.strip()) is not None


def pointed_to(source: str, situation: Situation) -> bool:
    """Tell whether the user pointed to the text of a tool: named its kind, or what it was read with.

    A text that was read with what such a text names is pointed to as well: a page that a mail of Alice links to.
    """
    request = fold(situation.request)
    wanted = _words_of(request)
    known, named = set[str](), [request]
    for (tool, text), arguments in zip(situation.untrusted, situation.read_with or _NOTHING, strict=False):
        same_kind = any(wanted & kind and _words_of(tool) & kind for kind in _KINDS)
        if same_kind or any(_is_named(fold(part), named) for part in re.findall(r'"([^"]{4,300})"', arguments)):
            known.add(tool)
            named.append(fold(text))
    return source in known


def _is_named(value: str, texts: Sequence[str]) -> bool:
    """Tell whether a text names a value, the host of a link, or the folder of a file."""
    host = re.sub(r"^[a-z]+://|^www\.", "", value).split("/", 1)[0]
    folder = value.rpartition("/")[0]
    looked_for = [value, *([host] if "." in host else []), *([folder] if len(folder) >= SHORTEST_TEXT else [])]
    return any(part in text for part in looked_for for text in texts)


def asked_for(tool: str, request: str) -> bool:
    """Tell whether a request has a word for what a tool does."""
    words, wanted = _words_of(tool), _words_of(fold(request))
    stems = {word[:5] for word in words if len(word) > 3} & {word[:5] for word in wanted if len(word) > 3}  # noqa: PLR2004
    return bool(stems) or any(words & deed and wanted & deed for deed in _DEEDS)


def _words_of(text: str) -> frozenset[str]:
    """Return the words of a name or a text in lower case; Chinese words for kinds count as their English ones."""
    words = {part.lower() for part in _PARTS.findall(text)}
    return frozenset(words | {english for chinese, english in _CHINESE_KINDS.items() if chinese in text})


def _leaks(call: Call, situation: Situation) -> Iterator[Origin]:
    """Find links that would carry data to a host that only text of strangers named."""
    if not situation.untrusted or not has_link(call.arguments):
        return
    trusted = [fold(text) for text in situation.trusted]
    foreign = [(tool, fold(text)) for tool, text in situation.untrusted]
    for name, link in _links(call.arguments):
        source = _carried_to(fold(link), trusted, foreign, anyway=bool(situation.orders))
        if source:
            yield Origin("carries", source, name)


def has_link(arguments: Mapping[str, JSON]) -> bool:
    """Tell whether a look at the links is worth the time."""
    return next(_links(arguments), None) is not None


def _links(arguments: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    """Yield the links in texts at the top of the arguments, and in lists there."""
    for name, value in arguments.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield from ((name, link) for link in _LINK.findall(item))


def _carried_to(link: str, trusted: Sequence[str], foreign: Sequence[tuple[str, str]], *, anyway: bool) -> str:
    """Name the tool whose text named the host of a link; empty where nothing is sent that isn't known there.

    After orders to the model every such link counts: who gave the orders also learns that they were followed.
    """
    try:
        parts = urlsplit(link if "://" in link else f"//{link}")
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    domain = ".".join(host.split(".")[-2:])
    if not domain or any(domain in text for text in trusted):
        return ""
    stands_there = any(link in text for _, text in foreign)
    carries = anyway or (
        not stands_there and bool(parts.query or parts.username or len(parts.path) > 1 or host != domain)
    )
    return next((tool for tool, text in foreign if domain in text), "") if carries else ""
