"""The package holds the rooms, all of them and nothing else, however it is built."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.house import FRONT_DOOR, ROOT, kept_files, rooms


def build(target: str, source: Path, folder: Path) -> Path:
    """Build a wheel or a source distribution without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


def hatch_targets() -> dict[str, Any]:
    """Read the build settings."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets: dict[str, Any] = settings["tool"]["hatch"]["build"]["targets"]
    return targets


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution."""
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module", params=["checkout", "sdist"])
def wheel(request: pytest.FixtureRequest, sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, once from the checkout and once from the source distribution."""
    if request.param == "checkout":
        return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


def names(wheel: Path) -> set[str]:
    """List the files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_adds_one_name_to_an_installation(wheel: Path) -> None:
    """Only the package and its metadata stand at the top of the wheel."""
    top = {name.split("/")[0] for name in names(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == {"reinforced_agent"}


def test_the_wheel_holds_exactly_the_files_of_the_rooms(wheel: Path) -> None:
    """Each file of a room and of the front door is in the wheel, and no other."""
    inside = [path.relative_to(ROOT) for path in kept_files()]
    expected = {f"reinforced_agent/{path.as_posix()}" for path in inside if path.parts[0] in rooms()}
    expected |= {f"reinforced_agent/{name}" for name in ("__init__.py", "py.typed", "testing.py")}
    assert {name for name in names(wheel) if ".dist-info/" not in name} == expected


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    """The metadata carry the licence, the command and the README."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = [name for name in archive.namelist() if ".dist-info/" in name]
        texts = {name.split("/", 1)[1]: archive.read(name).decode() for name in metadata}
    assert "MIT License" in texts["licenses/LICENSE"]
    assert "reinforced-agent = reinforced_agent.service.cli.main:main" in texts["entry_points.txt"]
    assert (ROOT / "README.md").read_text(encoding="utf-8").strip() in texts["METADATA"]


@pytest.mark.parametrize("room", rooms())
def test_every_room_is_linked_and_packed(room: str) -> None:
    """A room has a relative link for development, a line for the wheel and a line for the source distribution."""
    link = FRONT_DOOR / room
    assert link.is_symlink()
    assert link.readlink() == Path("..", "..", room)
    targets = hatch_targets()
    assert targets["wheel"]["force-include"][room] == f"reinforced_agent/{room}"
    assert room in targets["sdist"]["only-include"]


def test_every_link_and_every_packed_folder_is_a_room() -> None:
    """Nothing is linked or packed that is no room."""
    assert sorted(path.name for path in FRONT_DOOR.iterdir() if path.is_symlink()) == rooms()
    assert sorted(hatch_targets()["wheel"]["force-include"]) == rooms()


def test_links_are_kept_as_links() -> None:
    """Version control holds the links themselves, not copies of what they point to."""
    listing = subprocess.run(
        ["git", "ls-files", "--stage", "src/reinforced_agent"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    links = {line.split("\t")[1].rsplit("/", 1)[1] for line in listing if line.startswith("120000 ")}
    assert sorted(links) == rooms()
