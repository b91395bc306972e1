"""Ask a chat model for several proposals at once: in one request where its server can, else in parallel ones.

Whoever listens to the tokens of a run doesn't hear them: all but one will be dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig, ensure_config

from reinforced_agent.models.binding import innermost, parts, unstreamed
from reinforced_agent.models.streaming import nostream
from reinforced_agent.models.waiting import LATE, ModelTimeoutError, RetryBudget, begin, hurry, leave, within


_logger = logging.getLogger(__name__)
_REFUSED: Final = frozenset({400, 404, 422})
"""Answers by which servers refuse a parameter they don't know."""


@dataclass(frozen=True, slots=True)
class Said:
    """One proposal of a request; the tokens of a request are told with its first."""

    message: AIMessage
    counts: bool = True
    """Whether its usage is to be counted."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How proposals are asked for; remembers what a server has refused."""

    logprobs: bool = False
    temperature: float | None = None
    declined: set[str] = field(default_factory=set)
    """Parameters that the server does not know."""

    def extras(self, model: BaseChatModel, count: int) -> dict[str, Any]:
        """Return the parameters of a request, as far as the kind of model knows them."""
        wanted: dict[str, Any] = {"n": count if count > 1 else None, "logprobs": self.logprobs or None}
        wanted["temperature"] = self.temperature
        known = getattr(type(innermost(model)), "model_fields", {})
        return {
            name: value
            for name, value in wanted.items()
            if value is not None and name in known and name not in self.declined
        }

    def without(self, error: Exception, extras: dict[str, Any]) -> dict[str, Any] | None:
        """Return what is left of the parameters after a refusal; `None` when it can't have been about them.

        A temperature is the host's wish, so its refusal is an error.
        """
        optional = [name for name in ("n", "logprobs") if name in extras]
        if getattr(error, "status_code", None) not in _REFUSED or not optional:
            return None
        named = [name for name in optional if f"'{name}'" in str(error) or f'"{name}"' in str(error)] or optional
        return {name: value for name, value in extras.items() if name not in named}

    def learn(self, wanted: dict[str, Any], sent: dict[str, Any]) -> None:
        """Note what a server refused, once it has accepted the request without that."""
        if refused := wanted.keys() - sent.keys() - self.declined:
            _logger.warning("The server refuses %s: from now on it is asked without.", " and ".join(sorted(refused)))
            self.declined.update(refused)


def has_one_voice(model: BaseChatModel) -> bool:
    """Tell whether a model can't tell several proposals, and says the same when it is asked again."""
    return repeats_itself(model) and "n" not in type(innermost(model)).model_fields


def repeats_itself(speaker: Any) -> bool:
    """Tell whether a model says the same again when asked the same; a second request is pointless then."""
    kind = innermost(parts(speaker)[0])._llm_type  # noqa: SLF001  # has no public name
    return kind in _DETERMINISTIC


_DETERMINISTIC: Final = frozenset({"reinforced-agent-local", "reinforced-agent-local-plain"})


def _heard_by(config: RunnableConfig) -> dict[str, Any]:
    """Return who is told about a request, without those who listen to its tokens."""
    config = nostream(ensure_config(config))
    return {"callbacks": config.get("callbacks"), "tags": config["tags"], "metadata": config.get("metadata")}


def _messages(result: Any) -> list[Said]:
    """Return the proposals of one response."""
    return [Said(generation.message, at == 0) for at, generation in enumerate(result.generations[0])]


def _request(
    speaker: Any, shown: Sequence[AnyMessage], config: RunnableConfig, asking: Asking, count: int, retries: RetryBudget
) -> list[Said]:
    """Make one request, without what the server refuses."""
    model, bound = parts(speaker)
    wanted = extras = asking.extras(model, count)
    while True:
        try:
            result = model.generate([list(shown)], **_heard_by(config), **{**bound, **unstreamed(model), **extras})
        except Exception as error:
            if (wait := retries.pause(error)) is not None:
                time.sleep(wait)
            elif (fewer := asking.without(error, extras)) is not None:
                extras = fewer
            else:
                raise
        else:
            asking.learn(wanted, extras)
            return _messages(result)


async def _arequest(
    speaker: Any, shown: Sequence[AnyMessage], config: RunnableConfig, asking: Asking, count: int, retries: RetryBudget
) -> list[Said]:
    """Make one request in an event loop, without what the server refuses."""
    model, bound = parts(speaker)
    wanted = extras = asking.extras(model, count)
    while True:
        try:
            result = await model.agenerate(
                [list(shown)], **_heard_by(config), **{**bound, **unstreamed(model), **extras}
            )
        except Exception as error:
            if (wait := retries.pause(error)) is not None:
                await asyncio.sleep(wait)
            elif (fewer := asking.without(error, extras)) is not None:
                extras = fewer
            else:
                raise
        else:
            asking.learn(wanted, extras)
            return _messages(result)


def _at_once(speaker: Any, asking: Asking, count: int) -> bool:
    """Tell whether one request can bring several proposals."""
    return "n" in asking.extras(parts(speaker)[0], count)


def _missing(speaker: Any, count: int, got: int) -> int:
    """Return how many proposals are to be asked for once more; a model without chance has told all it has."""
    return 0 if got and repeats_itself(speaker) else count - got


def ask(
    speaker: Any, shown: Sequence[AnyMessage], config: RunnableConfig, asking: Asking, count: int, seconds: float | None
) -> Iterator[Said]:
    """Yield proposals as they come; who stops reading ignores the rest.

    A thread that waits for a server can't be stopped, so an abandoned request runs to its end unheard.

    Raises:
        ModelTimeoutError: When the time is over and there is no proposal.
        Exception: What the first request raised, where none brought a proposal.

    """
    got, retries, speaker = 0, RetryBudget(seconds), hurry(speaker, seconds)
    if _at_once(speaker, asking, count):
        # A server that does not know `n` answers with a single proposal, or refuses it.
        for said in within(seconds, lambda: _request(speaker, shown, config, asking, count, retries)):
            got += 1
            yield said
    if missing := _missing(speaker, count, got):
        left = retries.left()

        def request() -> list[Said]:
            return _request(speaker, shown, config, asking, 1, RetryBudget(left))

        yield from _race(request, missing, left, has_some=got > 0)


def _race(request: Callable[[], list[Said]], count: int, seconds: float | None, *, has_some: bool) -> Iterator[Said]:
    """Run a request several times side by side and yield what comes, first come first."""
    requests = [begin(request) for _ in range(count)]
    errors: list[BaseException] = []
    came = as_completed(requests, None if seconds is None else max(seconds, 0.0))
    while (done := _next(came)) is not None:
        if (error := done.exception()) is not None:
            errors.append(error)
            continue
        has_some = True
        yield from done.result()
    if any(not one.done() for one in requests):
        leave(requests)
        errors.append(ModelTimeoutError(LATE))
    if errors and not has_some:
        raise errors[0]


def _next(came: Iterator[Future[list[Said]]]) -> Future[list[Said]] | None:
    """Return the next request that is done; `None` when there is none, or no time left."""
    try:
        return next(came, None)
    except TimeoutError:
        return None


async def aask(
    speaker: Any, shown: Sequence[AnyMessage], config: RunnableConfig, asking: Asking, count: int, seconds: float | None
) -> AsyncGenerator[Said, None]:
    """Yield proposals as they come, in an event loop; closing it cancels the requests that are still open.

    The time bounds only what is waited for before a request is made again.

    Raises:
        Exception: What the first request raised, where none brought a proposal.

    """
    got, retries = 0, RetryBudget(seconds)
    if _at_once(speaker, asking, count):
        for said in await _arequest(speaker, shown, config, asking, count, retries):
            got += 1
            yield said
    if missing := _missing(speaker, count, got):
        alone = (_arequest(speaker, shown, config, asking, 1, RetryBudget(retries.left())) for _ in range(missing))
        requests = [asyncio.ensure_future(one) for one in alone]
        async with aclosing(_arace(requests, has_some=got > 0)) as race:
            async for said in race:
                yield said


async def _arace(requests: Sequence[asyncio.Future[list[Said]]], *, has_some: bool) -> AsyncGenerator[Said, None]:
    """Yield what requests bring, first come first, and cancel what is left when nobody reads on."""
    errors: list[Exception] = []
    try:
        for coming in asyncio.as_completed(requests):
            try:
                found = await coming
            except Exception as error:  # noqa: BLE001  # one request that failed is no reason to drop the others
                errors.append(error)
                continue
            has_some = True
            for said in found:
                yield said
    finally:
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
    if errors and not has_some:
        raise errors[0]


def log_probabilities(message: AIMessage) -> list[float]:
    """Return the log-probability of each token, where the model gives them."""
    told = message.response_metadata.get("logprobs")
    tokens = told.get("content") if isinstance(told, dict) else None
    return [float(token["logprob"]) for token in tokens or () if isinstance(token, dict) and "logprob" in token]
