"""See a page of HTML, or a document of XML, that is an error or a login in place of the answer."""

from __future__ import annotations

import html
import re
from typing import Final, Literal

from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Suspicious, told_failure


_PAGE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_PIECE: Final = re.compile(r"\s*<(?:center|title|h[1-3])\b", re.IGNORECASE)
_HEADING: Final = re.compile(r"<(title|h1|h2)\b[^>]{0,300}>([^<]{0,300})", re.IGNORECASE)
_UNSEEN: Final = re.compile(
    r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]{0,2000}>", re.IGNORECASE | re.DOTALL
)
_BROKEN: Final = re.compile(
    r"^\W*(?:http |error )*[45]\d\d\b|\berror \d{3,4}\b|\b[45]\d\d error\b|bad gateway"
    r"|service (?:temporarily )?unavailable"
    r"|gateway time-?out|internal server error|(?:page|url|file) (?:was |could )?not (?:be )?found|^not found"
    r"|^forbidden|access denied"
    r"|^unauthori[sz]ed|too many requests|^just a moment|attention required|(?:under|down for) maintenance"
    r"|something went wrong"
    r"|are you (?:a )?(?:human|robot)|security check|connection timed out|web server is down|bad request"
    r"|request blocked|^error$"
    r"|找不到(?:网页|页面)|页面(?:不存在|未找到)|无法访问|禁止访问|服务器(?:内部)?错误|访问被拒绝|维护中|安全验证|系统错误",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?:[45]\d\d|https?|error|page|the|code|status|url|file|nginx|apache|tomcat|cloudflare|iis|server|site|sorry"
    r"|oops|we|web"
    r"|be|was|could|can|is|this|your|not|found)\b|[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|authenticat\w+|single sign-on|captcha)\b|登录|登錄|登陆|ログイン", re.IGNORECASE
)
_PASSWORD: Final = re.compile(r"<input\b[^>]{0,300}type\s*=\s*[\"']?password", re.IGNORECASE)
_XML_FAULT: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:\w+:)?Envelope\b.{0,5000}?<(?:\w+:)?Fault\b(.{0,5000})", re.DOTALL
)
_XML_ERROR: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:\w+:)?(?:Error|ErrorResponse|ExceptionReport|ServiceExceptionReport|error"
    r"|fault)\b[^>]{0,300}>(.{0,5000})",
    re.DOTALL,
)
_XML_WORDS: Final = re.compile(
    r"<(?:\w+:)?(?:faultstring|Message|message|Text|Reason|ExceptionText|ServiceException"
    r"|description)\b[^>]{0,200}>\s*([^<]{1,500})"
)
_HTML_HEAD: Final = 20_000
_SHORT: Final = 1_200
"""Visible characters that an error page or a login has at most; an article has more."""
_FEW: Final = 2
_EXCERPT: Final = 300


def is_page(head: str) -> bool:
    """Tell whether a text is a whole page of HTML."""
    return "<" in head[:1_000] and _PAGE.match(head[:2_000]) is not None


def seen_in(page: str) -> str:
    """Return what a reader sees of a page."""
    return " ".join(html.unescape(_UNSEEN.sub(" ", page[:_HTML_HEAD])).split())


def came(text: str) -> str:
    """Return the beginning of what came, in one line: of a page what a reader sees of it."""
    seen = seen_in(text) if is_page(text[:_HTML_HEAD]) else " ".join(text[: 2 * _EXCERPT].split())
    return seen if len(seen) <= _EXCERPT else f"{seen[:_EXCERPT]}…"


def page(head: str, pages: Literal["never", "sometimes", "always"]) -> Bad | Suspicious | None:
    """See a page that is an error or a login in place of the answer.

    A page that is nothing but an error has a title that says so and hardly more, and little text. One that is *about*
    errors has a title with other words, or an article below it.

    Args:
        head: Beginning of the text.
        pages: Whether the tool may return pages of HTML.

    """
    if not (whole := is_page(head)) and not (_PIECE.match(head[:200]) and pages != "never"):
        return None
    begin = head[:_HTML_HEAD]
    title = html.unescape(" ".join(" ".join(found[2].split()) for found in _HEADING.finditer(begin))).strip()[:200]
    seen = seen_in(begin)
    code = _kind(title, seen, begin)
    doubt = Doubt(code, {"title": title or seen[:100] or "HTML", **({"came": came(begin)} if seen else {})})
    if (pages == "never" and whole) or (
        pages == "sometimes" and code == "error_page" and _is_nothing_else(title, seen)
    ):
        return Bad(doubt, lost=True, may_pass=code == "error_page")
    return None if code == "page" else Suspicious((doubt,))


def _kind(title: str, seen: str, begin: str) -> Literal["error_page", "login_page", "page"]:
    """Tell what a page is by its title, where it isn't an article about it."""
    short = len(seen) <= _SHORT
    if _BROKEN.search(title or seen[:100]) and (short or not _words_beside(title)):
        return "error_page"
    return "login_page" if short and (_LOGIN.search(title) or _PASSWORD.search(begin)) else "page"


def _is_nothing_else(title: str, seen: str) -> bool:
    """Tell whether a page has nothing to say but its error."""
    return len(seen) <= _SHORT and _words_beside(title) <= _FEW


def _words_beside(title: str) -> int:
    """Count the words of a title that don't belong to its error; a name of the site is one or two."""
    rest = _NAMED.sub(" ", _BROKEN.sub(" ", title))
    return len({word.lower() for word in re.findall(r"[^\W\d_]{2,}", rest)})


def document(head: str) -> Bad | None:
    """See a document of XML that reports an error: a fault of SOAP, or an error of an interface."""
    if not head.lstrip().startswith("<"):
        return None
    found = _XML_FAULT.match(head[:_HTML_HEAD]) or _XML_ERROR.match(head[:_HTML_HEAD])
    if found is None:
        return None
    words = _XML_WORDS.search(found[1])
    return told_failure(html.unescape(words[1].strip()) if words else seen_in(found[1])[:300])
