"""Read Chinese numerals: 一百二十, 三万五, 两千零五, 3.5万, 二零二六, 百分之二十, 一半."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final


_DIGITS: Final = {
    **{sign: number for number, sign in enumerate("零一二三四五六七八九")},
    "\u3007": 0,
    "幺": 1,
    "两": 2,
    "兩": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
}
_STEPS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_SCALES: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_SIGNS: Final = "".join((*_DIGITS, *_STEPS, *_SCALES))
_NUMERAL: Final = re.compile(rf"(百分之)?([0-9.{_SIGNS}]++)(?:[点點]([{''.join(_DIGITS)}]+)([万萬亿億]?))?(半)?")
"""Digits count only beside a Chinese sign; the rest is read elsewhere."""
_PERCENT: Final = re.compile(r"百分之([0-9]+(?:\.[0-9]+)?)")
_NUMBER: Final = rf"(?:[0-9]{{1,15}}(?:\.[0-9]{{1,4}})?|[{_SIGNS}]{{1,20}})"
_MONEY: Final = re.compile(rf"({_NUMBER})[元块塊圆]({_NUMBER})([角毛分]?)(?:({_NUMBER})分)?")
_TENTHS: Final = re.compile(r"([一二三四五六七八九])成")
_DISCOUNT: Final = re.compile(rf"([0-9](?:\.[0-9])?|[{''.join(_DIGITS)}]{{1,2}})折")
_SHARE: Final = re.compile(rf"([{''.join(_DIGITS)}十百]{{1,3}})分之([{''.join(_DIGITS)}十百]{{1,3}})")
_NEIGHBOURS: Final = re.compile(rf"([{''.join(_DIGITS)}])([{''.join(_DIGITS)}])([百千万萬])")
SPAN: Final = re.compile(
    rf"{_MONEY.pattern}|{_PERCENT.pattern}|{_SHARE.pattern}|{_DISCOUNT.pattern}|{_TENTHS.pattern}|"
    rf"(?=[0-9.]*[{''.join((*_STEPS, *_SCALES))}]|[{_SIGNS}]){_NUMERAL.pattern}|一?半"
)
"""Where a number stands in a text."""
_PART: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^0-9.]")
_HALF: Final = Decimal("0.5")
_LONGEST: Final = 30


def chinese_numbers(text: str) -> Iterator[Decimal]:
    """Yield the numbers written in Chinese in a folded text; 百分之二十 is 20 and 0.2."""
    if text.isascii():
        return
    for match in _PERCENT.finditer(text):
        yield from (Decimal(match[1]), Decimal(match[1]) / 100)
    for match in _NUMERAL.finditer(text):
        if len(match[0]) <= _LONGEST and not match[2].isascii():
            for number in _readings(match):
                yield from (number, number / 100) if match[1] else (number,)
    if "半" in text:
        yield _HALF
    yield from _money(text)
    for match in _DISCOUNT.finditer(text):
        yield _discounted(match[1])
    yield from _special(text)


def _special(text: str) -> Iterator[Decimal]:
    """Read shares such as 四分之三 and 三成, and 三五百 as 300 and 500."""
    yield from (_value(match[2]) / whole for match in _SHARE.finditer(text) if (whole := _value(match[1])))
    yield from (Decimal(_DIGITS[match[1]]) / 10 for match in _TENTHS.finditer(text))
    for match in _NEIGHBOURS.finditer(text):
        yield from (Decimal(_DIGITS[digit] * {**_STEPS, **_SCALES}[match[3]]) for digit in match.groups()[:2])


def _money(text: str) -> Iterator[Decimal]:
    """Read 十二块五, 23元5角 and 三元五角二分."""
    for match in _MONEY.finditer(text):
        if len(match[0]) <= _LONGEST:
            share = Decimal("0.01") if match[3] == "分" else Decimal("0.1")
            cents = _plain(match[4]) / 100 if match[4] else Decimal(0)
            yield _plain(match[1]) + _plain(match[2]) * share + cents


def _plain(written: str) -> Decimal:
    """Read one number in digits or signs."""
    return Decimal(written) if written[0].isascii() else _value(written)


def _discounted(written: str) -> Decimal:
    """Read what is left of a price: 八折 is 0.8, 八五折 and 8.5折 are 0.85."""
    digits = "".join(str(_DIGITS.get(sign, sign)) for sign in written if sign != ".")
    return Decimal(f"0.{digits}")


def _readings(match: re.Match[str]) -> Iterator[Decimal]:
    """Read one numeral: as digits one by one, and as a number with 十, 百, 千, 万 and 亿."""
    written, decimals, scale, half = match[2], match[3], match[4], match[5]
    if all(sign in _DIGITS for sign in written):
        whole = Decimal("".join(str(_DIGITS[sign]) for sign in written))
        yield from map(Decimal, (_DIGITS[sign] for sign in written))
    else:
        whole = _value(written)
        yield from _colloquial(written, whole)
    if decimals:
        whole += Decimal("0." + "".join(str(_DIGITS[sign]) for sign in decimals))
    whole *= _SCALES.get(scale, 1)
    yield whole
    if half:
        yield whole + _HALF
        yield whole + _HALF * _last_step(written)


def _value(written: str) -> Decimal:
    """Add up digits, steps and scales from left to right."""
    total = section = Decimal(0)
    digit: Decimal | None = None
    for part in _PART.findall(written):
        if part in _SCALES:
            total, section, digit = _scaled(total, section + (digit or 0), _SCALES[part]), Decimal(0), None
        elif part in _STEPS:
            section, digit = section + (1 if digit is None else digit) * _STEPS[part], None
        else:
            number = Decimal(_DIGITS[part]) if part in _DIGITS else Decimal(part)
            digit = number if digit is None or part not in _DIGITS else digit * 10 + number
    return total + section + (digit or 0)


def _scaled(total: Decimal, section: Decimal, scale: int) -> Decimal:
    """Apply 万 or 亿 to what stands before it: to all of it, or to what came after a greater one."""
    if total >= scale:
        return total + section * scale
    return (total + section or Decimal(1)) * scale


def _colloquial(written: str, whole: Decimal) -> Iterator[Decimal]:
    """Read 三万五 as 35,000 and 两百五 as 250: a last digit counts a tenth of the step before it."""
    last = _DIGITS.get(written[-1], 0)
    step = _last_step(written[:-1]) if len(written) > 1 else 0
    if last and step > 10:  # noqa: PLR2004 - after 十 a digit is a digit
        yield whole - last + Decimal(last) * step / 10


def _last_step(written: str) -> int:
    """Return what the last sign stands for, where it is a step or a scale."""
    return _STEPS.get(written[-1:], _SCALES.get(written[-1:], 0))
