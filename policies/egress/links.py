"""Answers without links that carry a private value out: images load by themselves, and a link is one click away."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from reinforced_agent.policies.egress.hosts import host_of
from reinforced_agent.policies.egress.private import Leak, Private


_STOPS: Final = r"\s<>\"'`，。；、！？（）】【」「》"
_URL: Final = re.compile(
    rf"(?:(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{{0,30}}+:[/\\]|mailto:)|(?<![^\W_])(?<![:/\\])[/\\]{{2}})[^{_STOPS}]+"
    rf"|(?<![\w@/.\\-])(?:[\w-]{{1,63}}+\.)++[\w-]{{2,63}}+(?::\d{{1,5}})?[/?#\\][^{_STOPS}]*",
    re.IGNORECASE,
)
"""What leads somewhere, as it stands in a text: with a scheme or slashes before its host, or a path behind it."""
_ATTRIBUTE: Final = re.compile(r"=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")
_CSS: Final = re.compile(r"url\(\s*+[\"']?([^\"')]*+)", re.IGNORECASE)
_TAG_OR_CODE: Final = re.compile(
    r"(?P<tag><[a-z!/][^<>]{0,8000}>)|(?<![`\\])(?P<ticks>`++)[^`\n|]++(?P=ticks)(?!`)", re.IGNORECASE
)
"""Whichever begins first: a tag may hold the marks of code, and code what looks like a tag."""
_INLINE: Final = re.compile(
    r"!?\[(?P<label>[^\[\]\n]{0,500})\]"
    r"\([ \t]*+<?(?P<url>[^\s<>()]++(?:\([^\s<>()]*+\)[^\s<>()]*+)*+)>?[^()\n]{0,500}\)"
)
_DEFINITION: Final = re.compile(
    r"^[ >]{0,9}\[(?P<label>[^\[\]\n]{1,500})\]:[ \t]*+<?(?P<url>[^\s<>]++)>?.*$", re.MULTILINE
)
_FENCE: Final = re.compile(r"(?P<fence>`{3,}+)[^`]*+|(?P<other>~{3,}+).*+")
_PAGE: Final = re.compile(r"[ >]{0,9}<[a-z!?/]|.*<(?:pre|script|style|textarea|[!?])", re.IGNORECASE)
"""A line from which on marks of code may stand in HTML, where they mean nothing."""
_SUSPECT: Final = re.compile(r"[\[\]<>&\\/:#?@`~!%]")
"""What may be a part of a link, or open one."""
_OPEN_TAG: Final = re.compile(r"<[a-z!/][^<>]{0,8000}\Z", re.IGNORECASE)
_BETWEEN: Final = " \t，。；、！？）】」》"
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_DOT: Final = re.compile("[.\u3002\uff0e\uff61]")
_HTTP: Final = re.compile("http", re.IGNORECASE)
_ENDS: Final = frozenset(".,;:!?*_~)]}")
_OPENING: Final = {")": "(", "]": "[", "}": "{"}

_Carries: TypeAlias = Callable[[str], Leak | None]


@dataclass(frozen=True, slots=True)
class Inert:
    """An answer in which nothing leads out that carries a private value."""

    text: str
    sources: tuple[str, ...] = ()
    """The tools whose private values links carried; empty where nothing was changed."""


def inert(text: str, private: Private) -> Inert:
    """Write links and images that carry a private value as code, and their host so that nothing follows it.

    Code stays as it is, and so does every link that stands word for word in what was said. Takes time in proportion to
    the text.
    """
    known: dict[str, Leak | None] = {}

    def carries(link: str) -> Leak | None:
        if link not in known:
            known[link] = private.in_link(link) if host_of(link) else None
        return known[link]

    written = "".join(part if is_code else _rewritten(part, carries) for is_code, part in _blocks(text))
    leaks = [leak for leak in known.values() if leak is not None]
    return Inert(written, tuple(dict.fromkeys(leak.source for leak in leaks))) if leaks else Inert(text)


class LinkGate:
    """How much of an answer that is still being written may be shown: nothing that may belong to a link that carries.

    Words are shown as they come; from what may begin a link on, a line is shown once it is whole, and after a link that
    carries a private value nothing is, until the answer is known.
    """

    def __init__(self, private: Private) -> None:
        """Begin with nothing."""
        self._private = private
        self._held = ""
        self._is_shut = False

    def add(self, piece: str) -> str:
        """Take in a piece of text and return what can be shown now."""
        self._held += piece
        if self._is_shut:
            return ""
        lines = self._held.rfind("\n") + 1
        whole = self._held[:lines]
        # A tag may go on over several lines.
        if lines and _OPEN_TAG.search(whole) is None:
            self._held = self._held[lines:]
            if self._carries(whole):
                self._is_shut = True
                return ""
            return whole + self._words()
        return "" if lines else self._words()

    def _words(self) -> str:
        """Return the words of an unfinished line before anything that may be a part of a link."""
        suspect = _SUSPECT.search(self._held)
        plain = self._held[: suspect.start() if suspect else len(self._held)]
        end = max((plain.rfind(sign) for sign in _BETWEEN), default=-1) + 1
        shown, self._held = self._held[:end], self._held[end:]
        return shown

    def _carries(self, text: str) -> bool:
        """Tell whether a text holds a link that carries something, be it in code."""
        return bool(inert(text.replace("`", " ").replace("~", " "), self._private).sources)


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Take an answer apart into blocks of code and the rest.

    Only a fence at the beginning of a line counts, and none any more after what a reader's program may understand in
    another way: what is taken for code by mistake would lead out.
    """
    parts: list[str] = []
    closing, sure = "", True
    for line in text.splitlines(keepends=True):
        bare = line.rstrip()
        fence = _FENCE.fullmatch(bare)
        if closing:
            parts.append(line)
            if bare.startswith(closing) and not bare.strip(closing[0]):
                yield True, "".join(parts)
                parts, closing = [], ""
            continue
        sure = sure and not _PAGE.match(line) and (fence is not None or not ("```" in line or "~~~" in line))
        if sure and fence is not None:
            yield False, "".join(parts)
            parts, closing = [], fence["fence"] or fence["other"]
        parts.append(line)
    yield bool(closing), "".join(parts)


def _rewritten(text: str, carries: _Carries) -> str:
    """Take links apart that carry something, also where a reader's program would undo an escape first."""
    written = _without_links(text, carries)
    if written != text:
        # New marks of code beside old ones may make something else code, so nothing in a line is left as code then.
        written = _without_links(text, carries, code=False)
    plain = _ESCAPED.sub(r"\1", html.unescape(written))
    if plain == written or not any(carries(url) for url in _urls(plain)):
        return written
    return _without_links(_ESCAPED.sub(r"\1", html.unescape(text)), carries, code=False)


def _without_links(text: str, carries: _Carries, *, code: bool = True) -> str:
    parts, at = [], 0
    for match in _TAG_OR_CODE.finditer(text):
        if not (code or match["tag"]):
            continue
        parts += [
            _of_prose(text[at : match.start()], carries),
            _of_tag(match[0], carries) if match["tag"] else match[0],
        ]
        at = match.end()
    parts.append(_of_prose(text[at:], carries))
    # A link whose label was code keeps its brackets; apart from each other they are none.
    return "".join(parts).replace("](`", "] (`")


def _of_tag(tag: str, carries: _Carries) -> str:
    """Put the first link of a tag in its place, if any of them carries something."""
    if not any(sign in tag for sign in (".", ":", "//", "\\", "&")):
        return tag
    links = [*_links_of_tag(html.unescape(tag)), _decoded(tag[1:-1])]
    leaking = next((link for link in links if carries(link)), "")
    return _as_code(leaking) if leaking else tag


def _links_of_tag(tag: str) -> Iterator[str]:
    for match in _ATTRIBUTE.finditer(tag):
        value = "".join(one for one in match.groups() if one)
        # A set of sources holds several links, with their sizes behind them.
        yield from (*value.replace(",", " ").split(), value)
    yield from (match[1] for match in _CSS.finditer(tag))
    yield from _urls(tag)


def _of_prose(text: str, carries: _Carries) -> str:
    """Take the links of Markdown apart first, and then what is left of them."""

    def inline(match: re.Match[str]) -> str:
        url = _decoded(match["url"])
        return f"{match['label']} ({_as_code(url)})".lstrip() if carries(url) else match[0]

    def definition(match: re.Match[str]) -> str:
        url = _decoded(match["url"])
        return f"{match['label']}: {_as_code(url)}" if carries(url) else match[0]

    def bare(match: re.Match[str]) -> str:
        url = _cut(match[0])
        return _as_code(url) + match[0][len(url) :] if carries(url) else match[0]

    text = _DEFINITION.sub(definition, _INLINE.sub(inline, text))
    return _URL.sub(bare, text)


def _urls(text: str) -> Iterator[str]:
    yield from (_cut(match[0]) for match in _URL.finditer(text))


def _decoded(link: str) -> str:
    """Read a link as the program that shows it does."""
    return _ESCAPED.sub(r"\1", html.unescape(link))


def _cut(url: str) -> str:
    """Leave out what ends the sentence around a link, and a bracket that was opened before it."""
    end = len(url)
    surplus = {sign: url.count(sign) - url.count(opening) for sign, opening in _OPENING.items()}
    while end and url[end - 1] in _ENDS:
        sign = url[end - 1]
        if sign in surplus:
            if surplus[sign] <= 0:
                break
            surplus[sign] -= 1
        end -= 1
    return url[:end]


def _as_code(link: str) -> str:
    return f"`{_harmless(link).replace('`', '%60')}`"


def _harmless(link: str) -> str:
    """Write a link the way people pass on links that nobody should follow: `hxxps://evil[.]test`."""
    # A further link may stand in it.
    text = _DOT.sub("[.]", _HTTP.sub("hxxp", link))
    return text if "hxxp" in text else text.replace("//", "[//]").replace("\\\\", "[//]")
