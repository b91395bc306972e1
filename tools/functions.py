"""Make a tool from a plain typed function: its signature becomes the schema, its docstring the words."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final

from docstring_parser import Docstring, parse
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo

from reinforced_agent.tools.injection import Injected, injected_inside, supply, types_of_fields
from reinforced_agent.tools.signatures import Signature, signature_of, written
from reinforced_agent.tools.spec import ToolSpec


_OPEN: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ToolDefinitionError(TypeError):
    """A tool can't be described to a model as it is written; the text says what to change."""


def spec_from_function(function: Callable[..., Any], **declared: Any) -> ToolSpec:
    """Describe a function, or a function of one Pydantic model, as a tool.

    Args:
        function: Sync or async, a method, a partial or any other object that can be called; every parameter annotated.
            Its Google-style docstring describes tool and parameters. A parameter of the type `IdempotencyKey`, or one
            that LangChain injects (`InjectedState`, `InjectedStore`, `InjectedToolCallId`, `ToolRuntime`, `Runtime`,
            `RunnableConfig`), is filled in; the model doesn't see it.
        **declared: Fields of `ToolSpec` that the signature can't tell, such as `risk`; they win over what was read.

    Raises:
        ToolDefinitionError: On `*args`, `**kwargs`, a positional-only or unannotated parameter, a type that can't be
            found or has no JSON Schema, and on what would have to be filled in but can't be.

    """
    try:
        signature = signature_of(function)
    except ValueError as error:
        msg = f"{function!r} can't be a tool, as it doesn't tell its parameters: wrap it in a typed function."
        raise ToolDefinitionError(msg) from error
    doc = parse(signature.doc)
    require_defaults(signature.name, signature.injected)
    supplied = supply(function, signature.injected, is_async=signature.is_async)
    model = declared.pop("arguments", None)
    if model is None:
        model, call = _model_of(signature, doc, supplied)
    else:
        call = _with_the_whole(signature, supplied)
    read: dict[str, Any] = {
        "name": signature.name,
        "description": _description(doc),
        "injected": signature.injected,
        "function": function,
    }
    return spec_from_model(model, call, is_async=signature.is_async, **read | declared)


def spec_from_model(
    model: type[BaseModel], function: Callable[[Any], Any], /, *, is_async: bool, **declared: Any
) -> ToolSpec:
    """Describe a function that takes one instance of an argument model as a tool.

    Args:
        model: Pydantic model of the arguments; it validates what no schema can say, and converts values.
        function: Called with the validated instance.
        is_async: Whether what it returns has to be awaited.
        **declared: Fields of `ToolSpec`; name and description default to those of the model.

    Raises:
        ToolDefinitionError: When a field has a type without a JSON Schema, is missing in the schema, or would have to
            be filled in.

    """
    for name, hint in types_of_fields(model).items():
        if label := injected_inside(hint):
            msg = f"The field `{name}` of {model.__name__!r} takes {label}: make it a parameter of the function."
            raise ToolDefinitionError(msg)
    run = {"arun" if is_async else "run": lambda arguments: function(model.model_validate(arguments))}
    read: dict[str, Any] = {
        "name": model.__name__,
        "description": inspect.getdoc(model) or "",
        "validate": model.model_validate,
        "parameters": schema_of(model),
    }
    return ToolSpec(**read | run | declared)


def require_defaults(tool: str, injected: Iterable[Injected]) -> None:
    """Refuse a parameter whose value only the host has, and which has no default.

    Raises:
        ToolDefinitionError: Naming the parameter, and what to do.

    """
    for one in injected:
        if one.source == "host" and not one.optional:
            msg = (
                f"The tool {tool!r} takes `{one.name}` as {one.label}, whose value nobody here knows: read it from the "
                "context of the run with a parameter `runtime: ToolRuntime`, bind it (`functools.partial`), or give it "
                "a default."
            )
            raise ToolDefinitionError(msg)


def _with_the_whole(signature: Signature, supplied: Callable[..., Any]) -> Callable[[BaseModel], Any]:
    """Call with the instance of the argument model in the one place there is for it."""
    places = [*signature.parameters.values()]
    needed = [one for one in places[1:] if one.default is one.empty and one.kind not in _OPEN]
    if not places or needed or places[0].kind is inspect.Parameter.VAR_KEYWORD:
        msg = f"The tool {signature.name!r} must take its argument model as its only parameter."
        raise ToolDefinitionError(msg)
    place = places[0]
    if place.kind in {place.POSITIONAL_ONLY, place.VAR_POSITIONAL}:
        return supplied
    return lambda arguments: supplied(**{place.name: arguments})


def _model_of(
    signature: Signature, doc: Docstring, supplied: Callable[..., Any]
) -> tuple[type[BaseModel], Callable[[BaseModel], Any]]:
    """Build the argument model of a signature, and the call with its fields."""
    words = {item.arg_name: item.description or "" for item in doc.params}
    # Fields of a model can't have any name, such as `_folder` or `model_config`: parameters become their aliases.
    names = {f"argument_{number}": name for number, name in enumerate(signature.parameters)}
    fields: dict[str, Any] = {
        field: _field(signature, signature.parameters[name], words.get(name, "")) for field, name in names.items()
    }
    try:
        model = create_model(signature.name, __config__=ConfigDict(extra="forbid"), **fields)
    except PydanticSchemaGenerationError as error:
        msg = f"The tool {signature.name!r} has a parameter without a JSON form: use plain types or Pydantic models."
        raise ToolDefinitionError(msg) from error
    except PydanticUserError as error:
        msg = f"The tool {signature.name!r} has a parameter that can't be described: {error.message.splitlines()[0]}"
        raise ToolDefinitionError(msg) from error
    # Only the model knows the default that stands in a `Field`; every other default is the function's own matter.
    told = {field for field, name in names.items() if isinstance(signature.parameters[name].default, FieldInfo)}

    def call(arguments: BaseModel) -> Any:
        sent = arguments.model_fields_set | told
        return supplied(**{name: getattr(arguments, field) for field, name in names.items() if field in sent})

    return model, call


def _field(signature: Signature, parameter: inspect.Parameter, words: str) -> tuple[Any, Any]:
    """Turn one parameter into a field of the argument model."""
    name = parameter.name
    if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
        msg = f"The tool {signature.name!r} takes `{written(parameter)}`: give every argument a name of its own."
        raise ToolDefinitionError(msg)
    if name in signature.unresolved:
        msg = (
            f"The tool {signature.name!r} annotates `{name}` with {signature.unresolved[name]!r}, which can't be found "
            "where the function is defined: import or define it at the top of that module, not under `TYPE_CHECKING`."
        )
        raise ToolDefinitionError(msg)
    if name not in signature.hints:
        msg = f"The tool {signature.name!r} leaves `{name}` without a type: annotate it."
        raise ToolDefinitionError(msg)
    hint = signature.hints[name]
    if label := injected_inside(hint):
        msg = f"The tool {signature.name!r} has {label} inside `{name}`: make it a parameter of its own."
        raise ToolDefinitionError(msg)
    if isinstance(parameter.default, FieldInfo):
        hint = Annotated[hint, parameter.default]
    elif parameter.default is not parameter.empty:
        hint = Annotated[hint, Field(default=parameter.default)]
    alias = next((one for info in getattr(hint, "__metadata__", ()) if (one := _name_for_the_model(info))), name)
    # A description inside the annotation must not be overwritten by a missing one.
    return hint, Field(alias=alias, description=words) if words else Field(alias=alias)


def _name_for_the_model(info: Any) -> str:
    """Return the name under which a `Field` offers a parameter, where it has one of its own."""
    name = getattr(info, "validation_alias", None) or getattr(info, "alias", None)
    return name if isinstance(info, FieldInfo) and isinstance(name, str) else ""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of an argument model without the titles that only repeat the names.

    Raises:
        ToolDefinitionError: When there is none, or a field isn't in it.

    """
    try:
        schema = model.model_json_schema()
    except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
        msg = f"The arguments of {model.__name__!r} have no JSON Schema: {error.message}"
        raise ToolDefinitionError(msg) from error
    _require_all(model, schema)
    return typing.cast("dict[str, Any]", _untitled(schema))


def _require_all(model: type[BaseModel], schema: Mapping[str, Any]) -> None:
    """Refuse a schema that leaves a field out: what the model can't send would silently have its default.

    Raises:
        ToolDefinitionError: Naming the fields.

    """
    if issubclass(model, RootModel) or any(_has_several_names(field) for field in model.model_fields.values()):
        return
    names = [_name_for_the_model(field) or name for name, field in model.model_fields.items()]
    shown = schema.get("properties", {})
    if lost := [f"`{name}`" for name in names if name not in shown or names.count(name) > 1]:
        msg = f"The schema of {model.__name__!r} can't show {', '.join(lost)}: give each parameter a name of its own."
        raise ToolDefinitionError(msg)


def _has_several_names(field: FieldInfo) -> bool:
    return isinstance(field.validation_alias, AliasChoices | AliasPath)


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
