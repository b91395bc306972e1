"""Take secrets out of plain data before it leaves the process: by the names of fields, and by the looks of values.

Meant for traces and logs, where a value too many hidden does less harm than one too few. Every expression takes time in
proportion to the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any


MASK = "[hidden]"
"""What stands where a secret was."""

_DEEPEST = 40
"""Levels of nesting that are looked into; what lies deeper is hidden whole."""

_LONGEST_NAME = 200
"""Characters; a longer text is no name."""


_SHORT = 4_000
"""Characters of a text that is worth remembering."""

_STRONG = "passwords?|passwd|passphrase|passcode|pwd|secrets?|credentials?|api_?keys?|private_?key|access_?key|jwt"
_WEAK = "token|auth|authorization|cookies?|bearer|pin|otp|totp|cvv|cvc|access_?tokens?|refresh_?tokens?|api_?tokens?"
_ABOUT = (
    "count|counts|type|id|name|names|policy|url|uri|usage|limit|limits|length|status|enabled|required|expired"
    "|expires|expiry|expiration|expires_?(?:in|at)|hint|rotation|details"
)
_HARMLESS = "(?:next|previous|page|continuation|max|min|new|first|last|eos|bos|pad|unk|stop|mask|sep|special)"
_SECRET_NAME = re.compile(
    rf"(?s)(?!.*(?:^|_)(?:{_ABOUT})$)(?!(?:.*_)?{_HARMLESS}_token$)"
    rf"(?:.*(?:^|_)(?:{_STRONG})(?:_.*)?|.*(?:password|passwd|apikey|secret|privatekey|accesskey)(?:_.*)?"
    rf"|(?:.*_)?(?:(?:access|refresh|auth|api|bearer|csrf|session|id)token|{_WEAK})"
    r"(?:_(?:value|string|header|code|secret|data|\d+))?|(?:.*_)?(?:ssh|signing|encryption|account|auth|master)_?key)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAPS = re.compile(r"[^A-Za-z0-9]+")

# A name, what separates it from its value, and the value: as in headers, JSON, Python, URLs and shells.
_STEM = re.compile(r"(?i)pass|pwd|secret|credential|key|jwt|token|auth|cookie|bearer|pin|otp|cvv|cvc")
_NAME_BEFORE = re.compile(
    r"""(?x)
    (?<![\w\-.]) (?P<name> [\w\-.]++ (?: [ ] [\w\-]++ )? ) \\*+ ["']? \s*+ (?: => | [:=] ) \s*+ (?! \[hidden\] )"""
)
_VALUE = re.compile(
    r"""(?xs)
      (?P<plain> ["'] ) (?: \\. | (?! (?P=plain) ) [^\\] )*+ (?: (?P=plain) | \\? \Z )
    | (?P<escaped> \\++ ["'] ) .*? (?: (?P=escaped) | \Z )
    | [\[{] [^\]}]*+ [\]}]?
    | (?i: bearer | basic | digest | token | negotiate ) [ ]++ [^\s,;&"']++
    | [^\s,;&"']++"""
)
_HEADER = re.compile(
    r"""(?ia)(?<![\w\-])((?:proxy-)?authorization|(?:set-)?cookie)(\s*+[:=][ \t]*+)"""
    r"""(?!\[hidden\]|["'\s\\])[^\r\n"'\\]++"""
)
_NOTHING = frozenset({"null", "none", "true", "false", '""', "''", "{}", "[]"})
"""Values that are no secret, whatever they are called."""

_KNOWN = re.compile(
    r"""(?xa)
    -----BEGIN\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?-----
        (?s:.*?) (?: -----END\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?----- | \Z )
    | (?: (?<! [\w\-] ) eyJ[\w\-]{8,}+ | \beyJ[\w\-]{8,500}+ ) \.[\w\-]{8,}+(?:\.[\w\-]*+)?
    | \bsk-[\w\-]{16,}+
    | \b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}
    | \b(?:gh[opsur]_[A-Za-z0-9]{16,} | github_pat_\w{20,} | glpat-[\w\-]{16,})
    | \b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}
    | \b(?:AIza[\w\-]{30,} | ya29\.[\w\-]{16,})
    | \b(?:xox[abeprs]-[\w\-]{8,} | xapp-\d-[\w\-]{10,})
    | https://hooks\.slack\.com/services/[\w/]+
    | \b(?:lsv2_(?:pt|sk)_\w{16,} | ls__\w{16,} | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{30,})
    | \b(?:pypi-AgE[\w\-]{40,} | SG\.[\w\-]{16,}+\.[\w\-]{16,})
    """
)
_SCHEME = re.compile(
    r"(?a)\b((?i:bearer)\s+)(?=[\w.~+/\-]*\d|[\w.~+/\-]{20})[\w.~+/\-]{8,}=*|\b((?i:basic)\s+)(?=\w*[\d=+/])[A-Za-z0-9+/]{8,}=*"
)
_URL_LOGIN = re.compile(r"""(?ia)\b([a-z][a-z0-9+.\-]{0,30}+://)(?!\[hidden\]@)[^\s/?#"'<>@:]*+:[^\s/?#"'<>]*@""")

_DIGITS = re.compile(r"(?a)(?<![\w.+])[0-9]++(?:[ \u00a0\-][0-9]++)*+")
_GROUP = re.compile(r"[0-9]++")
_GOES_ON = re.compile(r"(?a)\w|\.\d")
_FEWEST_IN_GROUP = 4
"""Digits in every group of a card number but the last."""
_CARD = range(13, 20)
"""Digits of a card number."""
_ISSUER = re.compile(
    r"""(?xa)
      4 (?: \d{12} | \d{15} | \d{18} )                                   # Visa
    | (?: 5[1-5]\d\d | 2(?!2[01]|220|7[3-9]|72[1-9])[2-7]\d\d ) \d{12}   # Mastercard: 51 to 55, 2221 to 2720
    | 3[47] \d{13}                                                       # American Express
    | (?: 30[0-5]\d | 3095 | 3[689]\d\d ) \d{10,15}                     # Diners Club
    | 35(?: 2[89] | [3-8]\d ) \d{12,15}                                  # JCB
    | (?: 60\d | 62\d | 64[4-9] | 65\d | 81\d | 82\d ) \d{13,16}         # Discover, UnionPay, RuPay
    | (?: 50\d\d | 5[6-8]\d\d | 6304 | 67\d\d ) \d{9,15}                # Maestro, Verve, Elo
    | (?: 220[0-4] | 9792 ) \d{12,15}                                    # Mir, Troy
    """
)
"""Numbers of cards by the ranges of ISO/IEC 7812 that their issuers have, with the lengths that they use."""


def masked(value: Any) -> Any:
    """Return plain data without its secrets; everything else is left as it is.

    Hidden are values under the names of secrets (`password`, `api_key`, `token`, `Authorization` and the like, in any
    spelling) and texts that look like one: bearer tokens, keys of well-known services, signed tokens, private keys,
    logins in URLs, and the numbers of payment cards, also as numbers. Texts that hold JSON are looked into. Whatever
    can't be looked at is hidden whole.

    Args:
        value: Mappings, lists, tuples, texts and numbers, nested as they like; other objects are returned as they are.

    """
    try:
        return _masked(value, 0)
    except Exception:  # noqa: BLE001  # a trace is no reason to fail a run, nor to leak
        return MASK


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Tell whether a field of that name holds a secret."""
    if len(name) > _LONGEST_NAME:
        return False
    return _SECRET_NAME.fullmatch(_GAPS.sub("_", _CAMEL.sub("_", name)).strip("_").lower()) is not None


def _masked(value: Any, depth: int) -> Any:
    """Mask by kind of value."""
    if isinstance(value, str):
        return _masked_text(value, depth)
    if isinstance(value, Mapping | list | tuple) and depth >= _DEEPEST:
        return MASK
    if isinstance(value, Mapping):
        return _masked_fields(value, depth)
    if isinstance(value, list):
        return [_masked(item, depth + 1) for item in value]
    if isinstance(value, tuple):
        return tuple(_masked(item, depth + 1) for item in value)
    return MASK if isinstance(value, int) and _is_number_of_card(value) else value


def _masked_fields(fields: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
    """Mask the values under telling names, and look into everything else, names included."""
    told = next((fields[name] for name in ("name", "key") if isinstance(fields.get(name), str)), "")
    result: dict[Any, Any] = {}
    for name, value in fields.items():
        secret = isinstance(name, str) and (is_secret_name(name) or (name == "value" and is_secret_name(told)))
        shown = _unlike(_masked_text(name, depth), result) if isinstance(name, str) else name
        result[shown] = _hidden(value) if secret else _masked(value, depth + 1)
    return result


def _hidden(value: Any) -> Any:
    """Hide a value; that there is none, or whether there is one, is no secret."""
    return value if value is None or isinstance(value, bool) or value in ("", [], {}, ()) else MASK


def _unlike(name: str, taken: Mapping[str, Any]) -> str:
    """Keep apart names that became alike by masking."""
    number, told = len(taken), name
    while told in taken:
        number += 1
        told = f"{name} {number}"
    return told


def _masked_text(text: str, depth: int) -> str:
    """Mask a text: as JSON where it is JSON, else by what can be recognised in it."""
    if depth < _DEEPEST and text.lstrip()[:1] in {"{", "[", '"'}:
        try:
            data = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError):
            return _masked_prose(text)
        inside = _masked(data, depth + 1)
        return text if inside == data else json.dumps(inside, ensure_ascii=False)
    return _masked_prose(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its fields.

    Raises:
        ValueError: When a name occurs twice: the first value would be left out, and so not be looked at.

    """
    fields = dict(pairs)
    if len(fields) < len(pairs):
        msg = "a name occurs twice"
        raise ValueError(msg)
    return fields


def _masked_prose(text: str) -> str:
    """Mask what looks like a secret, or stands behind the name of one."""
    return _masked_short(text) if len(text) <= _SHORT else _masked_any(text)


def _masked_any(text: str) -> str:
    """Mask a text of any length."""
    if _STEM.search(text):
        text = _HEADER.sub(rf"\1\2{MASK}", text)
        text = _masked_assignments(text)
        text = _SCHEME.sub(lambda found: f"{found[1] or found[2]}{MASK}", text)
    text = _DIGITS.sub(_without_cards, _KNOWN.sub(MASK, text))
    return _URL_LOGIN.sub(rf"\1{MASK}@", text) if "@" in text else text


_masked_short = lru_cache(maxsize=2048)(_masked_any)
"""The state of a run is traced at every node: most texts come again and again."""


def _masked_assignments(text: str) -> str:
    """Mask the values of `name=value` and `name: value`."""
    parts: list[str] = []
    shown = look = 0
    while found := _NAME_BEFORE.search(text, look):
        # The value may hold an assignment of its own, such as the query of a URL.
        look = found.end()
        value = _VALUE.match(text, look) if is_secret_name(found["name"]) else None
        if value is None or value[0].lower() in _NOTHING:
            continue
        quote = value["plain"] or value["escaped"] or ""
        parts += text[shown:look], quote, MASK, quote
        shown = look = value.end()
    return "".join([*parts, text[shown:]])


def _is_number_of_card(number: int) -> bool:
    """Tell whether a number is that of a payment card; a look at its size keeps huge ones from being written out."""
    return 0 < number < 10**_CARD.stop and _is_card(str(number))


def _is_card(digits: str) -> bool:
    """Tell whether digits are the number of a payment card: of an issuer's range and length, with its check digit."""
    if len(digits) not in _CARD or not _ISSUER.fullmatch(digits):
        return False
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(digit - 9 if digit > 9 else digit for digit in doubled)) % 10 == 0  # noqa: PLR2004


def _without_cards(found: re.Match[str]) -> str:
    """Mask the numbers of cards among groups of digits; the last group may be part of a word or a fraction."""
    if len(found[0]) < _CARD.start:
        return found[0]
    groups = list(_GROUP.finditer(found[0]))
    rest = found.string[found.end() : found.end() + 2]
    if _GOES_ON.match(rest):
        groups.pop()
    parts: list[str] = []
    shown = at = 0
    while at < len(groups):
        last = _end_of_card(groups, at)
        if last is None:
            at += 1
            continue
        parts += found[0][shown : groups[at].start()], MASK
        shown, at = groups[last].end(), last + 1
    return "".join([*parts, found[0][shown:]])


def _end_of_card(groups: Sequence[re.Match[str]], first: int) -> int | None:
    """Return with which group a card number ends that begins with another one; `None` where none does."""
    digits = ""
    for last in range(first, len(groups)):
        digits += groups[last][0]
        if len(digits) >= _CARD.stop:
            return None
        if _is_card(digits):
            return last
        if len(groups[last][0]) < _FEWEST_IN_GROUP:
            return None
    return None
