"""A call lacks what only the user knows: the user is asked, and the next message goes on with the request."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage, SystemMessage
from pydantic import Field

from reinforced_agent import ApprovalPolicy, ApprovalRule, Context, Limits, ToolSpec, tool
from reinforced_agent.models.binding import ASKS_FOR
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise
from tests.graph.house import House, call, calls


Address = Annotated[
    str, Field(description="E-mail address of the recipient. Never guess.", json_schema_extra={"x-ground": "user"})
]


@tool(risk="read")
def subscribe(
    to: Address, company: str, rhythm: Annotated[Literal["daily", "weekly"], Field(description="How often")]
) -> str:
    """Subscribe somebody."""
    return f"{to} reads of {company} {rhythm}"


@tool(risk="read")
def get_news(company: str) -> str:
    """Tell the news."""
    return f"nothing new of {company}"


GUESS = calls(call("subscribe", {"to": "user@example.com", "company": "ACME", "rhythm": "daily"}, "c1"))
AGAIN = calls(call("subscribe", {"to": "me@example.com", "company": "ACME", "rhythm": "daily"}, "c2"))
WITHOUT = calls(call("subscribe", {"to": "ann@corp.example", "company": "ACME"}, "c1"))
RIGHT = calls(call("subscribe", {"to": "ann@corp.example", "company": "ACME", "rhythm": "daily"}, "c3"))


def house(*lines: Any, **options: Any) -> House:
    """Build a graph over the two tools."""
    return House(*lines, tools=[subscribe, get_news], **options)


def system(built: House, at: int = -1) -> str:
    """Return what the model was told beside the chat."""
    return "\n".join(message.text for message in built.model.seen[at] if isinstance(message, SystemMessage))


def test_a_question_of_the_model_is_told_from_an_answer() -> None:
    """The turn ends as asked, and says which field of which tool is missing, for a form in a page."""
    asked = house(GUESS, "Which address?").say("Subscribe me to ACME, daily")
    assert (asked.outcome, asked.answer) == ("asked", "Which address?")
    (missing,) = asked.result["turn"]["missing"]
    assert missing == {
        "tool": "subscribe",
        "field": "to",
        "description": "E-mail address of the recipient",
        "type": "string",
        "format": "",
        "allowed": [],
    }


def test_a_field_that_was_left_out_is_asked_for_with_its_choices() -> None:
    """A required argument that the model leaves out is missing like one that it makes up."""
    asked = house(WITHOUT, "How often?").say("Subscribe ann@corp.example to ACME")
    assert asked.outcome == "asked"
    assert [(item["field"], item["allowed"]) for item in asked.result["turn"]["missing"]] == [
        ("rhythm", ["daily", "weekly"])
    ]


def described(words: str, *, locale: str) -> str:
    """Return what the graph asks a user where a host describes the missing values of a call in these words."""
    names = [word.strip() for word in words.split("/")]
    properties = {
        "to": {"type": "string", "description": names[0], "x-ground": "user"},
        "company": {"type": "string"},
        "rhythm": {"enum": ["daily", "weekly"], "description": names[-1]},
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    sign_up = ToolSpec(name="sign_up", description="Subscribe somebody.", parameters=parameters, run=dict)

    lines = [
        calls(call("sign_up", {"to": f"{name}@example.com", "company": "ACME"} | more, f"c{at}"))
        for at, (name, more) in enumerate([("user", {"rhythm": "daily"}), ("me", {"rhythm": "daily"})])
    ]
    if len(names) > 1:
        lines = [calls(call("sign_up", {"company": "ACME"}, f"c{at}")) for at in range(2)]
    asked = House(*lines, tools=[sign_up], limits=Limits(steps=2)).say(
        "Subscribe me to ACME, daily", context=Context(locale=locale)
    )
    assert asked.outcome == "asked"
    assert not any(record["status"] == "done" for record in asked.result["calls"].values())
    return asked.answer


ENGLISH, CHINESE, GERMAN = "E-mail address of the recipient", "收件人的电子邮箱", "Anschrift des Empfangenden"


@pytest.mark.parametrize("locale", ["en", "en-GB", "zh", "zh-CN", "zh_Hans", "de", "fr-CH"])
@pytest.mark.parametrize("words", [ENGLISH, CHINESE, GERMAN, f"{ENGLISH} / 频率", f"{CHINESE} / How often"])
def test_a_question_is_in_one_language(locale: str, words: str) -> None:
    """The question is in the user's language or in English, whatever language the host describes its fields in."""
    asked = described(words, locale=locale)
    # A host that speaks German to users of English is none that could be told by its letters.
    assert GERMAN.lower() not in asked.lower() or locale.startswith("en")
    prose = re.sub(r"`[^`]*`", "", asked)
    chinese, latin = re.search("[\u3400-\u9fff]", prose), re.search("[a-z]{2}", prose)
    assert not (chinese and latin)
    assert not chinese or locale.startswith("zh")
    assert "example.com" not in asked


@pytest.mark.parametrize(
    ("locale", "words", "told"),
    [
        pytest.param("en", ENGLISH, ENGLISH, id="english"),
        pytest.param("de", ENGLISH, ENGLISH, id="english for a user of German"),
        pytest.param("zh-CN", ENGLISH, ENGLISH, id="english for a user of Chinese"),
        pytest.param("zh-CN", CHINESE, CHINESE, id="chinese"),
        pytest.param("zh", f"{CHINESE} / 频率", "频率", id="chinese choices"),
        pytest.param("zh", f"{CHINESE} / 频率", "`weekly`", id="values as they have to be given"),
        pytest.param("en", CHINESE, "`to`", id="the name of a field whose description is in another language"),
        pytest.param("de", GERMAN, "`to`", id="the name of a field described in the user's language"),
    ],
)
def test_a_description_stands_in_a_question_of_its_language(locale: str, words: str, told: str) -> None:
    """The user reads what the host says about a value where that makes no mix, else the field's name as code."""
    assert told.lower() in described(words, locale=locale).lower()


def test_the_graph_asks_with_the_last_step_too() -> None:
    """Where the steps are used up by a call that lacks something, the user is asked for it."""
    asked = house(WITHOUT, limits=Limits(steps=1)).say("Subscribe ann@corp.example to ACME")
    assert (asked.outcome, asked.answer) == (
        "asked",
        "To go on, I need one more thing from you: how often (one of: `daily`, `weekly`).",
    )


def test_the_next_message_goes_on_with_the_request() -> None:
    """The model is reminded of what it asked for and what is known; the call runs with the value that was given."""
    talk = house(GUESS, "Which address?", RIGHT, "Done.").say("Subscribe me to ACME, daily").say("ann@corp.example")
    told = system(talk, 2)
    assert "`subscribe`" in told
    assert "`to`" in told
    assert '{"company":"ACME","rhythm":"daily"}' in told
    assert "example.com" not in told
    assert (talk.outcome, talk.status("c3")) == ("answered", "done")
    assert "`to`" not in system(talk, 3)


def test_layers_see_the_request_and_the_answer_together() -> None:
    """A rule of the host that looks at the request knows what a short answer belongs to."""
    seen: list[str] = []

    def look(_call: Any, situation: Situation) -> Accept:
        seen.append(situation.request)
        return Accept(layer="look")

    talk = house(WITHOUT, "How often?", RIGHT, "Done.", policies=[look])
    talk.say("Subscribe ann@corp.example to ACME").say("daily")
    assert seen == ["Subscribe ann@corp.example to ACME\ndaily"]


def test_an_answer_that_asks_again_keeps_the_whole_request() -> None:
    """Asked for one thing after another, the request and all answers stay together."""
    seen: list[str] = []

    def look(_call: Any, situation: Situation) -> Accept:
        seen.append(situation.request)
        return Accept(layer="look")

    talk = house(WITHOUT, "How often?", GUESS, "Which address?", RIGHT, "Done.", policies=[look])
    talk.say("Subscribe me to ACME").say("daily").say("ann@corp.example")
    assert seen[-1] == "Subscribe me to ACME\ndaily\nann@corp.example"


def test_another_subject_leaves_the_question_behind() -> None:
    """One message later nothing of a question that was not answered lingers."""
    news = calls(call("get_news", {"company": "ACME"}, "c4"))
    talk = house(GUESS, "Which address?", news, "Nothing new.", "You are welcome.")
    talk.say("Subscribe me to ACME, daily").say("What is the news of ACME?").say("Thanks")
    assert "`subscribe`" in system(talk, 2)
    assert talk.outcome == "answered"
    assert "subscribe" not in system(talk)
    assert "continues" not in talk.result["turn"]


def test_a_question_is_not_handed_on_to_another_person() -> None:
    """What one user was asked is no request of the next one in the same thread."""
    talk = house(GUESS, "Which address?", "Hello.")
    talk.say("Subscribe me to ACME, daily", context=Context(user_id="ann"))
    talk.say("Hi", context=Context(user_id="bob"))
    assert "continues" not in talk.result["turn"]
    assert "ACME" not in system(talk)


def test_what_was_looked_up_in_between_is_an_answer() -> None:
    """After another call that ran, a statement ends the turn as answered, and only a question as asked."""
    news = calls(call("get_news", {"company": "ACME"}, "c4"))
    assert house(GUESS, news, "Nothing is new.").say("Subscribe me to ACME, daily").outcome == "answered"
    assert house(GUESS, news, "Nothing is new. Which address?").say("Subscribe me to ACME, daily").outcome == "asked"


def test_a_rule_of_the_host_may_ask_too() -> None:
    """A verdict that names missing fields makes the graph ask for them like the built-in layers."""

    def want_rhythm(call: Any, _situation: Situation) -> Revise:
        return Revise(layer="house", kind=ErrorKind.POLICY, message=f"{call.tool}: ask the user.", missing=("rhythm",))

    asked = house(RIGHT, RIGHT, policies=[want_rhythm]).say("Subscribe ann@corp.example to ACME, daily")
    assert (asked.outcome, asked.result["turn"]["missing"][0]["field"]) == ("asked", "rhythm")


def test_what_was_changed_already_stands_before_the_question() -> None:
    """A user who is asked for more reads what has happened so far."""

    @tool(risk="write")
    def send_note(to: str) -> str:
        """Send a note."""
        return f"sent to {to}"

    sent = calls(call("send_note", {"to": "Ann"}, "c0"))
    nobody = ApprovalPolicy(write=ApprovalRule(ask=False))
    asked = House(sent, GUESS, AGAIN, tools=[send_note, subscribe], approvals=nobody)
    asked.say("Send Ann a note and subscribe me to ACME, daily")
    assert asked.outcome == "asked"
    assert asked.answer.startswith('What was done so far:\n- send_note {"to":"Ann"}: sent to Ann\n')


def test_one_of_two_calls_of_a_tool_lacks_something() -> None:
    """A call beside it that ran doesn't hide what the other one lacks."""
    guess = call("subscribe", {"to": "user@example.com", "company": "ACME", "rhythm": "daily"}, "c1")
    right = call("subscribe", {"to": "ann@corp.example", "company": "ACME", "rhythm": "daily"}, "c2")
    asked = house(calls(guess, right), "Ann is subscribed. What is your address?")
    asked.say("Subscribe me and ann@corp.example to ACME, daily")
    assert (asked.outcome, asked.status("c2")) == ("asked", "done")
    assert [item["field"] for item in asked.result["turn"]["missing"]] == ["to"]


@pytest.mark.parametrize(
    "said", [pytest.param({"tool": 7}, id="tool"), pytest.param({"tool": "subscribe", "fields": "to"}, id="fields")]
)
def test_what_a_model_says_about_its_question_is_checked(said: dict[str, Any]) -> None:
    """Data in another shape than agreed is passed over, and the answer is an answer."""
    line = AIMessage("Which address?", additional_kwargs={ASKS_FOR: said})
    assert house(line).say("Subscribe me to ACME").outcome == "answered"


def test_a_model_that_asks_back_by_itself_may_say_what_for() -> None:
    """Without a call that was sent back, a model that tells what it asks for ends the turn as asked."""
    said = {"tool": "subscribe", "fields": ["to"], "arguments": {"company": "ACME", "rhythm": "daily"}}
    talk = house(AIMessage("Which address?", additional_kwargs={ASKS_FOR: said}), RIGHT, "Done.")
    assert talk.say("Subscribe me to ACME, daily").outcome == "asked"
    talk.say("ann@corp.example")
    assert '{"company":"ACME","rhythm":"daily"}' in system(talk, 1)
    assert talk.outcome == "answered"


def test_a_pick_among_what_the_assistant_offered_counts_as_said() -> None:
    """The second of two addresses that the model offered may be written to, also where only the user may name it."""
    offer = "Which one: ann@home.example or ann@corp.example?"
    talk = house(GUESS, offer, RIGHT, "Done.").say("Subscribe me to ACME, daily").say("the second")
    assert talk.status("c3") == "done"


@pytest.mark.asyncio
async def test_it_is_the_same_in_an_event_loop() -> None:
    """Asynchronous runs ask and go on alike."""
    built = house(GUESS, AGAIN, RIGHT, "Done.")
    first = await built.agent.ainvoke({"messages": [("user", "Subscribe me to ACME, daily")]}, built.config)
    assert first["turn"]["outcome"] == "asked"
    second = await built.agent.ainvoke({"messages": [("user", "ann@corp.example")]}, built.config)
    assert (second["turn"]["outcome"], second["calls"]["c3"]["status"]) == ("answered", "done")
