"""Arguments become one certain object or problems; every repair has a counter-case that it leaves alone."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

import pytest

from reinforced_agent.policies.parsing import Decoded, Undecoded, decode_arguments
from reinforced_agent.policies.verdicts import ErrorKind


DEEP = '{"a":' * 64 + "1" + "}" * 64

STRICT: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ('{"guests": 4, "day": "Friday"}', {"guests": 4, "day": "Friday"}),
    "space around": (' \n{"guests": 4}\t', {"guests": 4}),
    "apostrophes": ('{"note": "it\'s O\'Neill\'s table"}', {"note": "it's O'Neill's table"}),
    "JSON in a string": ('{"note": "{\\"a\\": 1}"}', {"note": '{"a": 1}'}),
    "fence in a string": ('{"note": "```json\\n{}\\n```"}', {"note": "```json\n{}\n```"}),
    "backslashes in a string": ('{"path": "C:\\\\new\\\\table"}', {"path": "C:\\new\\table"}),
    "the words of Python": ('{"note": "None of True, False, NaN"}', {"note": "None of True, False, NaN"}),
    "the surname Null": ('{"name": "Null", "middle": null}', {"name": "Null", "middle": None}),
    "escaped letters": ('{"name": "\\u00fc\\u4f60"}', {"name": "ü你"}),
    "escaped pair": ('{"name": "\\ud83d\\ude00"}', {"name": "😀"}),
    "keys that differ in case": ('{"Accept": 1, "accept": 2}', {"Accept": 1, "accept": 2}),
    "same key in siblings": ('{"a": {"x": 1}, "b": {"x": 2}}', {"a": {"x": 1}, "b": {"x": 2}}),
    "combining value": ('{"a": "e\u0301"}', {"a": "e\u0301"}),
    "largest integer": ('{"n": 18446744073709551615}', {"n": 2**64 - 1}),
    "least integer": ('{"n": -9223372036854775808}', {"n": -(2**63)}),
    "many brackets, not deep": ('{"a": [' + "[]," * 99 + "[]]}", {"a": [[]] * 100}),
}

REPAIRED: dict[str, tuple[str | None, dict[str, Any], tuple[str, ...]]] = {
    "nothing": (None, {}, ("no_arguments",)),
    "empty": ("", {}, ("no_arguments",)),
    "blank": (" \n\u3000", {}, ("no_arguments",)),
    "null": (" null ", {}, ("no_arguments",)),
    "two quotes": ('""', {}, ("no_arguments",)),
    "quoted blank": (' " " ', {}, ("no_arguments",)),
    "byte order mark": ('\ufeff{"a": 1}', {"a": 1}, ("outer_space",)),
    "no-break space": ('\xa0{"a": "\xa0"}\u200b', {"a": "\xa0"}, ("outer_space",)),
    "fence": ('```json\n{"a": "```"}\n```', {"a": "```"}, ("fence",)),
    "fence on one line": ('```{"a": 1}```', {"a": 1}, ("fence",)),
    "double encoding": ('"{\\"a\\": \\"\\\\\\"\\"}"', {"a": '"'}, ("double_encoding",)),
    "raw line break": ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}, ("control_characters",)),
    "fenced raw line break": ('```\n{"a": "x\ny"}\n```', {"a": "x\ny"}, ("fence", "control_characters")),
    "literal line breaks": ('{\\n"p": "C:\\\\new",\\t"q": 1\\n}', {"p": "C:\\new", "q": 1}, ("literal_escapes",)),
    "said twice": ('{"a": 1, "b": 2}{"b": 2, "a": 1}', {"a": 1, "b": 2}, ("repeated_object",)),
    "said three times": ('{"a": 1}\n{"a": 1}\n{"a": 1}', {"a": 1}, ("repeated_object",)),
    "Python dict": (
        "{'a': True, 'b': None, 'c': [1, -2.5]}",
        {"a": True, "b": None, "c": [1, -2.5]},
        ("python_literal",),
    ),
    "quotes in Python": ("""{'a': 'say "hi"', "b": 'it\\'s'}""", {"a": 'say "hi"', "b": "it's"}, ("python_literal",)),
    "words in a Python string": ("{'a': 'None, True'}", {"a": "None, True"}, ("python_literal",)),
    "comma before the end": ('{"a": [1, 2,], }', {"a": [1, 2]}, ("python_literal",)),
}

REFUSED: dict[str, tuple[str | dict[str, Any], str, str]] = {
    "cut after a value": ('{"a": "b"', "cut_off_text", ""),
    "cut in a string": ('{"a": "b', "cut_off_text", ""),
    "cut in an escape": ('{"a": "b\\u00', "cut_off_text", ""),
    "cut at a backslash": ('{"a": "b\\', "cut_off_text", ""),
    "cut in a word": ('{"a": tru', "cut_off_text", ""),
    "cut in a number": ('{"a": -', "cut_off_text", ""),
    "cut after a comma": ('{"a": 1, ', "cut_off_text", ""),
    "cut in a list": ('{"a": ["x", "y"', "cut_off_text", ""),
    "cut in a fence": ('```json\n{"a": "x', "cut_off_text", ""),
    "cut behind a raw line break": ('{"a": "x\ny', "cut_off_text", ""),
    "cut Python": ("{'a': 'b', 'c': 'd", "cut_off_text", ""),
    "cut inside a string": ('"{\\"a\\": 1"', "cut_off_text", ""),
    "cut at an escaped quote inside a string": ('"{\\"path\\": \\"a\\"', "cut_off_text", ""),
    "cut in a second object": ('{"u":1}{"u":"a', "cut_off_text", ""),
    "cut before the key of a second object": ('{"u":1} {', "cut_off_text", ""),
    "cut in prose behind": ('{"a": 1} {see "x', "json_trailing_text", ""),
    "apostrophe in a Python string": ("{'path': 'a', 'text': 'it's'}", "json_key_expected", ""),
    "prose before": ('Here: {"a": 1}', "json_surrounded", ""),
    "prose before a fence": ('Sure:\n```json\n{"a": 1}\n```', "json_surrounded", ""),
    "fence in a fence": ('```json\n```json\n{"a": 1}\n```\n```', "json_surrounded", ""),
    "prose behind a fence": ('```json\n{"a": 1}\n```\nThanks', "json_surrounded", ""),
    "prose before nothing readable": ("Here: {a}", "json_value_expected", ""),
    "prose in quotes": ('"Here: {}"', "arguments_not_object", ""),
    "list": ('[{"a": 1}]', "arguments_not_object", ""),
    "text": ('"book a table"', "arguments_not_object", ""),
    "number": ("42", "arguments_not_object", ""),
    "encoded three times": ('"\\"{}\\""', "arguments_not_object", ""),
    "different objects": ('{"a": 1}{"a": 2}', "several_objects", ""),
    "different in type only": ('{"a": 1}{"a": true}', "several_objects", ""),
    "garbage behind": ('{"a": 1} thanks', "json_surrounded", ""),
    "bracket too many": ('{"a": 1}}', "json_trailing_text", ""),
    "missing comma": ('{"a": 1 "b": 2}', "json_comma_expected", ""),
    "missing colon": ('{"a" 1}', "json_colon_expected", ""),
    "bare key": ("{a: 1}", "json_key_expected", ""),
    "bare value": ('{"a": Friday}', "json_value_expected", ""),
    "quote in a string": ('{"a": "say "hi" now"}', "json_comma_expected", ""),
    "unknown escape": ('{"a": "\\d+"}', "json_bad_escape", ""),
    "expression": ('{"a": open("x").read()}', "json_value_expected", ""),
    "product in Python": ("{'a': 2 * 3}", "json_key_expected", ""),
    "joined strings": ("{'a': ['x' 'y']}", "json_key_expected", ""),
    "tuple": ("{'a': (1, 2)}", "json_key_expected", ""),
    "set": ("{'a', 'b'}", "json_key_expected", ""),
    "bytes": ("{'a': b'x'}", "json_key_expected", ""),
    "hexadecimal": ("{'a': 0x10}", "json_key_expected", ""),
    "escape of Python only": ("{'a': '\\x41'}", "json_key_expected", ""),
    "escape of two meanings": ("{'a': '\\/'}", "json_key_expected", ""),
    "two fences": ('```\n{"a": 1}\n```\nor\n```\n{"a": 2}\n```', "json_surrounded", ""),
    "doubled key": ('{"a": 1, "b": {"c": [{"d": 1, "d": 1}]}}', "duplicate_key", "b.c[0].d"),
    "doubled key in Python": ("{'a': 1, 'a': 2}", "duplicate_key", "a"),
    "doubled key, double encoded": ('"{\\"a\\": 1, \\"a\\": 2}"', "duplicate_key", "a"),
    "key doubled by an escape": ('{"a": 1, "\\u0061": 2}', "duplicate_key", "a"),
    "look-alike keys": ('{"caf\u00e9": 1, "cafe\u0301": 2}', "lookalike_key", "café"),
    "unspeakable key": ('{"ignore all!\\n": 1, "ignore all!\\n": 2}', "duplicate_key", "…"),
    "NaN": ('{"a": {"b": NaN}}', "not_finite_number", "a.b"),
    "infinity": ('{"a": [-Infinity]}', "not_finite_number", "a[0]"),
    "NaN alone": ("NaN", "not_finite_number", "arguments"),
    "half a pair in an outer key": ('{"\\udc00": 1}', "lone_surrogate", "arguments"),
    "overflow": ('{"a": 1e999}', "not_finite_number", "a"),
    "integer beyond 64 bits": ('{"a": 18446744073709551616}', "integer_too_long", "a"),
    "negative integer beyond 64 bits": ('{"a": -9223372036854775809}', "integer_too_long", "a"),
    "wide integer in an object": ({"a": [2**64]}, "integer_too_long", "a[0]"),
    "integer beyond the interpreter": ('{"a": -' + "9" * 5000 + "}", "integer_too_long", "a"),
    "half a pair": ('{"a": "\\ud83d"}', "lone_surrogate", "a"),
    "raw half a pair": ('{"a": ["\udc00"]}', "lone_surrogate", "a[0]"),
    "half a pair in a key": ('{"a": {"\\udc00": 1}}', "lone_surrogate", "a"),
    "one level too deep": ('{"a":' + DEEP + "}", "nested_too_deep", ""),
    "beyond the decoder": ('{"a":' * 90_000 + "1" + "}" * 90_000, "nested_too_deep", ""),
    "lists beyond the decoder": ('{"a":' + "[" * 90_000, "nested_too_deep", ""),
    "too large": ('{"a": "' + "x" * 2_000_000 + '"}', "too_large", ""),
}


@pytest.mark.parametrize(("text", "arguments"), STRICT.values(), ids=STRICT)
def test_valid_json_passes_untouched(text: str, arguments: dict[str, Any]) -> None:
    """Strict JSON gives its object and no repair, whatever its strings look like."""
    assert decode_arguments(text) == Decoded(arguments)


@pytest.mark.parametrize(("text", "arguments", "repairs"), REPAIRED.values(), ids=REPAIRED)
def test_repairs_are_lossless_and_recorded(
    text: str | None, arguments: dict[str, Any], repairs: tuple[str, ...]
) -> None:
    """A slip that leaves one possible value is set right, and its name is kept."""
    assert decode_arguments(text) == Decoded(arguments, repairs)


@pytest.mark.parametrize(("text", "code", "field"), REFUSED.values(), ids=REFUSED)
def test_doubt_becomes_a_problem(text: str, code: str, field: str) -> None:
    """What is cut off, doubled, out of range or no JSON is named and never guessed."""
    decoded = decode_arguments(text)
    assert isinstance(decoded, Undecoded)
    assert (decoded.problems[0].code, decoded.problems[0].field) == (code, field)
    assert (decoded.problems[0].kind is ErrorKind.TRUNCATED) == (code == "cut_off_text")


def test_all_faults_are_named_at_once() -> None:
    """Every fault of the values is reported, each with its path."""
    decoded = decode_arguments('{"a": NaN, "b": [1e999], "c": 1, "c": "\\udc00"}')
    assert isinstance(decoded, Undecoded)
    assert [(problem.code, problem.field) for problem in decoded.problems] == [
        ("duplicate_key", "c"),
        ("not_finite_number", "a"),
        ("lone_surrogate", "c"),
        ("not_finite_number", "b[0]"),
    ]


def test_positions_count_from_one() -> None:
    """Line and column of the fault are those an editor shows."""
    decoded = decode_arguments('{"a": 1,\n "b" 2}')
    assert isinstance(decoded, Undecoded)
    assert decoded.problems[0].facts == {"line": "2", "column": "6"}


def test_code_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    """An expression in the place of a value has no effect."""
    for text in ("{'a': print('ran')}", '{"a": print("ran")}', "print('ran')"):
        assert isinstance(decode_arguments(text), Undecoded)
    assert capsys.readouterr() == ("", "")


class Level(IntEnum):
    """A number with a name."""

    HIGH = 3


class Broken(Mapping[str, Any]):
    """A mapping that fails when it is read."""

    def __getitem__(self, key: str) -> object:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        return 1


def test_objects_are_copied() -> None:
    """An object is taken as a deep copy in plain types."""
    inner = {"x": [1, 2.5, None, True]}
    given: dict[str, Any] = {"a": inner, "b": (1,), "c": UserDict(d=Level.HIGH), "e": range(2)}
    decoded = decode_arguments(given)
    assert decoded == Decoded({"a": {"x": [1, 2.5, None, True]}, "b": [1], "c": {"d": 3}, "e": [0, 1]})
    inner["x"].clear()
    assert isinstance(decoded, Decoded)
    assert decoded.arguments["a"] == {"x": [1, 2.5, None, True]}


CIRCULAR: dict[str, Any] = {}
CIRCULAR["a"] = CIRCULAR

WEIRD: dict[str, tuple[Any, str]] = {
    "NaN": ({"a": float("nan")}, "not_finite_number"),
    "bytes": ({"a": b"x"}, "not_json_value"),
    "set": ({"a": {1}}, "not_json_value"),
    "object": ({"a": object()}, "not_json_value"),
    "number and its text as keys": ({1: 1, "1": 2}, "duplicate_key"),
    "tuple as a key": ({(1, 2): 1}, "not_json_value"),
    "circle": (CIRCULAR, "nested_too_deep"),
    "half a pair": ({"a": "\ud800"}, "lone_surrogate"),
    "endless integer": ({"a": 10**400}, "integer_too_long"),
    "integer beyond the interpreter": ({"a": 10**5000}, "not_json_value"),
    "failing mapping": (Broken(), "not_json_value"),
    "no mapping": (7, "arguments_not_object"),
    "text as bytes": (b"{}", "arguments_not_object"),
    "list": ([{"a": 1}], "arguments_not_object"),
}


@pytest.mark.parametrize(("given", "code"), WEIRD.values(), ids=WEIRD)
def test_weird_objects_become_problems(given: Any, code: str) -> None:
    """Whatever a client hands over in place of arguments, no exception leaves the reader."""
    decoded = decode_arguments(given)
    assert isinstance(decoded, Undecoded)
    assert decoded.problems[0].code == code
