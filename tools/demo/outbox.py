"""An e-mail tool that writes to a file instead of sending: the effect can be seen, and nobody is bothered."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Annotated

from pydantic import Field

from reinforced_agent.tools.spec import Example, Risk, ToolSpec
from reinforced_agent.tools.toolset import tool


_EXAMPLES = (
    Example(
        "Write to accounts@example.org that the invoice is ready",
        {"to": "accounts@example.org", "subject": "Invoice", "body": "The invoice is ready."},
    ),
    Example(
        "Send an e-mail to team.lead@example.com with the subject Lunch and the text See you at noon",
        {"to": "team.lead@example.com", "subject": "Lunch", "body": "See you at noon"},
    ),
    Example(
        "Let frontdesk@example.net know that the office is closed on Friday",
        {
            "to": "frontdesk@example.net",
            "subject": "Office closed on Friday",
            "body": "The office is closed on Friday.",
        },
    ),
)


def email_tool(outbox: Path) -> ToolSpec:
    """Make the tool over an outbox file, one JSON object a line.

    Args:
        outbox: The file; made with the first message.

    """
    lock = threading.Lock()

    @tool(risk=Risk.WRITE, examples=_EXAMPLES, effect="Sends an e-mail to {to} with the subject {subject}")
    def send_email(
        to: Annotated[str, Field(max_length=120, json_schema_extra={"format": "email"})],
        subject: Annotated[str, Field(min_length=1, max_length=120)],
        body: Annotated[str, Field(min_length=1, max_length=2000)],
    ) -> dict[str, object]:
        """Send an e-mail; in this demo it is appended to an outbox file.

        Args:
            to: Address of the recipient.
            subject: Subject line.
            body: The text.

        """
        with lock, outbox.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"to": to, "subject": subject, "body": body}, ensure_ascii=False) + "\n")
        return {"status": "sent", "to": to, "subject": subject, "outbox": outbox.name}

    return send_email
