"""Recognise values that nobody may make up: by the name and format of a field, and by the value itself."""

from __future__ import annotations

import re
from typing import Final

from reinforced_agent.policies.grounding.policy import Kind
from reinforced_agent.policies.schema.folds import fold_words
from reinforced_agent.tools.call import JSON


_NAMES: Final = (
    (Kind.EMAIL, re.compile(r"(?:^|_)(?:e_?mails?|e_?mail_address(?:es)?)(?:_|$)|^(?:邮箱|电子邮件|电邮)$")),
    (
        Kind.ACCOUNT,
        re.compile(
            r"(?:^|_)(?:ibans?|(?:account|acct|card|routing)_?(?:numbers?|nos?|nums?))$|^(?:账号|帐号|卡号|银行卡号|银行账号)$"
        ),
    ),
    (
        Kind.PHONE,
        re.compile(
            r"(?:^|_)(?:phones?|telephones?|mobiles?|cellphones?|fax|tel|"
            r"(?:tele|cell)?_?(?:phone|mobile|fax|cell|contact)_(?:number|no)s?)$|^(?:电话|手机|手机号|电话号码)$"
        ),
    ),
    (
        Kind.ID,
        re.compile(
            r"(?:^|_)(?:ids?|u?uids?|uuids?|guids?|"
            r"(?:order|invoice|booking|reservation|confirmation|tracking|customer|member|ticket|passport|case|"
            r"policy|serial|reference|employee|student|licen[cs]e)_(?:numbers?|nos?|refs?|references?))$|"
            r"^(?:订单|客户|用户|会员|发票|护照)(?:号|编号|号码)$"
        ),
    ),
    (
        Kind.AMOUNT,
        re.compile(
            r"(?:^|_)(?:amounts?|price|payment|fee|refund|donation|deposit|withdrawal|tip)"
            r"(?:_(?:eur|usd|gbp|cny|cents|dollars|euros|value))?$|^(?:金额|价格|总额)$"
        ),
    ),
)
_FORMATS: Final = {"email": Kind.EMAIL, "idn-email": Kind.EMAIL, "uuid": Kind.ID}
_EMAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_SHORTEST_ID: Final = 3
_SHORTEST_NUMBER, _LONGEST_NUMBER = 8, 50
"""Characters of a text that may be an IBAN or a telephone number, separators included."""
_SMALLEST_AMOUNT: Final = 10
"""Smaller numbers are implied by words such as "a", "both" or "each", and prove nothing."""
_FEWEST: Final = {Kind.ACCOUNT: 4, Kind.PHONE: 6, Kind.ID: 1}
"""Digits that a value of a kind has at least; one with fewer is something else, such as `primary`."""


def kind_of_field(name: str, format_name: str) -> Kind | None:
    """Recognise a field by the format of its schema, else by its name."""
    words = fold_words(name)
    named = next((kind for kind, pattern in _NAMES if pattern.search(words)), None)
    return _FORMATS.get(format_name, named)


def kind_of_text(text: str) -> Kind | None:
    """Recognise a text that as a whole is an e-mail address, an IBAN or an international telephone number."""
    if "@" in text:
        return Kind.EMAIL if _EMAIL.fullmatch(text.strip()) else None
    if not _SHORTEST_NUMBER <= len(text) <= _LONGEST_NUMBER:
        return None
    if text.lstrip().startswith("+"):
        return Kind.PHONE if _is_phone(text) else None
    return Kind.ACCOUNT if text[:2].isalpha() and _is_iban(text) else None


def _is_iban(text: str) -> bool:
    """Check country, length and checksum as ISO 13616 has them; the library is loaded when a text looks like one."""
    from stdnum import iban  # noqa: PLC0415  # few processes ever see one

    return bool(iban.is_valid(text))


def _is_phone(text: str) -> bool:
    """Check a number with its country code against the numbering plans of ITU-T E.164."""
    import phonenumbers  # noqa: PLC0415  # few processes ever see one

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return False


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
