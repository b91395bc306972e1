"""Layer 1: read what a model sent into calls, an answer, or problems it can act on.

Strict JSON comes first; each repair applies only to what failed strictly, is loss-free and is recorded. Nothing cut off
is completed, nothing unreadable becomes empty arguments, nothing is evaluated, nothing thought is executed, and no
exception leaves `read`, whatever the message.
"""

from __future__ import annotations

from reinforced_agent.policies.parsing.arguments import Decoded, Undecoded, decode_arguments
from reinforced_agent.policies.parsing.content import beside_calls, read_content, read_refusal
from reinforced_agent.policies.parsing.finish_reason import Ending, ending_of
from reinforced_agent.policies.parsing.native import Identities, read_native
from reinforced_agent.policies.parsing.output import (
    Answer,
    Calls,
    ModelOutput,
    ReadCall,
    Reading,
    UnreadCall,
    Unusable,
)
from reinforced_agent.policies.text.json_faults import text_or_blank
from reinforced_agent.policies.tool_names import NameIndex


def read(output: ModelOutput, names: NameIndex, *, taken: frozenset[str] = frozenset()) -> Reading:
    """Read one message of a model.

    Native calls win: beside them, markup in the content is the same call once more and dropped. Without them, the
    content is an answer, or calls where it consists of nothing else. A message in which the model declines is an
    answer, whatever calls it had begun.

    Args:
        output: The message.
        names: The registered tools; a call is taken from text only if its tool is one of them.
        taken: Call ids used in the conversation so far; a call that repeats one gets a fresh id.

    Returns:
        Calls, an answer, or the problems to send back.

    """
    ending = ending_of(output.finish_reason)
    content = text_or_blank(output.content)
    if output.refusal or ending is Ending.REFUSED:
        return read_refusal(content, text_or_blank(output.refusal), names)
    ids = Identities(output.message_id, taken)
    if output.calls:
        return Calls(read_native(output.calls, names, ids, ending), beside_calls(content, names))
    return read_content(content, text_or_blank(output.reasoning), names, ids, ending)


__all__ = [
    "Answer",
    "Calls",
    "Decoded",
    "Ending",
    "Identities",
    "ModelOutput",
    "ReadCall",
    "Reading",
    "Undecoded",
    "UnreadCall",
    "Unusable",
    "decode_arguments",
    "ending_of",
    "read",
]
