"""The embedded model with its real weights."""

import json
import threading
from typing import Any

import pytest
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable

from reinforced_agent import build_agent, tool
from reinforced_agent.models.binding import ASKS_FOR
from reinforced_agent.models.local import LocalChatModel, ModelUnavailableError, load_local
from tests.models.local.conftest import EXAMPLES, TOOLS


Bound = Runnable[LanguageModelInput, AIMessage]


def only_call(message: AIMessage) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of the one call of a message."""
    (call,) = message.tool_calls
    return call["name"], call["args"]


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        pytest.param("Turn the kitchen light off", "switch_lamp", {"room": "kitchen", "state": "off"}, id="list"),
        pytest.param(
            "Can I have Moby Dick until 9 June 2026?",
            "lend_book",
            {"title": "Moby Dick", "until": "2026-06-09"},
            id="date",
        ),
        pytest.param(
            "Can I have Moby Dick until 31 November 2026?",
            "lend_book",
            {"title": "Moby Dick", "until": "2026-11-31"},
            id="a day that does not exist stays possible",
        ),
    ],
)
def test_calls(bound: Bound, request_text: str, tool: str, arguments: dict[str, Any]) -> None:
    """A request becomes the right call of a tool the model has never seen."""
    assert only_call(bound.invoke(request_text)) == (tool, arguments)


def test_small_talk_is_answered(bound: Bound) -> None:
    """A greeting is answered without a call, and the message says what it cost."""
    message = bound.invoke("Hello there!")
    assert not message.tool_calls
    assert message.text
    assert message.response_metadata["finish_reason"] == "stop"
    assert message.response_metadata["model_name"].startswith("SmolLM2")
    assert message.usage_metadata is not None
    assert message.usage_metadata["output_tokens"] > 0


def test_same_request_same_call_but_another_id(bound: Bound) -> None:
    """The model is deterministic, calls have ids of their own, and the odds of the tools are told."""
    first, second = bound.invoke("Light on in the cellar"), bound.invoke("Light on in the cellar")
    assert only_call(first) == only_call(second)
    assert first.tool_calls[0]["id"] != second.tool_calls[0]["id"]
    odds = first.response_metadata["tool_logprobs"]
    assert set(odds) == {"switch_lamp", "lend_book", "answer"}
    assert max(odds, key=lambda name: odds[name]) == "switch_lamp"


@pytest.mark.parametrize(
    ("choice", "calls"),
    [
        pytest.param("none", [], id="none"),
        pytest.param("lend_book", ["lend_book"], id="named"),
        pytest.param("switch_lamp", ["switch_lamp"], id="other"),
    ],
)
def test_tool_choice(model: LocalChatModel, choice: str, calls: list[str]) -> None:
    """A forced choice is kept."""
    message = model.bind_tools(TOOLS, examples=EXAMPLES, tool_choice=choice).invoke("Turn the kitchen light off")
    assert [call["name"] for call in message.tool_calls] == calls


def after(feedback: str, status: Any) -> list[BaseMessage]:
    """Return a conversation in which one call was made for a request."""
    call = {"name": "lend_book", "args": {"title": "Emmma", "until": "2026-06-09"}, "id": "1"}
    return [
        HumanMessage("Can I have Emmma until 9 June 2026?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage(feedback, tool_call_id="1", status=status),
    ]


def test_feedback_is_heeded(bound: Bound) -> None:
    """A refused value is replaced by the one the feedback names; the rest of the call stays."""
    message = bound.invoke(
        after("`title` Emmma is not in the library; did you mean `Emma`? Send the call again.", "error")
    )
    assert only_call(message) == ("lend_book", {"title": "Emma", "until": "2026-06-09"})


def test_refused_value_never_comes_again(bound: Bound) -> None:
    """Without a suggestion the model still proposes something else."""
    _, arguments = only_call(bound.invoke(after("`title` Emmma is not in the library.", "error")))
    assert arguments["title"] != "Emmma"


def test_another_tool_that_feedback_names_is_called(bound: Bound) -> None:
    """Feedback that names another tool in backticks leads to it."""
    message = bound.invoke(after("`lend_book` does not fit a lamp in the hall. Use `switch_lamp`.", "error"))
    assert only_call(message)[0] == "switch_lamp"


def test_it_gives_up_in_words(bound: Bound) -> None:
    """After some refusals of one request the reason is passed on, without what the model was told to do."""
    feedback = "`title` is no book. Send the call again."
    messages = after(feedback, "error")
    for number in range(2, 5):
        call = {"name": "lend_book", "args": {"title": f"Emma {number}", "until": "2026-06-09"}, "id": str(number)}
        messages += [AIMessage("", tool_calls=[call]), ToolMessage(feedback, tool_call_id=str(number), status="error")]
    message = bound.invoke(messages)
    assert (message.tool_calls, message.text) == ([], "`title` is no book.")


def test_a_date_that_nobody_said_is_asked_for(bound: Bound) -> None:
    """A required value of a form of its own is not made up, and the graph learns what is asked for."""
    message = bound.invoke("Can I have Moby Dick?")
    assert not message.tool_calls
    assert message.additional_kwargs[ASKS_FOR]["fields"] == ["until"]
    assert "last day" in message.text


def test_it_makes_one_proposal_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    """Asked again it would say the same: candidates have no effect, and the log says so when the agent is built."""

    @tool(risk="read")
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    build_agent(model=LocalChatModel(engine=None), tools=[double], strategy="candidates")
    assert "one proposal at a time" in caplog.text


@pytest.mark.parametrize(
    "feedback",
    [
        pytest.param("A person rejected this call; it was not run. Don't propose it again.", id="rejected"),
        pytest.param("`lend_book` is not available any more. Don't call it again.", id="unavailable"),
    ],
)
def test_final_words_are_passed_on(bound: Bound, feedback: str) -> None:
    """What cannot be done is said, not tried again."""
    message = bound.invoke(after(feedback, "error"))
    assert not message.tool_calls
    assert message.text


def test_results_are_told_with_their_numbers(bound: Bound) -> None:
    """After a result every value of it is told beside its name, and nothing is called."""
    message = bound.invoke(after(json.dumps({"title": "Emmma", "shelf": 17}), "success"))
    assert (message.tool_calls, message.text) == ([], "title: Emmma; shelf: 17.")


def test_follow_up_uses_the_earlier_call(bound: Bound) -> None:
    """A request that leaves something out takes it from the turn before."""
    history = [*after("lent", "success"), AIMessage("It is lent."), HumanMessage("And Dracula?")]
    assert only_call(bound.invoke(history))[1]["title"] == "Dracula"


def test_threads_wait_for_each_other(bound: Bound) -> None:
    """Concurrent requests get the replies they get alone."""
    requests = ["Turn the kitchen light off", "Light on in the cellar"]
    alone = [only_call(bound.invoke(request)) for request in requests]
    together: dict[str, Any] = {}
    threads = [
        threading.Thread(target=lambda text=text: together.update({text: only_call(bound.invoke(text))}))
        for text in requests
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[request] for request in requests] == alone


def test_a_file_that_is_no_model(tmp_path: Any) -> None:
    """A file of another kind is one clear error."""
    pytest.importorskip("torch", reason="the embedded model is not installed")
    file = tmp_path / "notes.gguf"
    file.write_text("no model")
    with pytest.raises(ModelUnavailableError, match="not a GGUF model"):
        load_local(str(file))
