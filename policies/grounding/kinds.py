"""Recognise values that nobody may make up: by the name and format of a field, and by the value itself."""

from __future__ import annotations

import re
from typing import Final

from reinforced_agent.policies.grounding.policy import Kind
from reinforced_agent.policies.schema.folds import fold_words
from reinforced_agent.tools.call import JSON


_NAMES: Final = (
    (Kind.EMAIL, re.compile(r"(?:.*_)?(?:e_?mails?|e_?mail_address(?:es)?)(?:_.*)?|邮箱|电子邮件|电邮")),
    (
        Kind.ACCOUNT,
        re.compile(
            r"(?:.*_)?(?:ibans?|(?:account|acct|card|routing)_?(?:numbers?|nos?|nums?))|账号|帐号|卡号|银行卡号|银行账号"
        ),
    ),
    (
        Kind.PHONE,
        re.compile(
            r"(?:.*_)?(?:phones?|telephones?|mobiles?|cellphones?|fax|tel|"
            r"(?:tele|cell)?_?(?:phone|mobile|fax|cell|contact)_(?:number|no)s?)|电话|手机|手机号|电话号码"
        ),
    ),
    (
        Kind.ID,
        re.compile(
            r"(?:.*_)?(?:ids?|u?uids?|uuids?|guids?|"
            r"(?:order|invoice|booking|reservation|confirmation|tracking|customer|member|ticket|passport|case|"
            r"policy|serial|reference|employee|student|licen[cs]e)_(?:numbers?|nos?|refs?|references?))|"
            r"(?:订单|客户|用户|会员|发票|护照)(?:号|编号|号码)"
        ),
    ),
    (
        Kind.AMOUNT,
        re.compile(
            r"(?:.*_)?(?:amounts?|price|payment|fee|refund|donation|deposit|withdrawal|tip)"
            r"(?:_(?:eur|usd|gbp|cny|cents|dollars|euros|value))?|金额|价格|总额"
        ),
    ),
)
_FORMATS: Final = {"email": Kind.EMAIL, "idn-email": Kind.EMAIL, "uuid": Kind.ID}
_EMAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_SHORTEST_ID: Final = 3
_SMALLEST_AMOUNT: Final = 10
"""Smaller numbers are implied by words such as "a", "both" or "each", and prove nothing."""
_FEWEST: Final = {Kind.ACCOUNT: 4, Kind.PHONE: 6, Kind.ID: 1}
"""Digits that a value of a kind has at least; one with fewer is something else, such as `primary`."""


def kind_of_field(name: str, format_name: str) -> Kind | None:
    """Recognise a field by the format of its schema, else by its name."""
    words = fold_words(name)
    named = next((kind for kind, pattern in _NAMES if pattern.fullmatch(words)), None)
    return _FORMATS.get(format_name, named)


def kind_of_text(text: str) -> Kind | None:
    """Recognise a text that as a whole is an e-mail address or an IBAN with a right checksum."""
    if "@" in text:
        return Kind.EMAIL if _EMAIL.fullmatch(text.strip()) else None
    compact = text.replace(" ", "")
    return Kind.ACCOUNT if len(text) > 14 and _IBAN.fullmatch(compact) and _checks(compact) else None  # noqa: PLR2004


def _checks(iban: str) -> bool:
    """Compute the checksum of an IBAN."""
    return int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97 == 1


def is_of(kind: Kind, value: JSON) -> bool:
    """Tell whether a value in a field of a kind really is of it, so that it can have been made up."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    if kind is Kind.AMOUNT:
        return not isinstance(value, str) and not abs(value) < _SMALLEST_AMOUNT
    if kind is Kind.EMAIL:
        return isinstance(value, str) and "@" in value
    text = str(value)
    return len(text) >= _SHORTEST_ID and sum(map(str.isdigit, text)) >= _FEWEST[kind]
