"""Tracing to LangSmith: off unless the environment says otherwise, and then without secrets.

`LANGSMITH_TRACING=true` and `LANGSMITH_API_KEY` switch it on, as for any LangGraph application. A client or a tracer
that the host brings itself is used as it is; build it on `MaskedClient` to keep secrets out there.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.policies.breaker import UNAVAILABLE


if TYPE_CHECKING:
    from langchain_core.tracers import LangChainTracer
    from langsmith import Client
    from langsmith.run_trees import RunTree

logger = masking_logger(__name__)


def traced_config(config: RunnableConfig) -> RunnableConfig:
    """Return the config of a run with a tracer that sends no secrets, where tracing is on; else the same config.

    A tracer that LangChain made from the environment for a run around this one is replaced within this run. A run is
    never failed by its tracing: where no client can be made, nothing is sent and the log says why.
    """
    return _with_tracer(config) if _is_on() else config


def annotate(records: Iterable[CallRecord], *, outcome: str = "") -> None:
    """Put verdicts on the trace of the node that calls this; without a trace, nothing happens.

    The keys are `reinforced_agent.status` (of the calls, in order, without repetition), `reinforced_agent.verdicts`
    and, where the first proposal is among the calls, `reinforced_agent.first_call_valid`.

    Args:
        records: The calls to tell about.
        outcome: How the turn ended; with it, everything goes on the trace of the whole run too, where runs are
            searched by it: `reinforced_agent.outcome`.

    """
    if not _is_on():
        return
    from langsmith import get_current_run_tree  # noqa: PLC0415  # loaded only where there is a trace

    run = get_current_run_tree()
    if run is None:
        return
    told = _told(list(records)) | ({"reinforced_agent.outcome": outcome} if outcome else {})
    for one in (run, _run_of_the_graph(run)) if outcome else (run,):
        if one is not None:
            one.add_metadata(told)


def _told(records: list[CallRecord]) -> dict[str, Any]:
    """Write calls and their verdicts as metadata."""
    told: dict[str, Any] = {
        "reinforced_agent.status": ", ".join(dict.fromkeys(str(record.get("status", "")) for record in records)),
        "reinforced_agent.verdicts": [
            {
                "call": record["id"],
                "tool": record.get("tool", record.get("raw_name", "")),
                **{key: verdict[key] for key in ("layer", "verdict", "kind", "score", "message") if key in verdict},
            }
            for record in records
            for verdict in record.get("verdicts", ())
        ],
    }
    if first := [record for record in records if record.get("step") == 1]:
        told["reinforced_agent.first_call_valid"] = all(_is_valid(record) for record in first)
    return told


def _is_valid(record: CallRecord) -> bool:
    """Tell whether a call passed all checks as the model wrote it; a question to a person is no objection."""
    objections = (verdict for verdict in record.get("verdicts", ()) if verdict.get("layer") not in UNAVAILABLE)
    return not any(verdict.get("verdict") in {"revise", "refuse"} for verdict in objections)


def _run_of_the_graph(node: RunTree) -> RunTree | None:
    """Return the trace of the graph that a node belongs to."""
    from langchain_core.runnables.config import ensure_config  # noqa: PLC0415  # loaded only where there is a trace

    for tracer in _tracers(ensure_config().get("callbacks")):
        if parent := tracer.run_map.get(str(node.parent_run_id)):
            return parent
    return None


def _is_on() -> bool:
    """Tell whether this run is traced, as LangChain decides it."""
    from langsmith.utils import tracing_is_enabled  # noqa: PLC0415  # slow to import, and mostly not needed

    return bool(tracing_is_enabled())


def _with_tracer(config: RunnableConfig) -> RunnableConfig:
    """Put a masking tracer in place of what LangChain would use."""
    from langchain_core.tracers import LangChainTracer  # noqa: PLC0415  # slow to import, and mostly not needed
    from langchain_core.tracers.context import tracing_v2_callback_var  # noqa: PLC0415

    callbacks = config.get("callbacks")
    around = _tracers(callbacks)
    if around:
        ready = [_masking(tracer) for tracer in around]
        return {**config, "callbacks": _replaced(callbacks, dict(zip(map(id, around), ready, strict=True)))}
    if tracing_v2_callback_var.get() is not None or not _is_ours_to_choose():
        return config
    return {**config, "callbacks": _added(callbacks, LangChainTracer(client=_client(), **_context_of_the_host()))}


def _is_ours_to_choose() -> bool:
    """Tell whether the host left the choice of the client to the environment."""
    from langsmith import get_tracing_context  # noqa: PLC0415

    context = get_tracing_context()
    parent = context["parent"]
    chosen = context["client"] if parent is None else parent.ls_client
    return chosen is None or _is_default(chosen)


def _context_of_the_host() -> dict[str, Any]:
    """Return what the host set for its traces."""
    from langsmith import get_tracing_context  # noqa: PLC0415

    context = get_tracing_context()
    if (parent := context["parent"]) is not None:
        place = {"project_name": parent.session_name, "address": parent.address}
    else:
        place = {"project_name": context["project_name"], "address": context["address"]}
    return {**place, "tags": context["tags"], "metadata": context["metadata"]}


def _is_default(client: Client) -> bool:
    """Tell whether LangSmith made a client from the environment."""
    from langsmith import run_trees  # noqa: PLC0415

    return client is run_trees._CLIENT  # noqa: SLF001  # asking for it by its function would make one


class _Nowhere:
    """Stands in for a client that can't be made, so that LangChain doesn't make one without masking."""

    def create_run(self, **_: Any) -> None:
        """Send nothing."""

    def update_run(self, **_: Any) -> None:
        """Send nothing."""


@cache
def _client() -> Any:
    """Return the masking client of this process; its threads send in the background."""
    from reinforced_agent.graph.records.masked_client import MaskedClient  # noqa: PLC0415

    try:
        return MaskedClient()
    except Exception as error:  # noqa: BLE001  # whatever a trace needs, the run doesn't
        logger.warning("LANGSMITH_TRACING is on, but nothing is traced: %s", error)
        return _Nowhere()


def _masking(tracer: LangChainTracer) -> LangChainTracer:
    """Return a tracer that continues the trace of another one, unless the host chose the other one's client."""
    if not _is_default(tracer.client):
        return tracer
    ours = copy.copy(tracer)
    ours.client = _client()
    return ours


def _tracers(callbacks: Any) -> list[LangChainTracer]:
    """Return the LangSmith tracers among callbacks."""
    from langchain_core.tracers import LangChainTracer  # noqa: PLC0415

    handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or []
    return [handler for handler in handlers if isinstance(handler, LangChainTracer)]


def _replaced(callbacks: Any, by: dict[int, LangChainTracer]) -> Any:
    """Return callbacks with other tracers in place of some."""

    def swap(handlers: list[BaseCallbackHandler]) -> list[BaseCallbackHandler]:
        return [by.get(id(handler), handler) for handler in handlers]

    if not isinstance(callbacks, BaseCallbackManager):
        return swap(callbacks)
    changed = callbacks.copy()
    changed.handlers = swap(changed.handlers)
    changed.inheritable_handlers = swap(changed.inheritable_handlers)
    return changed


def _added(callbacks: Any, tracer: LangChainTracer) -> Any:
    """Return callbacks with one more."""
    if not isinstance(callbacks, BaseCallbackManager):
        return [*(callbacks or []), tracer]
    changed = callbacks.copy()
    changed.add_handler(tracer, inherit=True)
    return changed
