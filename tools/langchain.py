"""Take LangChain tools as they are; what LangChain doesn't know, such as the risk, is declared beside them."""

from __future__ import annotations

import logging
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import Annotated, Any, Final

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException
from langchain_core.tools.base import get_all_basemodel_annotations
from pydantic import BaseModel, ValidationError, create_model

from reinforced_agent.tools.effect_text import INDIRECT
from reinforced_agent.tools.functions import ToolDefinitionError, require_defaults, schema_of
from reinforced_agent.tools.injection import Injected, Source, injected_as, injected_inside, values_for
from reinforced_agent.tools.returned import Misreturned, text_of, texts_alone
from reinforced_agent.tools.signatures import Signature, signature_of, written
from reinforced_agent.tools.spec import Arguments, Risk, ToolSpec


_logger = logging.getLogger(__name__)

_OF_LANGCHAIN: Final = frozenset({"run_manager", "callbacks"})
"""Parameters that LangChain fills in whatever their type."""
_INFERRED: Final = "langchain_core.utils.pydantic"
"""Module of the models that LangChain makes of functions."""
_PLAIN: Final = "put `Annotated` around the whole type, such as `Annotated[dict | None, InjectedState]`"
_CALL_ID: Final = Injected("tool_call_id", "call id", optional=True)
_CURES: Final[Mapping[Source, str]] = {
    "key": "call `idempotency_key()` inside the tool",
    "requester": "call `requester()` inside the tool",
    "config": "write `config: RunnableConfig` as a parameter of the function, and leave it out of `args_schema`",
    "runtime": "write `runtime: ToolRuntime`",
    "tool runtime": "write `runtime: ToolRuntime`",
}
"""What to do where LangChain wouldn't fill in what it is asked for."""


def spec_from_langchain(tool: BaseTool, **declared: Any) -> ToolSpec:
    """Describe a LangChain tool.

    Args:
        tool: Any `BaseTool`; `tool.metadata["risk"]`, if present, is its risk, unless an MCP server wrote the metadata.
            What LangChain injects is filled in; the model doesn't see it.
        **declared: Fields of `ToolSpec`; they win over what the tool says.

    Raises:
        ToolDefinitionError: When something would have to be filled in that can't be, or the schema doesn't fit the
            parameters. For the idempotency key there is `idempotency_key()` inside the tool.

    """
    signatures = [signature_of(function) for function in _functions(tool)]
    model = _model_of(tool)
    injected = _injected(tool, model, signatures)
    hidden = {one.name for one in injected}
    read: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": _plain_schema(tool, injected),
        "risk": _risk_of(tool),
        "injected": injected,
        "return_direct": tool.return_direct,
    }
    if model is not None:
        fields = set(model.model_fields if _is_current(model) else model.__fields__)
        _require_same_parameters(tool, fields, signatures, inferred=model.__module__ == _INFERRED)
        read |= _described(tool, model, hidden)
    elif isinstance(tool.args_schema, dict) and INDIRECT.isdisjoint(tool.args_schema):
        # The tool says all of its parameters in a plain schema.
        _require_same_parameters(tool, {*(read["parameters"].get("properties") or ()), *hidden}, signatures)
    return ToolSpec(**read | _runners(tool, model, injected) | declared)


def _risk_of(tool: BaseTool) -> Risk:
    """Return the risk that the host declared; what an MCP server says about its own tools doesn't count."""
    metadata = tool.metadata or {}
    # The adapter for MCP puts a server's annotations there, in which any further field may stand.
    of_a_server = "readOnlyHint" in metadata or "_meta" in metadata
    return Risk.WRITE if of_a_server else Risk(metadata.get("risk", Risk.WRITE))


def _functions(tool: BaseTool) -> list[Callable[..., Any]]:
    """List what runs a tool, as its author wrote it."""
    given = [found for name in ("func", "coroutine") if callable(found := getattr(tool, name, None))]
    own = [name for name in ("_run", "_arun") if getattr(type(tool), name) is not getattr(BaseTool, name)]
    return given or [getattr(tool, name) for name in own]


def _model_of(tool: BaseTool) -> Any:
    """Return the model of the arguments; `None` where a plain schema describes them."""
    if isinstance(tool.args_schema, dict) or _takes_one_text(tool):
        return None
    return tool.get_input_schema()


def _takes_one_text(tool: BaseTool) -> bool:
    return isinstance(tool, Tool) and tool.args_schema is None


def _injected(tool: BaseTool, model: Any, signatures: Iterable[Signature]) -> tuple[Injected, ...]:
    """List what is to be filled in.

    Raises:
        ToolDefinitionError: On what LangChain wouldn't fill in, or what nobody could.

    """
    found: dict[str, Injected] = {}
    for signature in signatures:
        for one in signature.injected:
            _require_known(tool, one, signature.hints[one.name])
            found[one.name] = one
    for name, hint in get_all_basemodel_annotations(model).items() if model is not None else ():
        if (of_field := injected_as(name, hint, optional=not _is_required(model, name))) is not None:
            _require_known(tool, of_field, hint, in_schema=tool.args_schema is not None)
            found[name] = of_field
        elif label := injected_inside(hint):
            msg = f"The tool {tool.name!r} has {label} inside `{name}`: make it a parameter of its own."
            raise ToolDefinitionError(msg)
    require_defaults(tool.name, found.values())
    return tuple(found.values())


def _require_known(tool: BaseTool, one: Injected, hint: Any, *, in_schema: bool = False) -> None:
    """Refuse what LangChain would take for an argument, or not hand on.

    Raises:
        ToolDefinitionError: Saying how to write it.

    """
    form = typing.get_origin(hint)
    match one.source:
        case "key" | "requester" | "approver" | "runtime":
            known = False
        case "config":
            # A tool of one text has no schema in which it would be, and keeps its default.
            plain = (hint.__origin__ if form is Annotated else hint) is RunnableConfig
            known = not in_schema and (plain or (one.optional and _takes_one_text(tool)))
        case "tool runtime":
            known = form not in {Annotated, typing.Union, types.UnionType}
        case _:
            known = form is Annotated
    if not known or (_takes_one_text(tool) and one.source not in {"config", "host"}):
        msg = (
            f"The tool {tool.name!r} takes `{one.name}` as {one.label} in a way that LangChain doesn't fill in: "
            f"{_CURES.get(one.source, _PLAIN)}."
        )
        raise ToolDefinitionError(msg)


def _is_required(model: Any, name: str) -> bool:
    """Tell whether a field of a model of either Pydantic has no default."""
    return bool(model.model_fields[name].is_required() if _is_current(model) else model.__fields__[name].required)


def _is_current(model: Any) -> bool:
    """Tell a model from one of the first Pydantic, which LangChain still accepts."""
    return issubclass(model, BaseModel)


def _require_same_parameters(
    tool: BaseTool, fields: AbstractSet[str], signatures: Iterable[Signature], *, inferred: bool = False
) -> None:
    """Refuse a schema that doesn't show what the functions take: a value that can't be sent would have its default.

    A schema that somebody wrote may leave out what has a default; one that LangChain made of the function may not.

    Raises:
        ToolDefinitionError: Naming the parameter.

    """
    signatures = tuple(signatures)
    filled = {one.name for signature in signatures for one in signature.injected}
    # What is made of a function calls it with a config and a manager of its own, under these very names.
    own = {"config", "run_manager"} if isinstance(tool, StructuredTool | Tool) else {"run_manager"}
    if taken_away := sorted((fields & own) - filled):
        msg = (
            f"The schema of the tool {tool.name!r} offers `{taken_away[0]}`, but LangChain puts something of its own "
            "there, so that what is sent would get lost: give it another name, or wrap the tool in a plain function."
        )
        raise ToolDefinitionError(msg)
    for signature in signatures:
        for name, parameter in signature.parameters.items():
            open_ = parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
            lost = name not in fields and not open_ and (inferred or parameter.default is parameter.empty)
            if parameter.kind is parameter.POSITIONAL_ONLY or (open_ and inferred) or lost:
                if name in _OF_LANGCHAIN:
                    continue
                msg = (
                    f"The tool {tool.name!r} takes `{written(parameter)}`, which its schema doesn't offer: give it a "
                    "name of its own that begins with a letter, or write it into `args_schema`."
                )
                raise ToolDefinitionError(msg)
        takes_any = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
        taken = {*signature.parameters, *(one.name for one in signature.injected)}
        if (unknown := sorted(fields - taken)) and not takes_any:
            msg = f"The schema of the tool {tool.name!r} offers `{unknown[0]}`, which its function doesn't take."
            raise ToolDefinitionError(msg)


def _described(tool: BaseTool, model: Any, hidden: Iterable[str]) -> dict[str, Any]:
    """Return the schema and the check of what the model may send."""
    if not _is_current(model):
        offered: Any = tool.tool_call_schema
        return {"parameters": offered.schema()}
    if hidden and not set(hidden).isdisjoint(model.model_fields):
        model.model_rebuild(raise_errors=False)
        fields: dict[str, Any] = {
            name: (field.annotation, field) for name, field in model.model_fields.items() if name not in hidden
        }
        model = create_model(tool.name, __config__=model.model_config, **fields)
    parameters = {**schema_of(model), "description": tool.description}
    return {"parameters": parameters, "validate": _check_of(model, tool.handle_validation_error)}


def _check_of(model: type[BaseModel], handler: Any) -> Callable[[Arguments], object]:
    """Return the check of a model; what the schema can't say is told in the words of the tool's author, if any."""
    if handler is None or isinstance(handler, bool):
        return model.model_validate

    def check(arguments: Arguments) -> object:
        try:
            return model.model_validate(arguments)
        except ValidationError as error:
            raise ValueError(_words(handler, error)) from None

    return check


def _plain_schema(tool: BaseTool, injected: Iterable[Injected]) -> dict[str, Any]:
    """Return a schema that no model stands behind; it names what the model sends, and nothing else.

    Raises:
        ToolDefinitionError: When it asks for what LangChain keeps from the model, and nobody could give.

    """
    if _takes_one_text(tool):
        return {"type": "object", "properties": tool.args, "required": [*tool.args]}
    if not isinstance(tool.args_schema, dict):
        return {}
    schema: dict[str, Any] = dict(typing.cast("Mapping[str, Any]", tool.tool_call_schema))
    required = schema.get("required") or []
    for one in injected:
        if one.source == "host" and one.name in required:
            msg = f"The schema of {tool.name!r} requires `{one.name}`, which its function takes past the model."
            raise ToolDefinitionError(msg)
    names = {one.name for one in injected}
    if unreachable := sorted(names & {*(schema.get("properties") or ())}):
        _logger.warning(
            "The schema of the tool %r offers %s, which its function takes past the model: it is not offered.",
            tool.name,
            ", ".join(unreachable),
        )
        schema["properties"] = {name: one for name, one in schema["properties"].items() if name not in names}
        schema["required"] = [name for name in required if name not in names]
    return schema


def _runners(tool: BaseTool, model: Any, injected: tuple[Injected, ...]) -> dict[str, Any]:
    """Keep a tool that is only async away from the thread it can't run on; its errors are raised, not returned."""
    raising = tool.model_copy(update={"handle_tool_error": False, "handle_validation_error": False})
    # The config is LangChain's own matter, and what only the host has keeps its default.
    wanted = [one for one in injected if one.source not in {"config", "host"}]
    in_schema = get_all_basemodel_annotations(model) if model is not None else {}
    # Without the id of its call, LangChain drops the artifact.
    by_id = tool.response_format == "content_and_artifact" or any(
        one.source == "call id" and one.name in in_schema for one in wanted
    )

    def whole(arguments: Arguments) -> Any:
        given = {**arguments, **values_for(wanted)}
        if not by_id:
            return given
        call_id = values_for([_CALL_ID]).get(_CALL_ID.name, "")
        return {"type": "tool_call", "name": tool.name, "args": given, "id": call_id}

    def run(arguments: Arguments) -> Any:
        with _handled(tool):
            try:
                return _plain(raising.invoke(whole(arguments)))
            except ValueError as error:
                return _without_artifact(error)

    async def arun(arguments: Arguments) -> Any:
        with _handled(tool):
            try:
                return _plain(await raising.ainvoke(whole(arguments)))
            except ValueError as error:
                return _without_artifact(error)

    only_async = getattr(tool, "func", run) is None
    return {"arun": arun} if only_async else {"run": run, "arun": arun}


def _without_artifact(error: ValueError) -> Misreturned:
    """Tell a tool that ran, and returned no pair of text and artifact, from one that raised.

    Raises:
        ValueError: The error, where it is another one.

    """
    if not str(error).startswith("Since response_format='content_and_artifact'"):
        raise error
    return Misreturned(str(error))


@contextmanager
def _handled(tool: BaseTool) -> Iterator[None]:
    """Say of an error what the author of the tool wants said of it; it stays an error.

    Raises:
        ToolException: With the words of `handle_tool_error` or `handle_validation_error`, from the error itself.

    """
    try:
        yield
    except ToolException as error:
        if (words := _words(tool.handle_tool_error, error)) is None:
            raise
        raise ToolException(words) from error
    except ValidationError as error:
        if (words := _words(tool.handle_validation_error, error)) is None:
            raise
        raise ToolException(words) from error


def _words(handler: Any, error: Exception) -> str | None:
    """Return what a handler of errors says; `None` where it leaves the error its own words."""
    if handler is None or isinstance(handler, bool):
        return None
    return text_of(handler(error) if callable(handler) else handler)


def _plain(result: Any) -> Any:
    """Return the text of what is made of blocks of text, whose random ids say nothing; the rest stays as it is.

    Raises:
        ToolException: When a tool message says that the tool failed.

    """
    if isinstance(result, ToolMessage) and result.status == "error":
        raise ToolException(result.text)
    text = texts_alone(result)
    return result if text is None else text
