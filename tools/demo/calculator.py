"""Arithmetic on a parsed expression: numbers and operators only, nothing is evaluated as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, Field

from reinforced_agent.tools.spec import Example, Risk
from reinforced_agent.tools.toolset import tool


Number = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_LARGEST_EXPONENT = 64
_LARGEST = 10**15


def _workable(expression: str) -> str:
    """Accept an expression that can be worked out.

    Raises:
        ValueError: With what to write instead.

    """
    if "^" in expression:
        msg = f"write ** for a power, not ^: use `{expression.replace('^', ' ** ')[:200]}`."
        raise ValueError(msg)
    _value(_parse(expression))
    return expression


Expression = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_workable)]


@tool(
    risk=Risk.READ,
    examples=(
        Example("What is 12 times 31?", {"expression": "12 * 31"}),
        Example("Share a bill of 84 euros among 6 friends", {"expression": "84 / 6"}),
        Example("How much is 15% of 320?", {"expression": "320 * 15 / 100"}),
    ),
)
def calculate(expression: Expression) -> dict[str, object]:
    """Work out an arithmetic expression.

    Args:
        expression: Numbers with + - * / // % ** and parentheses, such as (3 + 4) * 2.

    """
    return {"expression": expression, "value": _value(_parse(expression))}


def _parse(expression: str) -> ast.expr:
    """Parse the usual signs; `×`, `÷`, `^` and thousands separators are not guessed at.

    Raises:
        ValueError: When the text is no expression.

    """
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = "`expression` is no arithmetic expression: write numbers with + - * / and parentheses."
        raise ValueError(msg) from error


def _value(node: ast.expr) -> Number:
    """Work out one node.

    Raises:
        ValueError: On anything but numbers and operators, a division by zero, or a result beyond 10^15.

    """
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _bounded(_power(_value(left), _value(right)))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _bounded(_apply(_BINARY[type(sign)], _value(left), _value(right)))
        case _:
            msg = "`expression` may hold only numbers, + - * / // % ** and parentheses."
            raise ValueError(msg)


def _apply(sign: Callable[[Number, Number], Number], left: Number, right: Number) -> Number:
    """Apply an operator."""
    try:
        return sign(left, right)
    except ZeroDivisionError as error:
        msg = "`expression` divides by zero."
        raise ValueError(msg) from error


def _power(base: Number, exponent: Number) -> Number:
    """Raise to a power that stays small."""
    if abs(exponent) > _LARGEST_EXPONENT or (base < 0 and exponent != int(exponent)) or (base == 0 and exponent < 0):
        msg = f"`expression` has a power that can't be worked out: use exponents up to {_LARGEST_EXPONENT}."
        raise ValueError(msg)
    return _apply(operator.pow, base, exponent)


def _bounded(number: Number) -> Number:
    """Refuse results too large to be meant."""
    if abs(number) > _LARGEST:
        msg = "`expression` gives a number beyond 10**15."
        raise ValueError(msg)
    return round(number, 10) if isinstance(number, float) else number
