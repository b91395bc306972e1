"""Right calls for everyday requests pass the default grounding, in English and Chinese."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.grounding import NUMBER, TEXT, named, tool, verdict


EMAIL = {"type": "string", "format": "email"}
DATE = {"type": "string", "format": "date"}
WHOLE = {"type": "integer"}
LIST = {"type": "array", "items": TEXT}


def case(name: str, request: str, arguments: dict[str, Any], **more: Any) -> Any:
    """One request with its right call; every argument is a field of the tool."""
    return pytest.param(request, arguments, more, id=name)


ENGLISH = [
    case("email", "Write to Bob.Smith@Example.com that I am late", {"to_email": "bob.smith@example.com"}),
    case("email-in-brackets", "Forward it to Ann <ann@corp.example>.", {"email": "ann@corp.example"}),
    case("email-mailto", "mailto:ann@corp.example please", {"email": "ann@corp.example"}),
    case("email-named", "Send it to ann@corp.example", {"email": "Ann <ann@corp.example>"}),
    case("email-spoken", "my mail is ann dot lee at corp dot example", {"email": "ann.lee@corp.example"}),
    case("emails", "Invite a@x.example, b@x.example", {"emails": ["a@x.example", "b@x.example"]}),
    case("order", "Where is my order #W2378156?", {"order_id": "#W2378156"}),
    case("order-bare", "Where is order W2378156?", {"order_id": "#W2378156"}),
    case("order-lower", "cancel order a-1003", {"order_id": "A-1003"}),
    case("order-number", "cancel order 1003", {"order_id": "A-1003"}),
    case("order-int", "cancel order no. 1003", {"order_id": 1003}),
    case("order-words", "cancel order number ten oh three, that is 1003", {"order_id": "1003"}),
    case("order-spaces", "order A 1003 is late", {"order_id": "A-1003"}),
    case("order-padded", "open ticket 42", {"ticket_id": "TICKET-042"}),
    case("invoice-year", "pay invoice 17 of 2026", {"invoice_id": "INV-2026-17"}),
    case("uuid", "delete 123E4567-E89B-12D3-A456-426614174000", {"id": "123e4567-e89b-12d3-a456-426614174000"}),
    case("iban", "to DE89 3704 0044 0532 0130 00", {"iban": "DE89370400440532013000"}),
    case("iban-joined", "to DE89370400440532013000", {"iban": "DE89 3704 0044 0532 0130 00"}),
    case("card", "use card 4111-1111-1111-1111", {"card_number": "4111111111111111"}),
    case("card-end", "use the card ending in 1234", {"card_number": "**** 1234"}),
    case("phone", "call me at (415) 555-0132", {"phone": "+14155550132"}),
    case("phone-zero", "ring 0171 2345678", {"phone_number": "+491712345678"}),
    case("phone-parts", "my number is 415 555 0132", {"phone_number": "415-555-0132"}),
    case("amount", "transfer 500 euros", {"amount": 500}),
    case("amount-float", "transfer $1,250.50 to Bob", {"amount": 1250.5}),
    case("amount-german", "transfer 1.250,50 EUR", {"amount": 1250.5}),
    case("amount-k", "budget of 25k", {"amount": 25000}),
    case("amount-words", "send him twenty-five hundred dollars", {"amount": 2500}),
    case("amount-words-and", "pay one hundred and five dollars", {"amount": 105}),
    case("amount-half", "half a million", {"amount": 500000}),
    case("amount-grand", "five grand", {"amount": 5000}),
    case("amount-cents", "charge $12.50", {"amount_cents": 1250}),
    case("amount-dozen", "deposit a dozen times ten, so 120", {"deposit": 120}),
    case("amount-sum", "pay 30 for the book and 45 for the lamp", {"amount": 75}),
    case("amount-product", "3 tickets at 40 dollars each", {"amount": 120}),
    case("amount-share", "we are 4, the bill was 200", {"amount": 50}),
    case("amount-percent", "tip 20% on a bill of 80 dollars", {"tip": 16}),
    case("amount-discount", "the price is 200, take 10 percent off", {"price": 180}),
    case("amount-all", "refund everything, the order was 89.90 in total", {"refund_amount": 89.9}),
    case("amount-negative", "correct it by minus 40", {"amount": -40}),
    case("amount-couple", "a couple hundred bucks", {"amount": 200}),
    case("amount-m", "raise 1.5m", {"amount": 1500000}),
    case("amount-three", "pay fifteen, thirty and sixty", {"amount": 105}),
    case("default", "book a room", {"deposit": 50}, schema={"deposit": {**NUMBER, "default": 50}}),
    case(
        "default-in-words",
        "book a room",
        {"deposit": 50},
        schema={"deposit": {**NUMBER, "description": "Deposit in dollars. Defaults to 50."}},
    ),
    case("listed", "in the office", {"room_id": "R1"}, schema={"room_id": {**TEXT, "enum": ["R1", "R2"]}}),
    case("placeholder-word", "my primary calendar", {"calendar_id": "primary"}),
    case("me", "show my profile", {"user_id": "me"}),
    case("name-as-id", "show the profile of john_doe", {"user_id": "john_doe"}),
    case("name-made-id", "I am Yusuf Rossi", {"user_id": "yusuf_rossi"}),
    case("looked-up", "cancel my last order", {"order_id": "W77"}, trusted=('{"orders": ["#W77", "#W12"]}',)),
    case("looked-up-number", "refund it", {"amount": 89.9}, trusted=('{"total": 89.90}',)),
    case("looked-up-thousands", "refund it", {"amount": 1089.9}, trusted=("total: $1,089.90",)),
    case("looked-up-sum", "refund both", {"amount": 150}, trusted=('[{"price": 100}, {"price": 50}]',)),
    case("looked-up-many", "refund all", {"amount": 210}, trusted=('[{"price": 100}, {"price": 50}, {"price": 60}]',)),
    case("looked-up-by-stranger", "answer her", {"to_email": "ann@x.example"}, untrusted=(("mail", "ann@x.example"),)),
    case("fact", "show my orders", {"customer_id": "C-881"}, facts={"customer": {"id": "C-881"}}),
    case("fact-number", "show my orders", {"customer_id": "881"}, facts={"customer_id": 881}),
    case("earlier", "and cancel it", {"order_id": "A-1003"}, said=("Where is A-1003?", "and cancel it")),
    case("prompt", "contact support", {"email": "help@corp.example"}, said=("Support: help@corp.example", "contact")),
    case("spelled", "my code is A B C 1 2 3", {"booking_reference": "ABC123"}),
    case("dashes", "confirmation number 123 456 789", {"confirmation_number": "123-456-789"}),
    case("url", "open https://shop.example/orders/99812", {"order_id": "99812"}),
    case("hash", "merge PR #482", {"pr_id": "482"}),
]

CHINESE = [
    case("email", "请发邮件给li.ming@公司.example，说我迟到了", {"email": "li.ming@公司.example"}),
    case("email-glued", "发到ann@corp.example吧", {"email": "ann@corp.example"}),
    case("email-full-width", "发给ann＠corp.example", {"email": "ann@corp.example"}),
    case("order", "订单A-1003到哪儿了？", {"order_id": "A-1003"}),
    case("order-full-width", "取消订单Ａ１００３", {"order_id": "A1003"}),
    case("order-digits", "取消订单一零零三", {"order_id": "1003"}),
    case("order-name", "取消订单号1003", {"订单号": "1003"}),
    case("amount", "转账五百元给小王", {"amount": 500}),
    case("amount-wan", "转三万五", {"amount": 35000}),
    case("amount-mixed", "转3.5万元", {"amount": 35000}),
    case("amount-thousands", "转账1,200元", {"amount": 1200}),
    case("amount-liang", "付两千零五块", {"amount": 2005}),
    case("amount-jiao", "付十二块五", {"amount": 12.5}),
    case("amount-jiaofen", "付二十三元五角", {"amount": 23.5}),
    case("amount-formal", "金额为壹万贰仟元整", {"金额": 12000}),
    case("amount-zhe", "原价200，打八折", {"price": 160}),
    case("amount-ban", "付一万的一半", {"amount": 5000}),
    case("amount-yi", "投资一亿二千万", {"amount": 120000000}),
    case("phone", "我的手机是138-0013-8000", {"手机号": "13800138000"}),
    case("phone-spoken", "电话一三八零零一三八零零零", {"phone": "13800138000"}),
    case("phone-yao", "电话幺三八零零幺三八零零零", {"phone": "13800138000"}),
    case("card", "卡号6222 0212 3456 7890", {"卡号": "6222021234567890"}),
    case("looked-up", "取消我上一个订单", {"order_id": "W77"}, trusted=('{"订单": ["#W77"]}',)),
    case("fact", "查我的订单", {"customer_id": "C-881"}, facts={"客户": "C-881"}),
    case("earlier", "那就取消吧", {"order_id": "A-1003"}, said=("A-1003到哪儿了", "那就取消吧")),
    case("both", "给张三（zhang@corp.example）转两百五", {"email": "zhang@corp.example", "amount": 250}),
]


def spec_for(arguments: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Describe a tool with the fields of a call."""
    fields = {name: schema.get(name) or _declared(value) for name, value in arguments.items()}
    return tool(fields, required=tuple(fields))


def _declared(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return LIST
    return TEXT if isinstance(value, str) else WHOLE if isinstance(value, int) else NUMBER


@pytest.mark.parametrize(("request_text", "arguments", "more"), ENGLISH)
def test_a_right_call_for_an_english_request_passes(
    request_text: str, arguments: dict[str, Any], more: dict[str, Any]
) -> None:
    """Nobody is asked for what was said, in whatever way it was said."""
    known = {key: value for key, value in more.items() if key != "schema"}
    assert named(verdict(spec_for(arguments, more.get("schema", {})), arguments, request_text, **known)) == ()


@pytest.mark.parametrize(("request_text", "arguments", "more"), CHINESE)
def test_a_right_call_for_a_chinese_request_passes(
    request_text: str, arguments: dict[str, Any], more: dict[str, Any]
) -> None:
    """Numerals, full width and units of Chinese don't matter."""
    known = {key: value for key, value in more.items() if key != "schema"}
    assert named(verdict(spec_for(arguments, more.get("schema", {})), arguments, request_text, **known)) == ()


@pytest.mark.parametrize(
    ("request_text", "arguments"),
    [
        pytest.param("Write to Bob that I am late", {"to_email": "bob@example.com"}, id="email"),
        pytest.param("Where is my order?", {"order_id": "W2378156"}, id="order"),
        pytest.param("Send Bob some money", {"amount": 100}, id="amount"),
        pytest.param("Pay Bob 250", {"amount": 520}, id="amount-digits-swapped"),
        pytest.param("Call Ann", {"phone": "+14155550132"}, id="phone"),
        pytest.param("Pay it to my account", {"iban": "DE89370400440532013000"}, id="iban"),
        pytest.param("Cancel order A-1003", {"order_id": "A-1004"}, id="another-order"),
        pytest.param("给小王转点钱", {"amount": 500}, id="chinese-amount"),
        pytest.param("取消我的订单", {"order_id": "A-1003"}, id="chinese-order"),
        pytest.param("转账五百元", {"amount": 5000}, id="chinese-tenfold"),
    ],
)
def test_what_nobody_said_is_asked_for(request_text: str, arguments: dict[str, Any]) -> None:
    """An invented value is sent back, with the field that it stands in."""
    assert named(verdict(spec_for(arguments, {}), arguments, request_text)) == tuple(arguments)


AMOUNTS = st.decimals(min_value=10, max_value=99_999, places=2).map(float)


@given(AMOUNTS, st.sampled_from(["pay {:,.2f} dollars", "pay ${:.2f}", "请付{:,.2f}元", "EUR {:.2f} please"]))
def test_an_amount_passes_in_every_way_it_is_written(amount: float, said: str) -> None:
    """Separators, signs and units around an amount don't matter."""
    assert named(verdict(spec_for({"amount": amount}, {}), {"amount": amount}, said.format(amount))) == ()


@given(st.integers(20, 9_999), st.integers(2, 20))
def test_a_share_passes_as_it_is_rounded(total: int, people: int) -> None:
    """What each of several people pays is computed from what the user said, rounded to cents."""
    share = round(total / people, 2)
    assert named(verdict(spec_for({"amount": share}, {}), {"amount": share}, f"split {total} among {people}")) == ()


@given(st.lists(st.integers(20, 200), min_size=3, max_size=8))
def test_a_total_passes(prices: list[int]) -> None:
    """The sum of prices that a tool listed was not made up."""
    total = sum(prices)
    listed = (str([{"price": price} for price in prices]),)
    assert named(verdict(spec_for({"amount": total}, {}), {"amount": total}, "refund it all", trusted=listed)) == ()


@given(st.integers(1, 999), st.integers(1, 9))
def test_chinese_money_with_tenths_passes(whole: int, tenths: int) -> None:
    """块, 元 and 角 make one amount."""
    amount = 10 + whole + tenths / 10
    for said in (f"付{10 + whole}元{tenths}角", f"付{10 + whole}块{tenths}"):
        assert named(verdict(spec_for({"amount": amount}, {}), {"amount": amount}, said)) == ()


@given(st.from_regex(r"[A-Z]{1,3}-[1-9][0-9]{4,8}", fullmatch=True), st.from_regex(r"[1-9][0-9]{4,8}", fullmatch=True))
def test_an_id_with_other_digits_is_sent_back(said: str, other: str) -> None:
    """An id of the same form that nobody named never passes for the one that was named."""
    if other in said or said.endswith(other):
        return
    made_up = f"{said.split('-', maxsplit=1)[0]}-{other}"
    assert named(verdict(spec_for({"order_id": made_up}, {}), {"order_id": made_up}, f"cancel {said}")) == ("order_id",)
