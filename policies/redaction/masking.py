"""Mask plain data: values under the names of secrets, and texts that look like one.

Meant for records, traces and logs, where a value too many hidden does less harm than one too few. What a person is
shown to answer or to approve is never masked. Every expression takes time in proportion to the text.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from reinforced_agent.policies.redaction.known import without_known
from reinforced_agent.policies.redaction.names import secret_named
from reinforced_agent.policies.redaction.numbers import is_number_of_card, without_numbers


MASK = "[hidden]"
"""What stands where something could not be looked at; a secret leaves `[hidden:KIND:DIGEST]`."""

_DEEPEST = 40
"""Levels of nesting that are looked into; what lies deeper is hidden whole."""
_SHORT = 4_000
"""Characters of a text that is worth remembering."""
_LONGEST_NAME = 80
"""Characters before a separator in which a name is looked for."""
_SHORTEST_CHOSEN = 4
"""Characters of a password that a sentence tells."""
_FEWEST_KEY = 16
"""Bytes of the key of the digests."""

_MASKED = re.compile(r"\[hidden(?::[a-z\-]{1,30}:[0-9a-f]{8})?\]")

# What stands between a name and its value: as in headers, JSON, Python, URLs, shells and sentences.
_SEPARATOR = re.compile(
    r"""(?x)
      (?P<masked> \[hidden (?: :[a-z\-]{1,30} :[0-9a-f]{8} )? \] )
    | (?: => | := | = (?!=) | : (?! // | [=:] ) | [\uff1a\uff1d] ) (?:\*\*)?+ \s*+ (?:\*\*)?+
    | (?P<told> [ ] (?: is | lautet | ist | est | es | è | é | jest | [-–—] ) [ :]++ (?:\*\*)?+ | [是为は] [ ]?+ )"""
)
_NAME_BACKWARDS = re.compile(
    r"""\s*+ [`*]{0,3}+ ["']?+ \\*+ (?P<name> [\w\-.]++ (?: [ '’\u00a0] [\w\-]++ ){0,4}+ )""", re.VERBOSE
)
_VALUE = re.compile(
    r"""(?xs)
      (?P<plain> ["'`] ) (?: \\. | (?! (?P=plain) ) [^\\] )*+ (?: (?P=plain) | \\? \Z )
    | (?P<escaped> \\++ ["'] ) .*? (?: (?P=escaped) | \Z )
    | [\[{] [^\]}]*+ [\]}]?
    | (?i: bearer | basic | digest | token | negotiate ) [ ]++ [^\s,;&"']++
    | [^\s,;&"'，。；]++"""
)
_PLAIN_VALUE = re.compile(r"[!-+\--:<-~]++")
_PHRASE = re.compile(r"[^\r\n\"']++")
_HEADER = re.compile(
    r"""(?ia)(?<![\w\-])(?<!\[hidden:)((?:proxy-)?authorization|(?:set-)?cookie)(\s*+[:=][ \t]*+)"""
    r"""(?!["'\s\\])([^\r\n"'\\]++)"""
)
_NOTHING = frozenset({"null", "none", "true", "false", "undefined", "{}", "[]", '""', "''"})
"""Values that are no secret, whatever they are called."""
_OF_MANY_MEANINGS = frozenset({"token", "authorization", "secret", "key", "credentials"})
"""Kinds whose names stand in sentences and headings, too; a plain word behind one of them is none."""
_WORDS_OF_FORMS = (
    "required optional missing invalid incorrect wrong expired empty unknown changed reset forgotten yes no ok str "
    "string bytes int bool any secretstr text erforderlich notwendig abgelaufen falsch obligatoire requis expiré "
    "obligatorio obligatoria requerida requerido obrigatória obrigatorio obbligatoria richiesta verplicht wymagane "
    "gerekli обязателен обязательно 必填 必須 필수"
)
_STATES = frozenset(_WORDS_OF_FORMS.split())
"""What a form or a signature says of such a field. A password that is one of these words is not hidden."""
_REFERENCE = re.compile(
    r"""(?xa)
      \$[\w{(] | \{\{ | %\w{1,60}% | <[\w\ \-]{1,60}> | \*{3} | \.{3} | </
    | \{\s{0,9}\\{0,3}["']type\\{0,3}["']
    | (?: ssh | ecdsa | sk-ssh ) -[a-z0-9\-]{3,40}\b
    | (?: process\.env | os\.environ | import\.meta | Deno\.env | secrets\. | vars\. | env\. ) \b
    | [A-Za-z_]\w{0,60} (?: \. [A-Za-z_]\w{0,60} ){0,6} [(\[]
    | (?: self | this | settings | config | args | request | req | os | process )
      (?: \. [A-Za-z_]\w{0,60} ){1,6} (?![\w.])"""
)
"""A value that says where the secret is taken from."""
_NO_LETTER = re.compile(r"(?a)[\d!#$%&*+/<=>?@^_|~\\.\-]")
_GAP = re.compile(r"\s")
_NO_WORD = 16
"""Letters in a row that are too many for a word of a sentence."""
_SCHEME = re.compile(
    r"(?a)\b((?i:bearer)\s+)(?=[\w.~+/\-]*\d|[\w.~+/\-]{20})([\w.~+/\-]{8,}=*)"
    r"|\b((?i:basic)\s+)(?=\w*[\d=+/])([A-Za-z0-9+/]{8,}=*)"
)
_URL_LOGIN = re.compile(r"""(?ia)\b([a-z][a-z0-9+.\-]{0,30}+://)([^\s/?#"'<>@:]*+:[^\s/?#"'<>]*)@""")
_SCHEMA_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
"""What a JSON Schema says of a field; it describes a secret and is none."""
_PARTS_OF_KEY = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
"""The private fields of a JSON Web Key (RFC 7518)."""


class _Digests:
    """Makes the digests of masks: with a key, so that nobody finds a value by trying values."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def use(self, key: bytes) -> None:
        """Take a key of the host in place of the one that this process drew."""
        self._key = key

    def of(self, value: str) -> str:
        """Return eight hexadecimal digits that stand for a value."""
        plain = value.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(plain, digest_size=4, key=self._key).hexdigest()


@lru_cache(maxsize=1)
def _digests() -> _Digests:
    """Return those of this process; its key is drawn when the first mask is made."""
    return _Digests()


def set_mask_key(key: bytes) -> None:
    """Use a key of the host for the digests in masks, so that masks of several processes can be compared.

    Without it, each process draws a key of its own: the same value has the same mask within the process only. Whoever
    has the key can find short values by trying them, so it belongs where other secrets are kept.

    Args:
        key: At least 16 random bytes, the same for all processes whose records are compared.

    Raises:
        ValueError: On a key that is shorter.

    """
    if len(key) < _FEWEST_KEY:
        msg = f"The key for masks has {len(key)} bytes, but needs {_FEWEST_KEY} at least: secrets.token_bytes(32)."
        raise ValueError(msg)
    _digests().use(hashlib.blake2b(key).digest())
    _masked_short.cache_clear()


def masked(value: Any) -> Any:
    """Return plain data without its secrets; everything else is left as it is.

    Hidden are values under the names of secrets (`password`, `api_key`, `Passwort`, `密码` and the like, in any
    spelling) and texts that look like one: keys and tokens of well-known services, signed tokens, private keys, logins
    in URLs, and the numbers of payment cards and bank accounts, also as numbers. Texts that hold JSON are looked into.
    A secret leaves `[hidden:KIND:DIGEST]`, with the same digest for the same value; whatever can't be looked at is
    hidden whole.

    Args:
        value: Mappings, lists, tuples, texts and numbers, nested as they like; other objects are returned as they are.

    """
    try:
        return _masked(value, 0)
    except Exception:  # noqa: BLE001  # a trace is no reason to fail a run, nor to leak
        return MASK


def unmarked(text: str) -> str:
    """Return a masked text with `[hidden]` for every mask, for readers who are not to compare values."""
    return _MASKED.sub(MASK, text)


def hide(kind: str, value: str) -> str:
    """Make the mask of a secret."""
    return f"[hidden:{kind}:{_digests().of(value)}]"


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
    return hide("card", str(value)) if isinstance(value, int) and is_number_of_card(value) else value


def _masked_fields(fields: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
    """Mask the values under telling names, and look into everything else, names included."""
    told = next((fields[name] for name in ("name", "key") if isinstance(fields.get(name), str)), "")
    is_key = isinstance(fields.get("kty"), str)
    result: dict[Any, Any] = {}
    for name, value in fields.items():
        kind = secret_named(name)[0] if isinstance(name, str) and "[hidden" not in name else ""
        if name == "value":
            kind = kind or secret_named(told)[0]
        if is_key and name in _PARTS_OF_KEY:
            kind = "private-key"
        shown = _unlike(_masked_text(name, depth), result) if isinstance(name, str) else name
        result[shown] = _hidden(kind, value, depth + 1) if kind else _masked(value, depth + 1)
    return result


def _hidden(kind: str, value: Any, depth: int) -> Any:
    """Hide a value; that there is none, whether there is one, or where it is taken from, is no secret."""
    if value is None or isinstance(value, bool) or value in ("", [], {}, ()):
        return value
    if isinstance(value, Mapping) and isinstance(value.get("type"), str) and value["type"] in _SCHEMA_TYPES:
        return _masked(value, depth)
    if not isinstance(value, str):
        return hide(kind, json.dumps(value, sort_keys=True, default=str))
    return value if _MASKED.fullmatch(value) or _REFERENCE.match(value) else hide(kind, value)


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
    """Mask a text of any length: first what has a form of its own, then what stands behind a name."""
    text = without_numbers(without_known(text, hide), hide)
    if "@" in text:
        text = _URL_LOGIN.sub(_without_login, text)
    if ":" in text or "=" in text:
        text = _HEADER.sub(lambda found: found[1] + found[2] + _hidden_once("header", found[3]), text)
    text = _masked_assignments(text)
    return _SCHEME.sub(lambda found: (found[1] or found[3]) + hide("token", found[2] or found[4]), text)


_masked_short = lru_cache(maxsize=2048)(_masked_any)
"""The state of a run is traced at every node: most texts come again and again."""


def _hidden_once(kind: str, value: str) -> str:
    """Mask a value, unless all of it is masked already."""
    return value if _MASKED.fullmatch(value.strip()) else hide(kind, value)


def _without_login(found: re.Match[str]) -> str:
    """Mask the name and the password in a URL, unless they say where they are taken from."""
    password = found[2].partition(":")[2]
    return found[0] if _REFERENCE.match(password) else f"{found[1]}{_hidden_once('login', found[2])}@"


def _masked_assignments(text: str) -> str:
    """Mask the values of `name=value`, `name: value` and `the name is value`."""
    parts: list[str] = []
    shown = look = 0
    while found := _SEPARATOR.search(text, look):
        # The value may hold an assignment of its own, such as the query of a URL.
        look = found.end()
        if found["masked"]:
            continue
        before = text[max(shown, found.start() - _LONGEST_NAME) : found.start()][::-1]
        name = _NAME_BACKWARDS.match(before)
        kind, at_end = secret_named(name["name"][::-1]) if name else ("", False)
        if not kind:
            continue
        value = _expression(kind, found["told"]).match(text, look)
        if value is None or not _is_secret(value, kind, is_sure=at_end and not found["told"], is_data="=" in found[0]):
            continue
        quote, content, rest = _parts_of(value)
        parts += text[shown:look], quote, hide(kind, content), quote, rest
        shown = look = value.end()
    return "".join([*parts, text[shown:]])


def _expression(kind: str, told: str | None) -> re.Pattern[str]:
    """Return what the value of a secret looks like; a sentence without gaps between words goes on behind it."""
    if told and not told.isascii():
        return _PLAIN_VALUE
    return _PHRASE if kind == "phrase" else _VALUE


def _parts_of(value: re.Match[str]) -> tuple[str, str, str]:
    """Return the quote around a value, the value itself, and what ends the sentence behind it."""
    groups = value.groupdict()
    quote = groups.get("plain") or groups.get("escaped") or ""
    if quote:
        inner = value[0][len(quote) :]
        return quote, inner.removesuffix(quote), ""
    content = value[0].removesuffix("**").rstrip(".)") or value[0]
    return "", content, value[0][len(content) :]


def _is_secret(value: re.Match[str], kind: str, *, is_sure: bool, is_data: bool) -> bool:
    """Tell whether what stands behind the name of a secret is one.

    Args:
        value: The value.
        kind: Of secret.
        is_sure: Whether the name ends with what names a secret, and the value is not only told in a sentence.
        is_data: Whether they stand as they do in queries and programs.

    """
    quote, content, _ = _parts_of(value)
    plain = content.strip()
    if not plain or plain.lower() in _NOTHING or _MASKED.match(plain) or (not quote and _REFERENCE.match(plain)):
        return False
    if plain.lower().strip(".,!?:") in _STATES:
        return False
    if is_sure and (quote or is_data or plain[0] in "[{" or kind not in _OF_MANY_MEANINGS):
        return True
    return _is_chosen(plain.rstrip("!?"))


def _is_chosen(text: str) -> bool:
    """Tell whether a text looks like a password, a code or a key that somebody chose, and not like a word."""
    if len(text) < _SHORTEST_CHOSEN or _GAP.search(text):
        return False
    return len(text) >= _NO_WORD or _NO_LETTER.search(text) is not None
