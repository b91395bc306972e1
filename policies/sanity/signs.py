"""See in a text that it is no answer: a page of HTML, binary data, the name of an object, or broken letters."""

from __future__ import annotations

import re
from typing import Final, Literal

from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Suspicious


_PAGE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL
)
_HEADING: Final = re.compile(r"<(title|h1)\b[^>]{0,300}>([^<]{0,300})", re.IGNORECASE)
_BROKEN: Final = re.compile(
    r"^\W*(?:http |error )*[45]\d\d\b|\berror [45]\d\d\b|bad gateway|service (?:temporarily )?unavailable"
    r"|gateway time-?out|internal server error|(?:page|url|file) (?:was )?not found|^not found|^forbidden|access denied"
    r"|^unauthori[sz]ed|too many requests|^just a moment|attention required|(?:under|down for) maintenance"
    r"|找不到(?:网页|页面)|页面不存在|无法访问|禁止访问|服务器错误|访问被拒绝|维护中",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|authenticat\w+|single sign-on|captcha)\b|登录|登錄|登陆", re.IGNORECASE
)
_OBJECT: Final = re.compile(
    r"<(?:[\w.<>]+ )*(?:object|generator|coroutine|function|method)[^<>\n]{0,200} at 0x[0-9a-fA-F]{6,}[^<>\n]{0,80}>"
)
_MOJIBAKE: Final = re.compile(
    "Ã[\u0080-\u00bf\u0152-\u0178]|â€[\u0080-\u00bf\u0152-\u2122]|[äåæçèé][\u0080-\u00bf][\u0080-\u00bf]"
)
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_HTML_HEAD: Final = 8_000
_BINARY_HEAD: Final = 4_000
_FEWEST: Final = 3


def is_page(head: str) -> bool:
    """Tell whether a text is a whole page of HTML."""
    return "<" in head[:1_000] and _PAGE.match(head[:2_000]) is not None


def page(head: str, pages: Literal["never", "sometimes", "always"]) -> Bad | Suspicious | None:
    """See a page that is an error or a login in place of the answer.

    Args:
        head: Beginning of the text.
        pages: Whether the tool may return pages of HTML.

    """
    if not is_page(head):
        return None
    title = " ".join(" ".join(found[2].split()) for found in _HEADING.finditer(head[:_HTML_HEAD])).strip()[:200]
    code = "error_page" if _BROKEN.search(title) else "login_page" if _LOGIN.search(title) else "page"
    doubt = Doubt(code, {"title": title or "HTML"})
    if pages == "never" or (pages == "sometimes" and code == "error_page"):
        return Bad(doubt, lost=True, may_pass=code == "error_page")
    return None if code == "page" else Suspicious((doubt,))


def binary(head: str) -> Bad | None:
    """See a text that is no text."""
    begin = head[:_BINARY_HEAD]
    if len(_CONTROL.findall(begin)) * 20 <= len(begin) or not begin:
        return None
    return Bad(Doubt("binary"), may_pass=False)


def object_name(head: str) -> Bad | Suspicious | None:
    """See the name that Python gives to an object that nobody wrote as text."""
    if " at 0x" not in head:
        return None
    if _OBJECT.fullmatch(head.strip()):
        return Bad(Doubt("object_repr"), may_pass=False)
    return Suspicious((Doubt("object_inside"),)) if _OBJECT.search(head) else None


def broken_letters(head: str) -> Doubt | None:
    """See letters that were read in the wrong encoding."""
    if head.isascii():
        return None
    found = head.count("\ufffd") + len(_MOJIBAKE.findall(head))
    return Doubt("garbled") if found >= _FEWEST else None
