"""A ledger as versions before 0005 left it: its tables had plain names, in the first schema of the search path."""

from __future__ import annotations

from sqlalchemy import Connection, text

from tests.ledger.cases import effect


VERSIONS = {
    "0001": """
        create table effects (key varchar(64) not null primary key, thread text not null, turn text not null,
            tool text not null, digest varchar(64) not null, call_id text not null, status varchar(16) not null,
            attempt integer not null, owner text not null, lease_until float not null, claimed_at float not null,
            settled_at float, outcome text);
        create index effects_of_a_thread on effects USING (thread);
        create index effects_by_status on effects (status);
        create table approvals (token_hash varchar(64) not null primary key, thread text not null, turn text not null,
            call_id text not null, tool text not null, digest varchar(64) not null, requester text not null,
            issued_at float not null, expires_at float, decision varchar(16), decided_by text, decided_at float,
            spent_on varchar(64));
        create index approvals_of_a_thread on approvals USING (thread);
        create table runs (key varchar(64) not null primary key, thread text not null, owner text not null,
            lease_until float not null, since float not null);
        create table ledger_version (version_num varchar(32) not null primary key);
        insert into ledger_version values ('0001');
        insert into effects values
            ('KEY', 'thread', 'turn', 'pay', 'DIGEST', 'call', 'pending', 2, 'x', 0, 1, null, null);
        insert into runs values ('k', 'thread', 'somebody', 1, 1)
        """,
    "0002": """
        create table records (id varchar(64) not null primary key, thread text not null, turn text not null,
            step integer not null, written_at float not null, version integer not null, kind varchar(16) not null,
            outcome varchar(16) not null, record text not null);
        create index records_by_time on records (written_at);
        insert into records values ('b', 't', 'u', 1, 20, 1, 'call', 'answered', '{"id": "b"}');
        insert into records values ('a', 't', 'u', 1, 30, 1, 'call', 'answered', '{"id": "a"}');
        update ledger_version set version_num = '0002'
        """,
    "0003": """
        create table results (key varchar(64) not null primary key, thread text not null, tool text not null,
            length bigint not null, kept_at float not null);
        create index results_by_time on results (kept_at);
        create table result_parts (key varchar(64) not null, part integer not null, text text not null,
            primary key (key, part));
        update ledger_version set version_num = '0003'
        """,
    "0004": """
        create table uses (key varchar(64) not null primary key, who varchar(64) not null, tool text not null,
            used_at float not null);
        create index uses_of_somebody on uses (who, used_at);
        insert into uses values ('k', 'somebody', 'pay', 1);
        update ledger_version set version_num = '0004'
        """,
}
"""What each version did, and what was written then: an attempt whose process is gone, a held thread, records, a use."""


def make(connection: Connection, version: str) -> None:
    """Make the tables of a version, with an attempt at `effect()`."""
    index = "using hash" if connection.dialect.name == "postgresql" else ""
    for number, script in VERSIONS.items():
        whole = script.replace("USING", index).replace("KEY", effect().key).replace("DIGEST", effect().binding.digest)
        for statement in whole.split(";") if number <= version else ():
            connection.exec_driver_sql(statement)


def word_left(connection: Connection) -> str:
    """Return the version that a process of an earlier version reads."""
    return str(connection.scalar(text("select version_num from ledger_version")))
