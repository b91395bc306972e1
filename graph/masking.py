"""Take secrets out of plain data before it leaves the process: by the names of fields, and by the looks of values.

Meant for traces and logs, where a value too many hidden does less harm than one too few.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
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
    rf"(?!.*(?:^|_)(?:{_ABOUT})$)(?!(?:.*_)?{_HARMLESS}_token$)"
    rf"(?:.*(?:^|_)(?:{_STRONG})(?:_.*)?|.*(?:password|passwd|apikey|secret|privatekey|accesskey)(?:_.*)?"
    rf"|(?:.*_)?(?:(?:access|refresh|auth|api|bearer|csrf|session|id)token|{_WEAK})"
    r"(?:_(?:value|string|header|code|secret|data|\d+))?|(?:.*_)?(?:ssh|signing|encryption|account|auth|master)_?key)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAPS = re.compile(r"[^A-Za-z0-9]+")

# A name, what separates it from its value, and the value: as in headers, JSON, Python, URLs and shells.
_STEM = re.compile(r"(?i)pass|pwd|secret|credential|key|jwt|token|auth|cookie|bearer|pin|otp|cvv|cvc")
_ASSIGNMENT = re.compile(
    r"""(?xs)
    (?<![\w\-]) (?P<name> [\w\-.]++ (?: [ ] [\w\-]++ )? ) (?P<sep> \\* ["']? \s*+ (?: => | [:=] ) \s*+ )
    (?! \[hidden\] )
    (?P<value>
        (?P<plain> ["'] ) (?: \\. | (?! (?P=plain) ) [^\\] )*+ (?: (?P=plain) | \\? \Z )
      | (?P<escaped> \\+ ["'] ) .*? (?: (?P=escaped) | \Z )
      | [\[{] [^\]}]*+ [\]}]?
      | (?i: bearer | basic | digest | token | negotiate ) [ ]+ [^\s,;&"']+
      | [^\s,;&"']+
    )"""
)
_HEADER = re.compile(
    r"""(?i)(?<![\w\-])((?:proxy-)?authorization|(?:set-)?cookie)(\s*[:=][ \t]*)(?!\[hidden\]|["'\s\\])[^\r\n"'\\]+"""
)
_NOTHING = frozenset({"null", "none", "true", "false", '""', "''", "{}", "[]"})
"""Values that are no secret, whatever they are called."""

_KNOWN = re.compile(
    r"""(?x)
    -----BEGIN\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?-----
        (?s:.*?) (?: -----END\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?----- | \Z )
    | \beyJ[\w\-]{8,}\.[\w\-]{8,}(?:\.[\w\-]*)?
    | \bsk-(?:[A-Za-z]+[\w]*-)*[\w\-]{16,}
    | \b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}
    | \b(?:gh[opsur]_[A-Za-z0-9]{16,} | github_pat_\w{20,} | glpat-[\w\-]{16,})
    | \b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}
    | \b(?:AIza[\w\-]{30,} | ya29\.[\w\-]{16,})
    | \b(?:xox[abeprs]-[\w\-]{8,} | xapp-\d-[\w\-]{10,})
    | https://hooks\.slack\.com/services/[\w/]+
    | \b(?:lsv2_(?:pt|sk)_\w{16,} | ls__\w{16,} | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{30,})
    | \b(?:pypi-AgE[\w\-]{40,} | SG\.[\w\-]{16,}\.[\w\-]{16,})
    """
)
_SCHEME = re.compile(
    r"\b((?i:bearer)\s+)(?=[\w.~+/\-]*\d|[\w.~+/\-]{20})[\w.~+/\-]{8,}=*|\b((?i:basic)\s+)(?=\w*[\d=+/])[A-Za-z0-9+/]{8,}=*"
)
_URL_LOGIN = re.compile(r"""(?i)\b([a-z][a-z0-9+.\-]*+://)(?!\[hidden\]@)[^\s/?#"'<>@]*:[^\s/?#"'<>]*@""")


def masked(value: Any) -> Any:
    """Return plain data without its secrets; everything else is left as it is.

    Hidden are values under the names of secrets (`password`, `api_key`, `token`, `Authorization` and the like, in any
    spelling) and texts that look like one: bearer tokens, keys of well-known services, signed tokens, private keys,
    logins in URLs. Texts that hold JSON are looked into. Whatever can't be looked at is hidden whole.

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
    return value


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


def _unlike(name: str, taken: Iterable[str]) -> str:
    """Keep apart names that became alike by masking."""
    while name in taken:
        name += "'"
    return name


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
    text = _KNOWN.sub(MASK, text)
    return _URL_LOGIN.sub(rf"\1{MASK}@", text) if "@" in text else text


_masked_short = lru_cache(maxsize=2048)(_masked_any)
"""The state of a run is traced at every node: most texts come again and again."""


def _masked_assignments(text: str) -> str:
    """Mask the values of `name=value` and `name: value`."""
    parts: list[str] = []
    shown = look = 0
    while found := _ASSIGNMENT.search(text, look):
        if not is_secret_name(found["name"]) or found["value"].lower() in _NOTHING:
            # The value may hold an assignment of its own, such as the query of a URL.
            look = found.end("sep")
            continue
        quote = found["plain"] or found["escaped"] or ""
        parts += text[shown : found.start("value")], quote, MASK, quote
        shown = look = found.end()
    return "".join([*parts, text[shown:]])
