"""What is installed is what was locked: every version with its hashes, complete, and nothing else."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.house import ROOT


LOCKS = ("constraints.txt", "constraints-local.txt", "constraints-no-deps.txt")
_ONE = re.compile(
    r"(?P<name>[\w.\-]+)==(?P<version>[\w.+!]+)(?: ; [^\\\n]+)?(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
)
FREE = {"torch", "reinforced-agent"}
"""PyTorch, whose build depends on the machine, and the project itself."""


def locked(file: str) -> dict[str, str]:
    """Return the versions of a file, by name."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return {canonicalize_name(one["name"]): one["version"] for one in _ONE.finditer(text)}


@pytest.mark.parametrize("file", LOCKS)
def test_every_line_is_a_version_with_its_hashes(file: str) -> None:
    """No address, no option and no range stands in a lock: whatever index a machine uses, the files are the same."""
    text = re.sub(r"(?m)^#.*\n", "", (ROOT / file).read_text(encoding="utf-8"))
    assert _ONE.sub("", text) == ""
    assert locked(file)


def test_the_lock_of_the_demo_is_a_part_of_the_whole() -> None:
    """The same versions, so that installing the one after the other changes nothing."""
    assert locked("constraints-local.txt").items() < locked("constraints.txt").items()


def test_everything_that_is_needed_is_locked() -> None:
    """What the project and all its extras depend on, and what that depends on, stands in the lock."""
    known, missing = locked("constraints.txt"), set()
    todo, seen = [("reinforced-agent", frozenset({"dev"}))], set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        if name not in known and name not in FREE:
            missing.add(name)
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        todo.extend(
            (canonicalize_name(one.name), frozenset(one.extras))
            for one in map(Requirement, requires)
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        )
    # What PyTorch brings beside its own files for graphics cards isn't installed with the build for processors.
    assert missing == set()
    assert len(seen) > 100


def test_make_installs_by_hash() -> None:
    """Every installation is held to the hashes, but for PyTorch, and for the project, which brings nothing along."""
    if (make := shutil.which("make")) is None:
        pytest.skip("make is not installed")
    told = subprocess.run(
        [make, "--dry-run", "--always-make", ".venv/.dev"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    installs = [line.partition(" install ")[2].split() for line in told.splitlines() if " install " in line]
    assert len(installs) == 6
    for words in installs:
        by_hash = "--require-hashes" in words and words[-1] in LOCKS
        alone = words == ["--no-deps", "--no-build-isolation", "-e", "."]
        assert by_hash or alone or words[0].startswith("torch=="), words


def wheel(folder: Path, text: str) -> Path:
    """Make a package of one file."""
    path, info = folder / "locked_probe-1.0-py3-none-any.whl", "locked_probe-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("locked_probe.py", text)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: locked-probe\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_a_package_that_was_changed_on_its_way_is_not_installed(tmp_path: Path) -> None:
    """The flags that make uses take the file that was locked, and refuse another one of the same name and version."""
    flags = next(
        line.partition("=")[2].split()
        for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
        if line.startswith("LOCKED :=")
    )
    digest = hashlib.sha256(wheel(tmp_path, "x = 1").read_bytes()).hexdigest()
    lock = tmp_path / "constraints.txt"
    lock.write_text(f"locked-probe==1.0 \\\n    --hash=sha256:{digest}\n")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--find-links", str(tmp_path)]

    def install(target: str) -> subprocess.CompletedProcess[str]:
        where = ["--target", str(tmp_path / target), *flags, str(lock)]
        return subprocess.run([*command, *where], check=False, capture_output=True, text=True, env=plain)

    assert install("right").returncode == 0
    assert (tmp_path / "right/locked_probe.py").exists()
    wheel(tmp_path, "x = 2  # something else")
    refused = install("wrong")
    assert refused.returncode != 0
    assert "HASHES" in refused.stderr
    assert not (tmp_path / "wrong/locked_probe.py").exists()


AUDITS = {
    "clean": ("exit 0", 0, "nothing that is locked has a known vulnerability"),
    "found": ('echo "{\\"id\\": \\"GHSA-1\\"}" > "$out"; exit 1', 1, "GHSA-1"),
    "no-database": ("echo no route >&2; exit 1", 0, "no database of vulnerabilities could be asked"),
}


@pytest.mark.parametrize("case", AUDITS)
def test_the_audit_says_what_it_could_find_out(case: str, tmp_path: Path) -> None:
    """A vulnerability fails it; where no database is at hand it says so, and fails only where an audit is required."""
    what, code, words = AUDITS[case]
    audit = tmp_path / "pip-audit"
    audit.write_text(f'#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\nout=$2\n{what}\n')
    audit.chmod(0o755)

    def run(**more: str) -> subprocess.CompletedProcess[str]:
        command = [str(ROOT / ".ci/audit"), str(audit)]
        return subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **more})

    done = run()
    assert (done.returncode, words in done.stdout + done.stderr) == (code, True), done
    assert run(REINFORCED_AGENT_REQUIRE_AUDIT="1").returncode == (0 if case == "clean" else 1)
