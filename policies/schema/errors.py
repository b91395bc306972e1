"""What is raised when a tool is declared in a way that can't be checked."""

from __future__ import annotations


class ToolSchemaError(ValueError):
    """The parameters of a tool can't be used; the host has to correct its declaration.

    Raised when the graph is built, never while a call is checked.
    """

    def __init__(self, why: str, *, tool: str = "", at: str = "") -> None:
        """Say what is wrong (`why`), with which tool, and where in its schema (`at`)."""
        self.why = why
        self.at = at
        self.tool = tool
        place = f" at {at}" if at else ""
        super().__init__(f"Tool {tool!r}: its parameters can't be used{place}: {why}")
