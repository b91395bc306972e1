"""Who holds a claim, and whether that process still lives.

A process on this machine is looked up, so that a killed one is known to be gone at once. About processes elsewhere
only their lease tells. Whenever there is a doubt, the owner counts as alive.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import psutil


_PARTS = 4
"""Words in the name of an owner: machine, process, its start, and a ledger of it."""


def this_owner() -> str:
    """Name this process, and one ledger in it, so that no other has the same name."""
    pid = os.getpid()
    return f"{_machine()} {pid} {_started(pid)} {uuid4().hex}"


def is_gone(owner: str) -> bool:
    """Tell whether an owner is certainly not alive any more; `False` also means that it can't be known from here."""
    machine, pid, started = _parts(owner)
    if not machine or machine != _machine():
        return False
    if not _exists(int(pid)):
        return True
    # A new process may have got the number of the old one.
    now = _started(int(pid))
    return bool(started and now) and started != now


def is_here(owner: str) -> bool:
    """Tell whether an owner can be looked up from this process."""
    machine = _parts(owner)[0]
    return bool(machine) and machine == _machine()


def is_this_process(owner: str) -> bool:
    """Tell whether an owner is a ledger of this very process."""
    own = os.getpid()
    return is_here(owner) and _parts(owner)[1:] == (str(own), _started(own))


def _parts(owner: str) -> tuple[str, str, str]:
    """Take a name apart: machine, process, its start; a name of another kind belongs to no known machine."""
    parts = owner.split(" ")
    if len(parts) != _PARTS or not parts[1].isdecimal():
        return "", "", ""
    return parts[0], parts[1], parts[2]


def _exists(pid: int) -> bool:
    """Tell whether a process exists and has not ended; one that waits to be buried has."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _machine() -> str:
    """Name the machine since its last start and, within it, the space that process numbers belong to.

    Empty where that can't be told for certain; then no process can be looked up.
    """
    if sys.platform != "linux":
        return ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  # the link leads to no file
    return ""


def _started(pid: int) -> str:
    """Return when a process started, in clock ticks since the start of the machine; empty where it can't be read."""
    with suppress(OSError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        # The name of the program stands in brackets and may hold anything; the 22nd field of all is the 20th after it.
        return text.rpartition(")")[2].split()[19]
    return ""
