"""The book of questions to people: each token is good for one decision about one call."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, Row, Select, insert, select, update

from reinforced_agent.ledger.database import Database
from reinforced_agent.ledger.tables import approvals
from reinforced_agent.tools.call import JSON


@dataclass(frozen=True, slots=True)
class Binding:
    """The one call that a token is good for."""

    thread: str
    turn: str
    """The id of the user's message."""
    call_id: str
    tool: str
    digest: str
    terms: str = ""
    """Fingerprint of the tool and of the rules about it, at most 64 characters."""


Fault: TypeAlias = Literal["forged", "other_call", "outdated", "expired", "used"]
"""Why a token can't be used: nobody issued it; it was issued for another call, other arguments or another thread; the
tool or its rules have changed since; its time is over; it was used already."""


@dataclass(frozen=True, slots=True)
class Open:
    """The token may be used."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The token may not be used."""

    fault: Fault
    decision: str = ""
    """What it was used for, where it was used."""
    by: Mapping[str, JSON] | None = None
    """Who used it."""
    spent_on: str = ""
    """Key of the effect, or hash of the token, that took its place."""


Standing: TypeAlias = Open | Unusable


class Approvals:
    """Issues tokens, and lets each be used once."""

    def __init__(self, database: Database, namespace: str = "") -> None:
        """Keep the book in a database, for one namespace."""
        self._database = database
        self._namespace = namespace

    def issue(self, binding: Binding, *, requester: Mapping[str, Any], expires: float | None) -> str:
        """Make a token for a call.

        Args:
            binding: The call.
            requester: Who asked for it, as plain data.
            expires: Seconds it is good for; `None` = without end.

        Raises:
            LedgerError: When it can't be written down.

        """
        token = secrets.token_urlsafe(24)
        with self._database.transaction() as connection:
            self._write(connection, token, binding, requester=requester, expires=expires)
        return token

    def look_up(self, token: str, binding: Binding) -> Standing:
        """Tell whether a token may be used for a call, and use nothing.

        Raises:
            LedgerError: When the book can't be read.

        """
        with self._database.transaction() as connection:
            return self._judge(connection, self._row(connection, token), binding)

    def spend(
        self,
        token: str,
        binding: Binding,
        *,
        decision: str,
        by: Mapping[str, Any],
        connection: Connection | None = None,
    ) -> Standing:
        """Use a token for a decision.

        Args:
            token: The token.
            binding: The call it has to be good for.
            decision: What was decided.
            by: Who decided, as plain data.
            connection: A transaction to take part in; without it, one of its own.

        Raises:
            LedgerError: When it can't be written down.

        """
        if connection is None:
            with self._database.transaction() as own:
                return self.spend(token, binding, decision=decision, by=by, connection=own)
        row = self._row(connection, token)
        standing = self._judge(connection, row, binding)
        if isinstance(standing, Open):
            self._mark(connection, token, decision=decision, by=by)
        return standing

    def exchange(
        self,
        token: str,
        old: Binding,
        new: Binding,
        *,
        requester: Mapping[str, Any],
        by: Mapping[str, Any],
        expires: float | None,
        decision: Literal["edit", "superseded"] = "edit",
    ) -> str:
        """Put a call in place of another: a person's edit, or the same call under the rules of now.

        The old token is used up, and the new call gets its own. A token that was used like this is exchanged again for
        the very same call by the same person, because a run that was cut off takes the step twice; the answer is the
        same token. Others that can't be used give `""`.

        Args:
            token: The old token.
            old: The call it was issued for.
            new: The call that takes its place.
            requester: Who asked for it, as plain data.
            by: Who decided, as plain data.
            expires: Seconds the new token is good for; `None` = without end.
            decision: What the old token was used for.

        Raises:
            LedgerError: When it can't be written down.

        """
        issued = _derive(token, new)
        with self._database.transaction() as connection:
            standing = self._judge(connection, self._row(connection, token), old)
            if isinstance(standing, Unusable):
                first = Unusable("used", decision, json.loads(_plain(by)), _hash(issued))
                return issued if standing == first else ""
            self._write(connection, issued, new, requester=requester, expires=expires)
            self._mark(connection, token, decision=decision, by=by, spent_on=_hash(issued))
            return issued

    def effect_of(self, token: str) -> str:
        """Return the key of the effect that a token, or one that took its place, was used for; empty for none.

        Raises:
            LedgerError: When the book can't be read.

        """
        found = _hash(token)
        with self._database.transaction() as connection:
            while row := connection.execute(self._known(found)).one_or_none():
                found = row.spent_on or ""
                if row.decision == "approve":
                    return found
        return ""

    def spend_on(
        self, connection: Connection, token: str, binding: Binding, *, by: Mapping[str, Any], key: str
    ) -> Unusable | None:
        """Use a token for an effect, within the transaction that claims it; return why it can't be used.

        The token of an effect is good for that effect until it is settled, so that a claim can be taken up again.
        """
        standing = self._judge(connection, self._row(connection, token), binding)
        if isinstance(standing, Open):
            self._mark(connection, token, decision="approve", by=by, spent_on=key)
            return None
        return None if standing.spent_on == key else standing

    def _write(
        self,
        connection: Connection,
        token: str,
        binding: Binding,
        *,
        requester: Mapping[str, Any],
        expires: float | None,
    ) -> None:
        """Write down what a token is good for."""
        now = self._database.now(connection)
        connection.execute(
            insert(approvals).values(
                token_hash=_hash(token),
                namespace=self._namespace,
                thread=binding.thread,
                turn=binding.turn,
                call_id=binding.call_id,
                tool=binding.tool,
                digest=binding.digest,
                terms=binding.terms,
                requester=_plain(requester),
                issued_at=now,
                expires_at=None if expires is None else now + expires,
            )
        )

    def _row(self, connection: Connection, token: str) -> Row[Any] | None:
        """Find a token, and keep others from using it until this transaction ends."""
        return connection.execute(self._known(_hash(token)).with_for_update()).one_or_none()

    def _known(self, token_hash: str) -> Select[Any]:
        """Look for a token; those of other namespaces were never issued here."""
        return select(approvals).where(approvals.c.token_hash == token_hash, approvals.c.namespace == self._namespace)

    def _judge(self, connection: Connection, row: Row[Any] | None, binding: Binding) -> Standing:
        """Say where a token stands."""
        if row is None:
            return Unusable("forged")
        issued_for = Binding(row.thread, row.turn, row.call_id, row.tool, row.digest, row.terms or "")
        if issued_for != binding:
            same_call = replace(issued_for, terms=binding.terms) == binding
            return Unusable("outdated" if same_call else "other_call")
        if row.decision is not None:
            return Unusable("used", row.decision, json.loads(row.decided_by), row.spent_on or "")
        if row.expires_at is not None and row.expires_at <= self._database.now(connection):
            return Unusable("expired")
        return Open()

    def _mark(
        self, connection: Connection, token: str, *, decision: str, by: Mapping[str, Any], spent_on: str | None = None
    ) -> None:
        """Write down what a token was used for."""
        connection.execute(
            update(approvals)
            .where(approvals.c.token_hash == _hash(token))
            .values(
                decision=decision,
                decided_by=_plain(by),
                decided_at=self._database.now(connection),
                spent_on=spent_on,
            )
        )


def _hash(token: str) -> str:
    """Return what is stored of a token: who reads the database can't use it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _derive(token: str, binding: Binding) -> str:
    """Make the token that takes the place of another: the same for the same edit, and only who has the old can tell."""
    parts = json.dumps(astuple(binding))
    sealed = hmac.digest(token.encode("utf-8", "surrogatepass"), parts.encode("ascii"), "sha256")
    return base64.urlsafe_b64encode(sealed[:24]).decode("ascii")


def _plain(person: Mapping[str, Any]) -> str:
    """Write who somebody is, in letters that every database takes."""
    return json.dumps(dict(person), sort_keys=True)
