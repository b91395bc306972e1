"""Hosts as a browser reads them, reduced to the domain that somebody has registered.

The public suffix list is the one that `tldextract` brings along; nothing is ever fetched.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote


if TYPE_CHECKING:
    from tldextract import TLDExtract


LONGEST_KEPT: Final = 32_000
"""Characters of a text up to which what was found in it is remembered."""
_TEXTS_KEPT: Final = 512
_LONGEST_HOST: Final = 255

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]{0,30}):(?=[/\\])|(https?|wss?|ftp|mailto):", re.IGNORECASE)
_NO_NAME: Final = re.compile(r"[\x00-\x20\x7f\xad\u200b-\u200f\u2060-\u2064\ufeff]+")
"""What browsers drop from an address, and what nobody sees."""
_LABELS: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER: Final = re.compile(r"0x[0-9a-f]{0,16}|[0-9]{1,20}")
_LINK: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,30}+:|(?<![\w:/\\]))[/\\]{2}[^\s<>\"'`()\[\]{}，。；、！？（）】【」「]+"
)
_BARE: Final = re.compile(r"(?<![a-z0-9_/\\-])[a-z0-9_-]++(?:\.[a-z0-9_-]++)++(?![@\w])")
_AFTER_AT: Final = re.compile(r"@([a-z0-9_-]++(?:\.[a-z0-9_-]++)++)")


@cache
def _suffixes() -> TLDExtract:
    import tldextract  # noqa: PLC0415  # slow to import, and few processes ever compare hosts

    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


def host_of(value: str) -> str:
    """Return the host that a URL, an address of mail or a bare name leads to; empty where it leads to none.

    Read as browsers do: any number of slashes, backslashes, user names, ports, percent-encoding, full-width forms, a
    dot at the end, and IP addresses in any notation.
    """
    text = _NO_NAME.sub("", unicodedata.normalize("NFKC", value)).replace("\\", "/")
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    is_link = scheme is not None or rest.startswith("//")
    authority = re.split(r"[/?#]", rest.lstrip("/") if is_link else rest, maxsplit=1)[0]
    name = unquote(authority.rpartition("@")[2])
    name = unicodedata.normalize("NFKC", name).replace("。", ".").casefold()
    if name.startswith("["):
        return _ip_v6(name[1:].partition("]")[0])
    name = name.partition(":")[0].rstrip(".")
    return _canonical(name) if is_link or "@" in authority else _bare_name(name)


def _bare_name(name: str) -> str:
    """Take a name without anything around it for a host only where it has a dot and is no number."""
    last = name.rpartition(".")[2]
    is_host = "." in name and (not last[:1].isdigit() or name.count(".") == 3)  # noqa: PLR2004  # dots of an IPv4 address
    return _canonical(name) if is_host else ""


def _canonical(name: str) -> str:
    if not name or len(name) > _LONGEST_HOST:
        return ""
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return ""
    if not _LABELS.fullmatch(name):
        return ""
    return _ip_v4(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ip_v4(name: str) -> str:
    """Read an IPv4 address as `inet_aton` does: one to four parts, each decimal, octal or hexadecimal."""
    parts = name.split(".")
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)):  # noqa: PLR2004  # parts of an address
        return ""
    try:
        *first, last = map(_number, parts)
    except ValueError:
        return ""
    if any(one > 255 for one in first) or last >= 256 ** (4 - len(first)):  # noqa: PLR2004  # values of a byte
        return ""
    return str(ipaddress.IPv4Address(sum(one << (24 - 8 * at) for at, one in enumerate(first)) + last))


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)


def _ip_v6(name: str) -> str:
    try:
        return str(ipaddress.IPv6Address(name))
    except ValueError:
        return ""


@lru_cache(maxsize=4_096)
def registrable(host: str) -> str:
    """Return the domain that somebody has registered, such as `bbc.co.uk` for `news.bbc.co.uk`; an address is itself.

    Where the list has no suffix for it, the last label counts as one.
    """
    if not host or ":" in host or host.replace(".", "").isdigit():
        return host
    found = _suffixes()(host)
    return found.top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


def domains_in(text: str) -> frozenset[str]:
    """Return the registered domains that a text names, in links, in addresses of mail, or bare."""
    return _kept_domains(str(text)) if len(text) <= LONGEST_KEPT else frozenset(_domains(text))


@lru_cache(maxsize=_TEXTS_KEPT)
def _kept_domains(text: str) -> frozenset[str]:
    return frozenset(_domains(text))


def _domains(text: str) -> Iterator[str]:
    read = unicodedata.normalize("NFKC", text).casefold()
    for match in _LINK.finditer(read):
        if host := host_of(match[0]):
            yield registrable(host)
    for match in (*_BARE.finditer(read), *_AFTER_AT.finditer(read)):
        if host := _bare_name(match[match.re.groups]):
            yield registrable(host)
