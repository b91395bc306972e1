"""Take the graph into a FastAPI application: one router for messages, threads and decisions, as JSON or as events.

A run belongs to its thread, not to the connection: a client that was cut off finds the outcome with `GET` afterwards.
Every refusal carries `{"error": ..., "reason": ...}` as its `detail`, and so does the last event of a run that failed.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, Interrupt, StateSnapshot, StreamMode

from reinforced_agent.graph.agent import Agent, ThreadBusyError
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.inputs import InputError
from reinforced_agent.graph.records.logs import masked_error, masking_logger
from reinforced_agent.graph.tenancy import OtherTenantError, is_of_another
from reinforced_agent.ledger import LedgerError
from reinforced_agent.models.errors import FaultKind
from reinforced_agent.policies.approval import Waiting, read_answer
from reinforced_agent.policies.messages.endings import catalogue
from reinforced_agent.service.http.replies import (
    Event,
    ended,
    events_of,
    is_at_rest,
    question_of,
    reply_of,
    shown_question,
    told,
)
from reinforced_agent.service.http.schemas import NAME, Decisions, NewMessage
from reinforced_agent.tools.results import storable


try:
    from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse
    from fastapi.routing import APIRoute
    from sse_starlette import EventSourceResponse, ServerSentEvent
except ModuleNotFoundError as error:
    _missing = f"The router needs {error.name!r}, which is not installed; run: pip install 'reinforced-agent[service]'"
    raise ModuleNotFoundError(_missing, name=error.name) from error


_logger = masking_logger(__name__)

PersonOf: TypeAlias = Callable[[Request], Context | Awaitable[Context]]
"""Names who asks or decides, from a request; it may raise an `HTTPException` to turn somebody away."""

Thread: TypeAlias = Annotated[str, Path(pattern=NAME, description="Id of the thread.")]

_CUT_OFF_SECONDS = 5.0
"""How long runs that are cut off get to write down what they did."""


def anonymous(request: Request) -> Context:
    """Name nobody."""
    del request
    return Context()


def agent_router(agent: Agent, *, person: PersonOf = anonymous, grace: float = 20.0) -> APIRouter:
    """Serve an agent; include the router where the application likes.

    When the lifespan of the router ends, it waits for the runs under way. An application that includes the router
    before it starts does that by itself; one that includes it in its own lifespan holds the router's open meanwhile:
    `async with router.lifespan_context(app): yield`.

    Args:
        agent: Its checkpointer must be an async one, such as `AsyncSqliteSaver` or `AsyncPostgresSaver`.
        person: Names who asks or decides; it also guards threads, which `request.path_params["thread"]` names.
        grace: Seconds that runs under way get to end when the lifespan ends; then they are cut off, and go on when
            their message is sent again. Keep it below the time after which the platform kills the process.

    Raises:
        ValueError: When the agent keeps no threads, or its checkpointer can't serve an event loop.

    """
    _require_async(agent.checkpointer)
    desk = _Desk(agent, person, grace)
    router = APIRouter(
        dependencies=[Depends(desk.identify)], route_class=_Route, tags=["agent"], lifespan=desk.lifespan
    )
    router.add_api_route("/threads/{thread}", desk.show_thread, methods=["GET"])
    router.add_api_route("/threads/{thread}/messages", desk.take_message, methods=["POST"], response_model=None)
    router.add_api_route("/threads/{thread}/decisions", desk.take_decisions, methods=["POST"], response_model=None)
    return router


class _Route(APIRoute):
    """Says what is wrong with a request in the form of every other refusal, and repeats no value of it.

    The framework's own answer repeats the input, and breaks on input that can't be written as JSON.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def explained(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                faults = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
                raise _refusal(422, "invalid", storable("; ".join(faults))) from error

        return explained


class _Desk:
    """Answers requests, and keeps the runs that are under way."""

    def __init__(self, agent: Agent, person: PersonOf, grace: float) -> None:
        self._agent = agent
        self._person = person
        self._grace = grace
        self._runs: set[asyncio.Task[StateSnapshot]] = set()
        self._stage: Literal["new", "unattended", "open", "closed"] = "new"
        """Whether the lifespan was not entered, not even before the first run; is entered; or has ended."""

    @asynccontextmanager
    async def lifespan(self, _app: object) -> AsyncIterator[None]:
        """Serve while the block lasts, and let the runs under way end after it."""
        self._stage = "open"
        try:
            yield
        finally:
            self._stage = "closed"
            await self._drain()

    async def _drain(self) -> None:
        """Wait for the runs under way, and cut off those that take too long."""
        if self._runs:
            await asyncio.wait(self._runs, timeout=self._grace)
        if not (cut_off := list(self._runs)):
            return
        for run in cut_off:
            run.cancel()
        _, stuck = await asyncio.wait(cut_off, timeout=_CUT_OFF_SECONDS)
        _logger.warning(
            "%d runs did not end within %g seconds and were cut off, of which %d still don't end; their threads go on "
            "when their messages are sent again.",
            len(cut_off),
            self._grace,
            len(stuck),
        )

    async def identify(self, request: Request) -> None:
        """Find out who asks, before anything else is looked at."""
        found = self._person(request)
        request.state.reinforced_agent_context = await found if inspect.isawaitable(found) else found

    async def show_thread(self, thread: Thread, request: Request) -> dict[str, Any]:
        """Show the chat, the question that waits, and how the newest turn ended."""
        snapshot = await self._find(thread, request)
        reader: Context = request.state.reinforced_agent_context
        return {
            **reply_of(thread, snapshot, reader),
            "messages": [told(message) for message in snapshot.values["messages"]],
        }

    async def take_message(self, thread: Thread, message: NewMessage, request: Request) -> Response:
        """Run the turn of a message; the same message again goes on with its turn, or tells its outcome."""
        snapshot = await self._read(thread, request)
        if not _is_newest(message, snapshot):
            said = HumanMessage(message.text, id=message.id)
            return await self._respond(request, thread, {"messages": [said]})
        if snapshot.interrupts or is_at_rest(snapshot):
            return await self._respond(request, thread, snapshot)
        return await self._respond(request, thread, None)

    async def take_decisions(self, thread: Thread, body: Decisions, request: Request) -> Response:
        """Go on with the question that waits, if it is the one that was answered."""
        question = question_of(await self._find(thread, request))
        if question is None:
            raise _stale()
        answer = body.model_dump(include={"decisions"}, exclude_none=True)
        waiting = [Waiting(call["call_id"], call["token"]) for call in question.value["calls"]]
        read = read_answer(answer, waiting)
        # A question that is put again has a new id; tokens bind the decisions to calls that wait still.
        if question.id != body.question and read.problems:
            raise _stale()
        if not read.decided:
            raise _refusal(422, "not_usable", " ".join(read.problems))
        return await self._respond(request, thread, Command(resume={question.id: answer}), asked=question)

    async def _find(self, thread: str, request: Request) -> StateSnapshot:
        """Read a thread that has begun."""
        snapshot = await self._read(thread, request)
        if not snapshot.values.get("messages"):
            raise _unknown(thread)
        return snapshot

    async def _read(self, thread: str, request: Request) -> StateSnapshot:
        """Read a thread; to a person of another tenant it is one that doesn't exist."""
        snapshot = await self._agent.aget_state(_config(thread))
        if is_of_another(snapshot.values, request.state.reinforced_agent_context):
            raise _unknown(thread)
        return snapshot

    async def _respond(self, request: Request, thread: str, value: Any, asked: Interrupt | None = None) -> Response:
        """Run, and answer in the form that the client accepts; a refusal at the start keeps its status."""
        if self._stage == "closed":
            raise _stopped()
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        context: Context = request.state.reinforced_agent_context
        streamed = "text/event-stream" in request.headers.get("accept", "")
        run = asyncio.create_task(self._run(thread, value, context, events if streamed else None, asked))
        self._keep(run)
        # Not a part of the run, which may be cancelled before it starts: whoever reads the events must see their end.
        run.add_done_callback(lambda _: events.put_nowait(None))
        try:
            if not streamed:
                reply = reply_of(thread, await _end_of(run), context)
                _require_usable(reply)
                return JSONResponse(reply)
            first = await events.get()
            if first is None:
                await _end_of(run)
        except Exception as error:
            raise _explain(error) from error
        return EventSourceResponse(_stream(first, events, run, context))

    def _keep(self, run: asyncio.Task[StateSnapshot]) -> None:
        """Remember a run until it ends."""
        if self._stage == "new":
            self._stage = "unattended"
            _logger.warning(
                "The lifespan of the router was not entered, so runs under way are lost when the application ends: "
                "include the router before it starts, or hold `router.lifespan_context(app)` open while it serves."
            )
        self._runs.add(run)
        run.add_done_callback(self._runs.discard)
        run.add_done_callback(_log_failure)

    async def _run(
        self,
        thread: str,
        value: Any,
        context: Context,
        events: asyncio.Queue[Event | None] | None,
        asked: Interrupt | None,
    ) -> StateSnapshot:
        """Carry a run to its end; the first event says that it has begun. Without a queue nobody is told anything."""
        if isinstance(value, StateSnapshot):
            return value
        took = False
        modes: list[StreamMode] = ["updates"] if events is None else ["updates", "messages", "custom"]
        async for mode, part in self._agent.astream(value, _config(thread), context=context, stream_mode=modes):
            took = took or (mode == "updates" and "__interrupt__" not in part)
            if events is not None:
                for event in events_of(mode, part):
                    events.put_nowait(event)
        # Only now is the thread free again: whoever sees the question may answer it at once.
        snapshot = await self._agent.aget_state(_config(thread))
        if asked is not None:
            _require_taken(asked, snapshot, context, took=took)
        return snapshot


async def _end_of(run: asyncio.Task[StateSnapshot]) -> StateSnapshot:
    """Wait for a run, which goes on when the client that waits goes away.

    Raises:
        HTTPException: When the run was cut off.

    """
    await asyncio.wait([run])
    if run.cancelled():
        raise _stopped()
    return run.result()


def _config(thread: str) -> RunnableConfig:
    """Name a thread to LangGraph."""
    return {"configurable": {"thread_id": thread}}


def _require_async(checkpointer: object) -> None:
    """Refuse checkpointers that can't serve an event loop.

    Raises:
        ValueError: Saying which to give.

    """
    if isinstance(checkpointer, BaseCheckpointSaver):
        is_async = type(checkpointer).aget_tuple is not BaseCheckpointSaver.aget_tuple
        if is_async and not isinstance(checkpointer, SqliteSaver):
            return
        given = f"{type(checkpointer).__name__}, which can't serve an event loop"
    else:
        given = "missing"
    msg = f"The agent's checkpointer is {given}: build the agent with AsyncSqliteSaver or AsyncPostgresSaver."
    raise ValueError(msg)


def _is_newest(message: NewMessage, snapshot: StateSnapshot) -> bool:
    """Tell whether a client repeats the message that it sent last."""
    said = (one for one in reversed(snapshot.values.get("messages", ())) if isinstance(one, HumanMessage))
    newest = next(said, None)
    return newest is not None and message.id is not None and (newest.id, newest.text) == (message.id, message.text)


def _require_taken(asked: Interrupt, snapshot: StateSnapshot, reader: Context, *, took: bool) -> None:
    """See that a decision had an effect: somebody else may have been faster, or it may not be this person's to take."""
    if not took:
        raise _stale()
    question = question_of(snapshot)
    if question is None or _calls_of(question) != _calls_of(asked):
        return
    notes = (call["note"] for call in question.value["calls"])
    if reason := question.value["problem"] or " ".join(note for note in notes if note):
        raise _refusal(422, "not_usable", reason, question=shown_question(snapshot, reader))


def _calls_of(question: Interrupt) -> list[tuple[str, ...]]:
    """Return what is asked about; an edit that has to be asked about in its turn is something else."""
    return [(call["call_id"], call["digest"], call["risk"]) for call in question.value["calls"]]


async def _stream(
    event: Event | None, events: asyncio.Queue[Event | None], run: asyncio.Task[StateSnapshot], reader: Context
) -> AsyncIterator[ServerSentEvent]:
    """Send events as they happen, from the first on, and last the answer, the question or the error."""
    while event is not None:
        if event.name != "started":
            yield _sent(event)
        event = await events.get()
    yield _sent(await _last_event(run, reader))


async def _last_event(run: asyncio.Task[StateSnapshot], reader: Context) -> Event:
    """Say how a run ended."""
    try:
        reply = reply_of("", await _end_of(run), reader)
        _require_usable(reply)
    except Exception as error:  # noqa: BLE001  # whatever it is, the client is told that the run is over
        return Event("error", _explain(error).detail)  # type: ignore[arg-type]
    return Event("question", reply["question"]) if reply["question"] else Event("answer", ended(reply))


STATUSES: Final[Mapping[FaultKind, int]] = {"length": 413, "filter": 422, "page": 502}
"""HTTP statuses by what was wrong with a request to the model, where the outcome of the turn doesn't say it."""
_STATUSES: Final = {"misconfigured": 502, "model_down": 503}


def status_of(outcome: str, kind: str) -> int:
    """Return the HTTP status of a turn that a request to the model ended."""
    return STATUSES.get(cast("FaultKind", kind)) or _STATUSES.get(outcome, 502)


def _require_usable(reply: Mapping[str, Any]) -> None:
    """Refuse to pass a turn for a success that ended because the model could not be heard.

    What was done before stands in the answer; what the provider wrote is in the log.
    """
    error = reply["model_error"]
    if error is None:
        return
    outcome, wait = reply["outcome"], error.get("retry_after")
    reason = f"{error['sentence'].removesuffix('.')}: {_next_step(outcome, wait)}"
    more = {"model_error": error, "answer": reply["answer"], "calls": reply["calls"], "receipt": reply["receipt"]}
    raise _refusal(
        status_of(outcome, error["kind"]),
        outcome,
        reason,
        headers=None if wait is None else {"Retry-After": str(wait)},
        **more,
    )


def _next_step(outcome: str, wait: int | None) -> str:
    """Say what a client can do."""
    if outcome == "misconfigured":
        return "tell whoever runs it; nothing else helps."
    if outcome == "model_down" and wait is not None:
        return f"send the request as a new message in {wait} seconds."
    return catalogue("en")[f"{outcome}_next"]


def _sent(event: Event) -> ServerSentEvent:
    """Write an event as the protocol wants it."""
    return ServerSentEvent(data=json.dumps(event.data, ensure_ascii=False), event=event.name)


def _refusal(
    status: int, error: str, reason: str, headers: Mapping[str, str] | None = None, **more: Any
) -> HTTPException:
    """Say no, and why."""
    return HTTPException(status, {"error": error, "reason": reason, **more}, headers)


def _unknown(thread: str) -> HTTPException:
    """Say that there is no such thread for this person."""
    return _refusal(404, "unknown_thread", f"There is no thread {thread!r}: send a message to one of your own first.")


def _stale() -> HTTPException:
    """Say that a question is not open any more."""
    return _refusal(
        409, "stale", "That question doesn't wait any more: read the thread to see what came of it, or what waits now."
    )


def _stopped() -> HTTPException:
    """Say that the server ends."""
    reason = "The server stopped before the run had ended: send this again, or read the thread, when it is back."
    return _refusal(503, "stopped", reason)


def _explain(error: Exception) -> HTTPException:
    """Tell a client what went wrong; what only the operator needs is in the log."""
    match error:
        case HTTPException():
            return error
        case ThreadBusyError():
            return _refusal(409, "busy", str(error))
        case OtherTenantError():
            return _unknown(error.thread)
        case InputError():
            return _refusal(409, "refused", str(error))
        case LedgerError():
            reason = "What is done can't be written down at the moment, so nothing is run: send this again later."
            return _refusal(503, "ledger", reason)
        case _:
            return _refusal(500, "internal", "The run was cut off by an error of the server: read the thread.")


def _log_failure(run: asyncio.Task[StateSnapshot]) -> None:
    """Write down for the operator what ended a run, also where no client listens any more."""
    error = None if run.cancelled() else run.exception()
    if error is not None and not isinstance(error, HTTPException | ThreadBusyError | InputError):
        _logger.error("A run ended with %s", masked_error(error), exc_info=error)
