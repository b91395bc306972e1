"""Whatever is done to a valid call, the reader gives the original arguments or a refusal, and never an exception."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz.hostile import MUTATIONS, Fate, Proposal, proposals
from benchmarks.fuzz.samples import arguments_for
from reinforced_agent.policies.parsing import Calls, ReadCall, read
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import canonical_json


TOOLS = {
    "mix_paint": {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "minLength": 1},
            "litres": {"type": "number", "minimum": 0, "maximum": 50},
            "coats": {"type": "integer", "minimum": 1, "maximum": 9},
            "finish": {"enum": ["matt", "gloss", None]},
            "washable": {"type": ["boolean", "null"]},
            "rooms": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        },
        "required": ["colour", "litres"],
    },
    "list_paints": {"type": "object", "properties": {}},
    "label_can": {
        "type": "object",
        "properties": {"text": {"anyOf": [{"type": "string"}, {"const": 7}]}, "größe": {"type": "string"}},
        "required": ["text"],
    },
}
NAMES = NameIndex(TOOLS)


def judge(proposal: Proposal) -> str | None:
    """Return what a reading got wrong about a proposal, or `None`."""
    reading = read(proposal.output, NAMES)
    calls = [call for call in reading.calls if isinstance(call, ReadCall)] if isinstance(reading, Calls) else []
    if proposal.fate is Fate.ANY:
        return None
    if not calls:
        return "refused" if proposal.fate is Fate.READ else None
    if proposal.fate is Fate.REFUSED:
        return "read"
    right = [(proposal.tool, canonical_json(proposal.arguments))]
    return None if [(call.name, canonical_json(call.arguments)) for call in calls] == right else "read otherwise"


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(proposals(TOOLS))
def test_no_mutation_changes_what_is_read(proposal: Proposal) -> None:
    """Lossless mutations are read as the original call, lossy ones are refused, and none raises."""
    assert judge(proposal) is None


@settings(max_examples=100, deadline=None)
@given(proposals(TOOLS, ["untouched", "indented", "escaped", "spaced", "as_object"]))
def test_untouched_calls_need_no_repair(proposal: Proposal) -> None:
    """A valid call passes as it is, with no repair on record."""
    reading = read(proposal.output, NAMES)
    assert isinstance(reading, Calls)
    assert [call.repairs for call in reading.calls if isinstance(call, ReadCall)] == [()]


@given(st.data())
def test_required_fields_are_there(data: st.DataObject) -> None:
    """Built arguments hold every required field, and only declared ones."""
    arguments = data.draw(arguments_for(TOOLS["mix_paint"]))
    assert {"colour", "litres"} <= arguments.keys() <= TOOLS["mix_paint"]["properties"].keys()  # type: ignore[attr-defined]


def test_mutations_have_names() -> None:
    """Every mutation can be counted by its name."""
    assert len(MUTATIONS) == len(set(MUTATIONS)) > 40
