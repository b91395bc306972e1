"""Whatever is put in: paths stay in their folder, rules never let the unknown pass, and the loader never breaks."""

from __future__ import annotations

import posixpath
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.rules import (
    Claim,
    Fact,
    Field,
    Limit,
    Relation,
    RuleError,
    RuleProblem,
    Source,
    parse_rules,
)
from reinforced_agent.policies.rules.facts import Observed, learned
from reinforced_agent.policies.rules.reader import parse
from reinforced_agent.policies.text.json_paths import decoded, is_inside, look
from tests.policies.rules.rule_bench import TOOLS, judged, objects


STEPS = st.sampled_from(["..", ".", "", "a", "work", "srv", "~", "%2e%2e", "..\\", "c:", "\x00", "work2", "..."])
PATHS = st.lists(STEPS, max_size=8).map("/".join)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "id"]), inner, max_size=3),
    max_leaves=8,
)


@given(PATHS)
def test_a_path_that_is_inside_resolves_inside(path: str) -> None:
    """What passes is, resolved by the system's own rules, the folder or below it."""
    if is_inside(path, "/srv/work"):
        resolved = posixpath.normpath(posixpath.join("/srv/work", path))
        assert (resolved + "/").replace("//", "/").startswith("/srv/work/")


@given(st.lists(st.text(alphabet="abc_-1 .", min_size=1, max_size=5), min_size=1, max_size=4))
def test_plain_paths_below_the_folder_pass(steps: list[str]) -> None:
    """A path without dots and oddities is not stopped."""
    path = "/".join(step.strip(" .") or "x" for step in steps)
    assert is_inside(f"/srv/work/{path}", "/srv/work")
    assert is_inside(path, "/srv/work")


@given(st.text() | JSON_VALUES)
def test_a_pattern_passes_only_texts_that_match_as_a_whole(value: Any) -> None:
    """Nothing but a text of the form passes."""
    rule = Limit(name="form", field="order", matches=r"[A-Z]\d{1,5}")
    passed = not objects(judged(rule, "pay", {"order": value}))
    assert passed == (
        isinstance(value, str)
        and 2 <= len(value) <= 6
        and "A" <= value[0] <= "Z"
        and all(letter.isdecimal() for letter in value[1:])
    )


@given(JSON_VALUES, JSON_VALUES)
def test_a_relation_passes_only_equal_values(left: Any, right: Any) -> None:
    """Whatever arguments and facts are, a relation that passes has found the same known values on both sides."""
    rule = Relation(name="same", must=Claim(value=Field("order"), equals=Fact("wanted")))
    if not objects(judged(rule, "pay", {"order": left}, facts={"wanted": right})):
        assert look(left, "") == look(right, "")


@given(st.text(max_size=30) | JSON_VALUES.map(str), st.sampled_from(["", "id", "a.*.id", "*"]))
def test_any_result_is_taken_in_without_breaking(text: str, path: str) -> None:
    """A result of whatever shape establishes something or nothing, and raises nothing."""
    look(decoded(text), path)
    sources = [Source(fact="f", tool="t", path=path, key=("id",)), Source(fact="g", tool="t", path=path)]
    assert set(learned(sources, [Observed(tool="t", result=text)])) <= {"f", "g"}


SNIPPETS = st.sampled_from(
    [
        "[[rule]]\n", "[rule]\n", "[[fact]]\n", 'kind = "limit"\n', 'kind = "relation"\n', "kind = 3\n", 'name = "x"\n',
        'field = "amount"\n', "at_most = 1e400\n", "at_most = nan\n", "must = { value = 1 }\n", 'tools = ["pay"]\n',
        "rule:\n", "- kind: limit\n", "  name: &a x\n", "  field: *a\n", "? :\n", "!!set {}\n", "0x: 1\n", "---\n",
        "\t", "{", "}", '"', "'", "\\", "\x00", "message = '{'\n", "message = '{0.x!r:>9}'\n", "1979-05-27\n",
        "[" * 300,
    ]
)  # fmt: skip


@given(st.lists(SNIPPETS | st.text(max_size=8), max_size=10).map("".join), st.sampled_from(["r.toml", "r.yaml"]))
def test_the_loader_raises_nothing_but_its_own_error(text: str, file: str) -> None:
    """Whatever a file holds, it is read as rules or refused with an error that names the file and a line of it."""
    problems: tuple[RuleProblem, ...] = ()
    try:
        parse_rules(text, TOOLS.values(), file=file)
    except RuleError as error:
        problems = error.problems or (RuleProblem((), "no problem", "", -1),)
    lines = len(text.split("\n"))
    assert all(problem.file == file and 0 <= problem.line <= lines for problem in problems)


@given(st.lists(st.sampled_from(["", "# note", "", '["', "#"]), max_size=6), st.integers(0, 6))
def test_a_part_of_a_toml_text_is_found_on_its_line(notes: list[str], blank: int) -> None:
    """Comments, blank lines and values over several lines don't shift the lines of what follows."""
    comments = [f"# {note}" if note else "" for note in notes]
    value = ["long = '''", *notes, "'''", "list = [", *comments, "1,", "]"]
    lines = [*comments, *value, *[""] * blank, "[[rule]]", *comments, 'name = "x"']
    document = parse("\n".join(lines), "r.toml")
    assert document.line(("rule", 0, "name")) == len(lines)
    assert document.line(("rule", 0)) == lines.index("[[rule]]") + 1
    assert document.line(("list",)) == lines.index("list = [") + 1
    assert document.line(("long",)) == lines.index("long = '''") + 1
