"""Layer 2: names that mean a registered tool, and names that don't."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.tool_names import NameIndex, Resolved, check_routing
from reinforced_agent.policies.verdicts import ErrorKind, Revise


INDEX = NameIndex(["book_table", "orders.cancel", "sendInvoice", "mcp__files__move", "resign", "list_rooms"])


@pytest.mark.parametrize(
    ("written", "name", "repairs"),
    [
        pytest.param("book_table", "book_table", (), id="exact"),
        pytest.param("  book_table\n", "book_table", ("name_whitespace",), id="white-space"),
        pytest.param("Book_Table", "book_table", ("name_case",), id="case"),
        pytest.param("book-table", "book_table", ("name_separators",), id="hyphen"),
        pytest.param("book table", "book_table", ("name_separators",), id="space"),
        pytest.param("bookTable", "book_table", ("name_separators",), id="camel-case"),
        pytest.param("orders_cancel", "orders.cancel", ("name_separators",), id="dot-written-as-underscore"),
        pytest.param("send_invoice", "sendInvoice", ("name_separators",), id="snake-case"),
        pytest.param("functions.book_table", "book_table", ("name_namespace",), id="functions"),
        pytest.param("functions.book_table:3", "book_table", ("name_namespace",), id="functions-with-index"),
        pytest.param("tools.orders.cancel", "orders.cancel", ("name_namespace",), id="tools"),
        pytest.param("default_api.list_rooms", "list_rooms", ("name_namespace",), id="default-api"),
        pytest.param(
            " functions.Book-Table",
            "book_table",
            ("name_whitespace", "name_namespace", "name_separators"),
            id="several",
        ),
        pytest.param("move", "mcp__files__move", ("name_server",), id="server-left-out"),
        pytest.param("list_rooms<|channel|>commentary", "list_rooms", ("name_control_tokens",), id="channel-behind"),
        pytest.param("<|call|>list_rooms", "list_rooms", ("name_control_tokens",), id="token-before"),
        pytest.param("list_rooms<|constrain|>json", "list_rooms", ("name_control_tokens",), id="constrain-behind"),
        pytest.param("list_rooms</s>", "list_rooms", ("name_control_tokens",), id="end-of-sequence-behind"),
        pytest.param("\ufefflist_rooms\u200b ", "list_rooms", ("name_whitespace",), id="invisible-around"),
    ],
)
def test_folds_that_mean_one_tool(written: str, name: str, repairs: tuple[str, ...]) -> None:
    """A fold is found, and recorded by name."""
    assert check_routing(written, INDEX) == Resolved(name, repairs)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("book_tables", id="one-letter-more"),
        pytest.param("cancel", id="a-part"),
        pytest.param("re_sign", id="other-words"),
        pytest.param("mcp__mail__move", id="other-server"),
        pytest.param("vault.list_rooms", id="unknown-namespace"),
        pytest.param("<|call|>List_Rooms", id="control-token-and-other-case"),
        pytest.param("List_Rooms</s>", id="end-of-sequence-and-other-case"),
        pytest.param("list</b>_rooms", id="markup-inside"),
        pytest.param("list\u200b_rooms", id="invisible-inside"),
        pytest.param("mcp__desk__list_rooms", id="server-added"),
        pytest.param("list_rооms", id="look-alike-letters"),
        pytest.param("", id="empty"),
        pytest.param("   ", id="blank"),
        pytest.param("x" * 100_000, id="huge"),
        pytest.param("`{}`\n<b>", id="markup"),
    ],
)
def test_anything_else_is_no_tool(written: str) -> None:
    """A name that only looks like a registered one never resolves."""
    verdict = check_routing(written, INDEX)

    assert isinstance(verdict, Revise)
    assert verdict.kind is ErrorKind.UNKNOWN_TOOL
    assert verdict.layer == "routing"
    assert verdict.corrected is None


def test_ambiguous_folds_are_not_resolved() -> None:
    """Two tools under one fold are both named, and neither is taken."""
    verdict = check_routing("GET_ROOM", NameIndex(["get_room", "getRoom", "Get_Room"]))

    assert isinstance(verdict, Revise)
    assert "`get_room`" in verdict.message
    assert "`Get_Room`" in verdict.message


def test_two_servers_with_the_same_tool_are_ambiguous() -> None:
    """A bare name does not choose between two servers."""
    assert NameIndex(["mcp__a__move", "mcp__b__move"]).resolve("move") is None


def test_added_server_is_suggested_without() -> None:
    """A tool of a server that isn't there may be another one than the registered tool of that name."""
    verdict = check_routing("mcp__bank__transfer", NameIndex(["transfer", *(f"tool_{n}" for n in range(30))]))

    assert isinstance(verdict, Revise)
    assert "the nearest: `transfer`" in verdict.message


def test_unreadable_name_with_a_near_one() -> None:
    """A name that can't be shown is compared all the same."""
    verdict = check_routing("`book_table`", INDEX)

    assert isinstance(verdict, Revise)
    assert verdict.message.startswith("The tool name can't be read; it is most like `book_table`.")


def test_exact_names_win_over_folds() -> None:
    """A registered name is never folded to another one."""
    index = NameIndex(["Move", "move", "functions.move"])

    assert index.resolve("Move") == Resolved("Move")
    assert index.resolve("functions.move") == Resolved("functions.move")


def test_feedback_names_the_nearest_and_no_other() -> None:
    """A tool that the model did not mean is not brought up, however few there are."""
    verdict = check_routing("remove_customer", NameIndex(["retire_customer", "find_customer", "ping"]))

    assert isinstance(verdict, Revise)
    assert "`remove_customer`" in verdict.message
    assert "`retire_customer`" in verdict.message
    assert "ping" not in verdict.message


def test_feedback_does_not_list_many_tools() -> None:
    """Only the nearest are named."""
    verdict = check_routing("tool_7x", NameIndex(f"tool_{n}" for n in range(300)))

    assert isinstance(verdict, Revise)
    assert "`tool_7" in verdict.message
    assert len(verdict.message) < 300


def test_feedback_never_repeats_what_cannot_be_read() -> None:
    """Markup and very long names don't come back."""
    for written in ("`{}`\n<b>", "y" * 5_000):
        verdict = check_routing(written, INDEX)
        assert isinstance(verdict, Revise)
        assert "<b>" not in verdict.message
        assert "yyyy" not in verdict.message


def test_parallel_wrapper_is_explained() -> None:
    """The wrapper some models make up for several calls is named as such."""
    verdict = check_routing("multi_tool_use.parallel", INDEX)

    assert isinstance(verdict, Revise)
    assert "tool call of its own" in verdict.message


def test_no_tools_at_all() -> None:
    """Without tools the model is told to answer."""
    verdict = check_routing("book_table", NameIndex([]))

    assert isinstance(verdict, Revise)
    assert "without calling a tool" in verdict.message


def test_chinese_feedback() -> None:
    """The message follows the locale."""
    verdict = check_routing("book_tabel", INDEX, locale="zh-CN")

    assert isinstance(verdict, Revise)
    assert "没有名为 `book_tabel` 的工具" in verdict.message


@given(st.text(max_size=40))
def test_resolves_only_to_registered_names(written: str) -> None:
    """Whatever is written, what comes out is registered, or a message."""
    found = check_routing(written, INDEX)

    assert found.name in INDEX if isinstance(found, Resolved) else found.message
