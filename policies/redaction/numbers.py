"""Numbers of payment cards and bank accounts in texts: by issuer, length and check digit, and by ISO 13616."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Final


Hide = Callable[[str, str], str]
"""Makes the mask of a kind of secret for a value."""

_DIGITS: Final = re.compile(r"(?a)(?<![\w.+])[0-9]++(?:[ \u00a0\-][0-9]++)*+")
_GROUP: Final = re.compile(r"[0-9]++")
_GOES_ON: Final = re.compile(r"(?a)\w|\.\d")
_FEWEST_IN_GROUP: Final = 4
"""Digits in every group of a card number but the last."""
_CARD: Final = range(13, 20)
"""Digits of a card number."""
_ARTICLE: Final = 13
"""Digits of an article number (EAN), as long as those of the oldest cards."""
_ISSUER: Final = re.compile(
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

_ACCOUNT: Final = re.compile(
    r"""(?xa)(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}
    (?: [A-Za-z0-9]{11,30}
      | (?:[ \u00a0\-][A-Za-z0-9]{4}){2,7} (?:[ \u00a0\-][A-Za-z0-9]{1,4})?
    )(?![A-Za-z0-9])"""
)
"""What looks like an IBAN: in one piece, or in groups of four."""
_AS_DIGITS: Final = {ord(letter): str(number) for number, letter in enumerate(ascii_uppercase, start=10)}
"""How ISO 13616 counts letters for the check digits."""
_SEPARATORS: Final = re.compile(r"[ \u00a0\-]")


def without_numbers(text: str, hide: Hide) -> str:
    """Return a text without the numbers of cards and bank accounts in it."""
    text = _ACCOUNT.sub(lambda found: _without_account(found[0], hide), text)
    return _DIGITS.sub(lambda found: _without_cards(found, hide), text)


def is_number_of_card(number: int) -> bool:
    """Return whether a number is that of a payment card; a look at its size keeps huge ones from being written out."""
    return 0 < number < 10**_CARD.stop and _is_card(str(number))


def _is_card(digits: str) -> bool:
    """Tell whether digits are the number of a payment card: of an issuer's range and length, with its check digit."""
    if len(digits) not in _CARD or not _ISSUER.fullmatch(digits):
        return False
    from stdnum import ean, luhn  # noqa: PLC0415  # few processes ever see one

    return bool(luhn.is_valid(digits)) and not (len(digits) == _ARTICLE and ean.is_valid(digits))


def _without_account(text: str, hide: Hide) -> str:
    """Mask a bank account at the beginning of a text that looks like one; what follows it may be words."""
    ends = [found.start() for found in _SEPARATORS.finditer(text)]
    for end in [len(text), *reversed(ends)]:
        number = _SEPARATORS.sub("", text[:end]).upper()
        if int((number[4:] + number[:4]).translate(_AS_DIGITS)) % 97 == 1 and is_iban(number):
            return hide("iban", number) + text[end:]
    return text


def is_iban(number: str) -> bool:
    """Return whether country, length and check digits of a number are those of ISO 13616."""
    from stdnum import iban  # noqa: PLC0415  # few processes ever see one

    return bool(iban.is_valid(number))


def _without_cards(found: re.Match[str], hide: Hide) -> str:
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
        number = "".join(group[0] for group in groups[at : last + 1])
        parts += found[0][shown : groups[at].start()], hide("card", number)
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
