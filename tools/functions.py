"""Make a tool from a plain typed function: its signature becomes the schema, its docstring the words."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from docstring_parser import Docstring, parse
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from reinforced_agent.tools.spec import Arguments, ToolSpec


class ToolDefinitionError(TypeError):
    """A tool can't be described to a model as it is written; the text says what to change."""


def spec_from_function(function: Callable[..., Any], **declared: Any) -> ToolSpec:
    """Describe a function, or a function of one Pydantic model, as a tool.

    Args:
        function: Sync or async; every parameter annotated. Its Google-style docstring describes tool and parameters.
        **declared: Fields of `ToolSpec` that the signature can't tell, such as `risk`; they win over what was read.

    Raises:
        ToolDefinitionError: On `*args`, `**kwargs`, a positional-only or unannotated parameter, or a type that has
            no JSON Schema.

    """
    doc = parse(inspect.getdoc(function) or "")
    model = declared.pop("arguments", None)
    whole = model is not None
    return spec_from_model(
        model or _model_of(function, doc),
        function if whole else _spread(function),
        **{"name": function.__name__, "description": _description(doc)} | declared,
    )


def spec_from_model(model: type[BaseModel], function: Callable[[Any], Any], **declared: Any) -> ToolSpec:
    """Describe a function that takes one instance of an argument model as a tool.

    Args:
        model: Pydantic model of the arguments; it validates what no schema can say, and converts values.
        function: Sync or async; called with the validated instance.
        **declared: Fields of `ToolSpec`; name and description default to those of the model.

    Raises:
        ToolDefinitionError: When a field has a type without a JSON Schema.

    """
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


def _model_of(function: Callable[..., Any], doc: Docstring) -> type[BaseModel]:
    """Build the argument model of a signature."""
    words = {item.arg_name: item.description or "" for item in doc.params}
    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: _field(function, parameter, hints, words.get(name, ""))
        for name, parameter in inspect.signature(function).parameters.items()
    }
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
