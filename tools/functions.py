"""Make a tool from a plain typed function: its signature becomes the schema, its docstring the words."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from docstring_parser import Docstring, parse
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from reinforced_agent.tools.injection import KeyMarker, key_parameters, mentions_key, supply_key, takes_key
from reinforced_agent.tools.spec import Arguments, ToolSpec


class ToolDefinitionError(TypeError):
    """A tool can't be described to a model as it is written; the text says what to change."""


def spec_from_function(function: Callable[..., Any], **declared: Any) -> ToolSpec:
    """Describe a function, or a function of one Pydantic model, as a tool.

    Args:
        function: Sync or async; every parameter annotated. Its Google-style docstring describes tool and parameters.
            A parameter of the type `IdempotencyKey` gets the key of the call; the model doesn't see it.
        **declared: Fields of `ToolSpec` that the signature can't tell, such as `risk`; they win over what was read.

    Raises:
        ToolDefinitionError: On `*args`, `**kwargs`, a positional-only or unannotated parameter, a type that has no
            JSON Schema, or an idempotency key inside another type.

    """
    doc = parse(inspect.getdoc(function) or "")
    model = declared.pop("arguments", None)
    whole = model is not None
    # A function of one model has no place for a key, and may have hints that can't be resolved.
    hints = {} if whole and len(inspect.signature(function).parameters) == 1 else _hints(function)
    keys = key_parameters(hints)
    supplied = supply_key(function, keys)
    return spec_from_model(
        model or _model_of(function, doc, hints, keys),
        supplied if whole else _spread(supplied),
        **{"name": function.__name__, "description": _description(doc)} | declared,
    )


def spec_from_model(model: type[BaseModel], function: Callable[[Any], Any], **declared: Any) -> ToolSpec:
    """Describe a function that takes one instance of an argument model as a tool.

    Args:
        model: Pydantic model of the arguments; it validates what no schema can say, and converts values.
        function: Sync or async; called with the validated instance.
        **declared: Fields of `ToolSpec`; name and description default to those of the model.

    Raises:
        ToolDefinitionError: When a field has a type without a JSON Schema, or takes the idempotency key.

    """
    refuse_key_field(model, "make it a parameter of the function")
    read: dict[str, Any] = {
        "name": model.__name__,
        "description": inspect.getdoc(model) or "",
        "validate": model.model_validate,
        "parameters": _schema(model),
    }
    return ToolSpec(**read | _runners(model, function) | declared)


def _runners(model: type[BaseModel], function: Callable[[Any], Any]) -> dict[str, Callable[[Arguments], Any]]:
    """Wrap the function so that it takes canonical arguments, keeping it sync or async."""
    if inspect.iscoroutinefunction(inspect.unwrap(function)):
        return {"arun": lambda arguments: function(model.model_validate(arguments))}
    return {"run": lambda arguments: function(model.model_validate(arguments))}


def _spread(function: Callable[..., Any]) -> Callable[[BaseModel], Any]:
    """Call with the fields that were sent, so that the function's own defaults stay in force."""

    def call(arguments: BaseModel) -> Any:
        return function(**{name: getattr(arguments, name) for name in arguments.model_fields_set})

    async def acall(arguments: BaseModel) -> Any:
        return await typing.cast("Awaitable[Any]", call(arguments))

    return acall if inspect.iscoroutinefunction(function) else call


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Resolve the annotations of a function."""
    return typing.get_type_hints(function, include_extras=True)


def refuse_key_field(model: type[BaseModel], cure: str) -> None:
    """Refuse arguments with a field for the key, which the model would be asked to make up.

    Raises:
        ToolDefinitionError: Naming the field and what to do instead.

    """
    for name, field in model.model_fields.items():
        if mentions_key(field.annotation) or any(isinstance(extra, KeyMarker) for extra in field.metadata):
            msg = f"The field `{name}` of {model.__name__!r} takes the idempotency key: {cure}."
            raise ToolDefinitionError(msg)


def _model_of(
    function: Callable[..., Any], doc: Docstring, hints: Mapping[str, Any], keys: frozenset[str]
) -> type[BaseModel]:
    """Build the argument model of a signature; what takes the idempotency key is no argument."""
    words = {item.arg_name: item.description or "" for item in doc.params}
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        field = _field(function, parameter, hints, words.get(name, ""))
        if name not in keys:
            fields[name] = field
    try:
        return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    except PydanticSchemaGenerationError as error:
        msg = f"The tool {function.__name__!r} has a parameter without a JSON form: use plain types or Pydantic models."
        raise ToolDefinitionError(msg) from error


def _field(
    function: Callable[..., Any], parameter: inspect.Parameter, hints: Mapping[str, Any], words: str
) -> tuple[Any, Any]:
    """Turn one parameter into a field of the argument model."""
    if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
        msg = f"The tool {function.__name__!r} takes {parameter}: give every argument a name of its own."
        raise ToolDefinitionError(msg)
    if parameter.name not in hints:
        msg = f"The tool {function.__name__!r} leaves `{parameter.name}` without a type: annotate it."
        raise ToolDefinitionError(msg)
    if mentions_key(hints[parameter.name]) and not takes_key(hints[parameter.name]):
        msg = f"The tool {function.__name__!r} has the idempotency key inside `{parameter.name}`: give it its own."
        raise ToolDefinitionError(msg)
    default = ... if parameter.default is parameter.empty else parameter.default
    # A description inside the annotation must not be overwritten by a missing one.
    return hints[parameter.name], Field(default, description=words) if words else default


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of an argument model without the titles that only repeat the names."""
    try:
        schema = model.model_json_schema()
    except PydanticInvalidForJsonSchema as error:
        msg = f"The arguments of {model.__name__!r} have no JSON Schema: {error.message}"
        raise ToolDefinitionError(msg) from error
    return typing.cast("dict[str, Any]", _untitled(schema))


def _untitled(schema: Any, *, named: bool = False) -> Any:
    """Drop generated titles; below `properties` a key `title` is a field and stays."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value, named=not named and key in {"properties", "$defs"})
        for key, value in schema.items()
        if named or key != "title" or not isinstance(value, str)
    }


def _description(doc: Docstring) -> str:
    """Join the summary and the explanation of a docstring."""
    return "\n\n".join(part for part in (doc.short_description, doc.long_description) if part)
