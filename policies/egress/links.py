"""Answers without links that carry a private value out: images load by themselves, and a link is one click away."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reinforced_agent.policies.egress.hosts import host_of
from reinforced_agent.policies.egress.private import Leak, Private


_STOPS: Final = r"\s<>\"'`，。；、！？（）】【」「》"
_URL: Final = re.compile(
    rf"(?:(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{{0,30}}+:[/\\]|mailto:)|(?<![\w:/\\])[/\\]{{2}})[^{_STOPS}]+"
    rf"|(?<![\w@/.\\-])(?:[\w-]{{1,63}}+\.)++[\w-]{{2,63}}+(?::\d{{1,5}})?[/?#\\][^{_STOPS}]*",
    re.IGNORECASE,
)
"""What leads somewhere, as it stands in a text: with a scheme or slashes before its host, or a path behind it."""
_ATTRIBUTE: Final = re.compile(r"=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")
_CSS: Final = re.compile(r"url\(\s*+[\"']?([^\"')]*+)", re.IGNORECASE)
_TAG: Final = re.compile(r"<[a-z!/][^<>]{0,8000}>", re.IGNORECASE)
_INLINE: Final = re.compile(
    r"!?\[(?P<label>[^\[\]\n]{0,500})\]"
    r"\([ \t]*+<?(?P<url>[^\s<>()]++(?:\([^\s<>()]*+\)[^\s<>()]*+)*+)>?[^()\n]{0,500}\)"
)
_DEFINITION: Final = re.compile(
    r"^[ >]{0,9}\[(?P<label>[^\[\]\n]{1,500})\]:[ \t]*+<?(?P<url>[^\s<>]++)>?.*$", re.MULTILINE
)
_CODE: Final = re.compile(r"(?<!`)(?P<ticks>`++)[^`]++(?P=ticks)(?!`)")
_BEGIN: Final = re.compile(r"([a-z][a-z0-9+.-]*+:)?([/\\]*+)([^/?#\\]*+)", re.IGNORECASE)
_HTTP: Final = re.compile("http", re.IGNORECASE)
_ENDS: Final = ".,;:!?*_~"

Carries: TypeAlias = Callable[[str], Leak | None]


@dataclass(frozen=True, slots=True)
class Inert:
    """An answer in which nothing leads out that carries a private value."""

    text: str
    sources: tuple[str, ...] = ()
    """The tools whose private values links carried; empty where nothing was changed."""


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def inert(text: str, private: Private) -> Inert:
    """Write links and images that carry a private value as code, and their host so that nothing follows it.

    Code stays as it is, and so does every link that stands word for word in what was said.
    """
    if not _may_lead(text):
        return Inert(text)
    known: dict[str, Leak | None] = {}

    def carries(link: str) -> Leak | None:
        if link not in known:
            known[link] = private.in_link(html.unescape(link))
        return known[link]

    found = _leaking(text, carries)
    if not found:
        return Inert(text)
    written = _outside_code(text, lambda part: _rewritten(part, carries))
    if _leaking(written, carries):
        written = _shut(text, carries)
    return Inert(written, tuple(dict.fromkeys(leak.source for leak in found)))


def _may_lead(text: str) -> bool:
    return any(sign in text for sign in ("/", "\\", ":", "&", "?", "#"))


def _leaking(text: str, carries: Carries) -> list[Leak]:
    """List what leaves with the parts of an answer that a reader's program follows."""
    links = (link for token in _walk(_markdown().parse(text)) for link in _links_of(token))
    return [leak for link in dict.fromkeys(links) if (leak := carries(link)) is not None]


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _links_of(token: Token) -> Iterator[str]:
    yield from (str(value) for name, value in token.attrs.items() if name in {"src", "href"} and _leads_out(str(value)))
    if token.type == "text":
        yield from _urls(token.content)
    elif token.type in {"html_inline", "html_block"}:
        yield from _links_of_tags(token.content)


def _links_of_tags(content: str) -> Iterator[str]:
    read = html.unescape(content)
    values = ("".join(one for one in match.groups() if one) for match in _ATTRIBUTE.finditer(read))
    # A set of sources holds several links, with their sizes behind them.
    parts = (part for value in values for part in (value, *value.replace(",", " ").split()))
    yield from (part for part in parts if _leads_out(part))
    yield from (match[1] for match in _CSS.finditer(read) if _leads_out(match[1]))
    yield from _urls(read)


def _leads_out(link: str) -> bool:
    return bool(host_of(link))


def _urls(text: str) -> Iterator[str]:
    yield from (_cut(match[0]) for match in _URL.finditer(text))


def _cut(url: str) -> str:
    """Leave out what ends the sentence around a link, and a bracket that was opened before it."""
    while url and (
        url[-1] in _ENDS or (url[-1] in ")]}" and url.count(url[-1]) > url.count("([{"[")]}".index(url[-1])]))
    ):
        url = url[:-1]
    return url


def _outside_code(text: str, rewrite: Callable[[str], str]) -> str:
    """Rewrite an answer but for its blocks of code."""
    lines = text.splitlines(keepends=True)
    blocks = [token.map for token in _markdown().parse(text) if token.type in {"fence", "code_block"} and token.map]
    parts, at = [], 0
    for first, last in blocks:
        parts += [rewrite("".join(lines[at:first])), "".join(lines[first:last])]
        at = last
    return "".join([*parts, rewrite("".join(lines[at:]))])


def _rewritten(text: str, carries: Carries) -> str:
    """Take links apart, the forms that say most first."""

    def tag(match: re.Match[str]) -> str:
        links = [*_links_of_tags(match[0]), *_urls(match[0])]
        leaking = next((link for link in links if carries(link)), "")
        return _as_code(leaking) if leaking else match[0]

    def inline(match: re.Match[str]) -> str:
        if not (_leads_out(match["url"]) and carries(match["url"])):
            return match[0]
        return f"{match['label']} ({_as_code(match['url'])})".lstrip()

    def definition(match: re.Match[str]) -> str:
        if not (_leads_out(match["url"]) and carries(match["url"])):
            return match[0]
        return f"{match['label']}: {_as_code(match['url'])}"

    def bare(match: re.Match[str]) -> str:
        url = _cut(match[0])
        return _as_code(url) + match[0][len(url) :] if carries(url) else match[0]

    for pattern, replace in ((_TAG, tag), (_INLINE, inline), (_DEFINITION, definition), (_URL, bare)):
        text = _but_code(text, pattern, replace)
    return text


def _but_code(text: str, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> str:
    """Replace what a pattern finds, but not within code."""
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [pattern.sub(replace, text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, pattern.sub(replace, text[at:])])


def _as_code(link: str) -> str:
    return f"`{_harmless(link.replace('`', '%60'))}`"


def _harmless(link: str) -> str:
    """Write a link the way people pass on links that nobody should follow: `hxxps://evil[.]test`."""
    match = _BEGIN.match(link)
    scheme, slashes, host = match.groups("") if match else ("", "", "")
    rest = link[match.end() :] if match else link
    return _HTTP.sub("hxxp", scheme) + slashes + host.replace(".", "[.]") + rest


def _shut(text: str, carries: Carries) -> str:
    """Put every block of an answer that still leads out into code; it is told with its dots in brackets."""
    lines = text.splitlines(keepends=True)
    shut: set[int] = set()
    for token in _markdown().parse(text):
        if token.map and any(carries(link) for part in _walk([token]) for link in _links_of(part)):
            shut |= set(range(*token.map))
    defined = {at for at, line in enumerate(lines) if _DEFINITION.match(line)}
    told = []
    for at, line in enumerate(lines):
        quiet = line.replace(".", "[.]").replace("://", "[:]//").replace("`", "'") if at in shut | defined else line
        opens = at in shut and at - 1 not in shut
        closes = at in shut and at + 1 not in shut
        told.append(
            ("```\n" if opens else "") + quiet + ("" if not closes else "```\n" if quiet.endswith("\n") else "\n```\n")
        )
    return "".join(told)
