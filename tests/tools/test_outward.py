"""Which reads go out: as they are declared, or by their parameters."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AnyUrl, Field

from reinforced_agent import ToolSpec, tool
from reinforced_agent.tools.spec import Risk


def spec(properties: dict[str, Any], **declared: Any) -> ToolSpec:
    """Describe a read."""
    parameters = {"type": "object", "properties": properties}
    return ToolSpec(name="t", description="d", parameters=parameters, risk=declared.pop("risk", Risk.READ), **declared)


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("properties", "declared", "outward"),
    [
        pytest.param({"link": {"type": "string", "format": "uri"}}, {}, True, id="format"),
        pytest.param(
            {"link": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]}}, {}, True, id="or-none"
        ),
        pytest.param({"links": {"type": "array", "items": {"type": "string", "format": "uri"}}}, {}, True, id="list"),
        pytest.param({"request": {"type": "object", "properties": {"url": TEXT}}}, {}, True, id="nested"),
        pytest.param({"pageUrl": TEXT}, {}, True, id="camel-case"),
        pytest.param({"target_host": TEXT}, {}, True, id="host"),
        pytest.param({"domain_name": TEXT}, {}, True, id="domain"),
        pytest.param({"host_id": TEXT}, {}, False, id="id-of-a-host"),
        pytest.param({"city": TEXT}, {}, False, id="other"),
        pytest.param({"query": TEXT}, {"untrusted_output": True}, True, id="search-of-what-others-wrote"),
        pytest.param({"query": TEXT}, {}, False, id="search-of-what-the-host-vouches-for"),
        pytest.param({"query": TEXT}, {"egress": True}, True, id="declared"),
        pytest.param({"url": TEXT}, {"egress": False}, False, id="declared-not"),
        pytest.param({"url": TEXT}, {"risk": Risk.WRITE}, False, id="write"),
    ],
)
def test_which_reads_go_out(properties: dict[str, Any], declared: dict[str, Any], outward: bool) -> None:  # noqa: FBT001
    """What the host declares wins; else formats and names tell."""
    assert spec(properties, **declared).is_outward is outward


def test_a_typed_function_tells_by_its_types() -> None:
    """A URL of Pydantic is one whatever the parameter is called."""

    @tool(risk="read")
    def load(what: Annotated[AnyUrl, Field(description="Where.")]) -> str:
        """Load."""
        return str(what)

    assert load.is_outward
    assert not load.declare(egress=False).is_outward
