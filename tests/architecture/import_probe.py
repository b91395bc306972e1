"""Imports every module of the package and prints, as JSON, what they did beyond defining things.

Run as a script in a process of its own. Third-party modules may do as they like while they are imported; what counts
is what a module of the house does or asks a library to do.
"""

from __future__ import annotations

import json
import pkgutil
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import reinforced_agent


HOUSE = Path(reinforced_agent.__file__).resolve().parent
TOP = HOUSE.parents[1]

ACTS = {
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.system",
    "signal.signal",
    "socket.__new__",
    "socket.getaddrinfo",
    "sqlite3.connect",
    "subprocess.Popen",
    "urllib.Request",
}
"""Audit events that a module must not cause while it is imported."""

offences: list[str] = []


def culprit() -> str | None:
    """Find the module of the house that is being executed, unless it only waits for another import."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib"):
            return None
        if is_of_the_house(name):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def is_of_the_house(name: str) -> bool:
    """Tell whether a file is a module of the package, named through its link or not."""
    path = Path(name)
    return path != Path(__file__) and path.is_absolute() and path.is_relative_to(TOP) and ".venv" not in path.parts


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what a module of the house does while it is imported."""
    reads = event != "open" or str(arguments[1] or "r").strip("bt") == "r" or arguments[0] is None
    if (event in ACTS or not reads) and (place := culprit()):
        offences.append(f"{place}: {event} {arguments!r}")


def watch_threads() -> None:
    """Note threads too; not every Python has an audit event for them."""
    start = threading.Thread.start

    def noted(self: threading.Thread) -> None:
        if place := culprit():
            offences.append(f"{place}: thread {self.name}")
        start(self)

    threading.Thread.start = noted  # type: ignore[method-assign]


def main() -> None:
    """Import everything and report."""
    sys.addaudithook(watch)
    watch_threads()
    found = pkgutil.walk_packages(reinforced_agent.__path__, f"{reinforced_agent.__name__}.")
    imported = [module.name for module in found if not module.name.endswith("__main__")]
    for name in imported:
        import_module(name)
    print(json.dumps({"imported": imported, "offences": offences}))  # noqa: T201 - the parent process reads it


if __name__ == "__main__":
    main()
