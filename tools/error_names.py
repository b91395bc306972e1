"""Read what an exception of any library says by its name or its code: that no answer came, or no connection."""

from __future__ import annotations

import errno
import re
from typing import Final, Literal, TypeAlias


Named: TypeAlias = Literal["timeout", "network", "unreached", ""]
"""timeout: no answer in time. network: a connection that broke. unreached: none came about. Empty: nothing is known."""

_TIMEOUT: Final = re.compile(r"time(?:d)?_?out|deadline_?exceeded", re.IGNORECASE)
_NETWORK: Final = re.compile(
    r"(?:connection|network|transport|socket)_?(?:error|failure|failed|lost|closed|reset|aborted|broken|dropped)"
    r"|disconnected|auto_?reconnect|service_?unavailable",
    re.IGNORECASE,
)
_OF_A_VALUE: Final = re.compile(r"^(?:invalid|bad|wrong|unsupported|illegal|missing)", re.IGNORECASE)
"""How names begin that speak of a setting, such as `InvalidTimeout`."""
_DATABASES: Final = frozenset({"psycopg", "psycopg2", "pymysql", "MySQLdb", "mysql", "oracledb", "cx_Oracle"})
"""Packages whose `OperationalError` says that the server went away, or was too slow."""
_UNREACHED: Final = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
"""Numbers of errors of the system that say that nothing was sent."""


def named(error: BaseException) -> Named:
    """Say what the class of an exception, or its number, tells; the nearest class that tells something counts.

    Errors about values tell nothing, whatever they are called: a time-out can be wrong in a form, too.
    """
    if isinstance(error, ValueError | TypeError | LookupError | ArithmeticError):
        return ""
    if isinstance(error, OSError) and error.errno in _UNREACHED:
        return "unreached"
    said = (_by_class(kind) for kind in type(error).__mro__)
    return next((one for one in said if one), "")


def _by_class(kind: type) -> Named:
    """Say what one class tells by its name; those that are built in are known elsewhere."""
    name, package = kind.__name__, str(kind.__module__).partition(".")[0]
    if package == "builtins" or _OF_A_VALUE.match(name):
        return ""
    if _TIMEOUT.search(name):
        return "timeout"
    is_away = name == "OperationalError" and package in _DATABASES
    return "network" if is_away or _NETWORK.search(name) else ""


def grpc_code(error: BaseException) -> str:
    """Return the code by name that an exception of gRPC carries, such as `UNAVAILABLE`; empty where it carries none.

    Only gRPC has a method for it: what stands in an attribute may be anybody's word for anything.
    """
    code = getattr(error, "code", None)
    try:
        name = getattr(code() if callable(code) else None, "name", None)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return ""
    return name.upper() if isinstance(name, str) else ""
