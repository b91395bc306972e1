"""Whose a thread is: a person of another tenant neither reads it nor writes into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reinforced_agent.graph.context import Context
from reinforced_agent.graph.inputs import InputError
from reinforced_agent.tools.names import same_name


class OtherTenantError(InputError):
    """The thread belongs to another tenant than the person of the run; nothing was read or changed."""

    def __init__(self, thread: str) -> None:
        """Say so, without naming the other tenant.

        Args:
            thread: Id of the thread; empty where none is named.

        """
        self.thread = thread
        super().__init__(
            f"Thread {thread!r} belongs to another tenant than the person of this run: nothing was read or changed. "
            "Use a thread of that tenant's own, or run with the context of a person of the thread's tenant."
        )


def is_of_another(values: Mapping[str, Any], context: Context) -> bool:
    """Tell whether a thread is closed to a person: it is another tenant's, or one side alone names a tenant.

    Args:
        values: The state of the thread. One that was begun before tenants were kept with threads belongs to the tenant
            of its last requester; one that nobody has begun is open to all.
        context: Who wants to read it, or to write.

    """
    owner = values.get("tenant")
    if owner is None:
        requester = values.get("turn", {}).get("requester")
        owner = requester["tenant"] if requester else None
    return owner is not None and not same_name(owner, context.tenant)


def require_own(values: Mapping[str, Any], context: Context, thread: str) -> None:
    """Let nobody in whose tenant is another one.

    Raises:
        OtherTenantError: When the thread is another tenant's.

    """
    if is_of_another(values, context):
        raise OtherTenantError(thread)
