"""Find a model's own tokenizer where it is at hand; nothing is ever fetched for it."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel


_TELLING = 500
"""Tokens of a request from which a provider's count says something about ours."""
_MOST_OFF = 3.0
"""How far an estimate may be off; more is a mistake in what is reported."""
_MOST_REMEMBERED = 20_000
"""Texts whose count is remembered; those of a long conversation are counted anew before every proposal."""
_FILES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""SHA-256 of the file of each encoding; tiktoken fetches a file that has another one."""
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""Under the SHA-1 of this tiktoken keeps a file that was fetched before."""


def counter_of(model: BaseChatModel, fallback: Callable[[str], int]) -> Callable[[str], int]:
    """Return what counts the tokens of a text for a model.

    In this order: what the host gave the model (`custom_get_token_ids`), the tokenizer of the embedded model, that of
    tiktoken for models of OpenAI where its file is on this computer, and the fallback, which learns from what is told.
    """
    count = _own_counter(model)
    return Calibrated(fallback) if count is None else _Remembering(count)


class Calibrated:
    """Counts roughly, and learns from what a provider reports how far that is off for its tokenizer.

    A small vocabulary makes up to twice as many tokens of a text, most of all of other scripts than Latin. An estimate
    that is too high only shows a little less, so it is never lowered.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        """Take the estimate for what it is at first."""
        self._count = count
        self.factor = 1.0
        """What the estimate is multiplied by."""

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return math.ceil(self._count(text) * self.factor)

    def learn(self, estimated: int, reported: int) -> None:
        """Take in what a request was counted as here and by its provider; small ones tell little.

        Several runs may report at the same time: whichever is last counts.
        """
        if estimated >= _TELLING:
            self.factor = min(max(self.factor * reported / estimated, 1.0), _MOST_OFF)


class _Remembering:
    """Counts a text once."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """Remember nothing yet."""
        self._count = count
        self._known: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        key = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._count(text)
        return found


def _own_counter(model: Any) -> Callable[[str], int] | None:
    """Return what counts with the tokenizer of a model, if it is here."""
    if (given := getattr(model, "custom_get_token_ids", None)) is not None:
        return lambda text: len(given(text))
    engine = getattr(model, "engine", None)
    if engine is not None and callable(getattr(engine, "count", None)):
        own: Callable[[str], int] = engine.count
        return own
    if (inner := getattr(model, "inner", None)) is not None:
        return _own_counter(inner)
    name = getattr(model, "model_name", None)
    return _tiktoken(name) if isinstance(name, str) and not getattr(model, "openai_api_base", None) else None


def _tiktoken(name: str) -> Callable[[str], int] | None:
    """Return what counts with the encoding of a model of OpenAI, if its file has been fetched before."""
    try:
        import tiktoken  # noqa: PLC0415  # optional, and slow to import
        from tiktoken.model import encoding_name_for_model  # noqa: PLC0415

        encoding = encoding_name_for_model(name)
    except (ImportError, KeyError):
        return None
    if not _is_here(encoding):
        return None
    encode = tiktoken.get_encoding(encoding).encode
    return lambda text: len(encode(text, disallowed_special=()))


def _is_here(encoding: str) -> bool:
    """Tell whether tiktoken would find the file, whole, without the network."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "" or encoding not in _FILES:
        # An empty setting makes it fetch the file each time.
        return False
    kept = Path(tempfile.gettempdir()) / "data-gym-cache" if folder is None else Path(folder)
    name = hashlib.sha1(_ADDRESS.format(name=encoding).encode(), usedforsecurity=False).hexdigest()
    try:
        return hashlib.sha256((kept / name).read_bytes()).hexdigest() == _FILES[encoding]
    except OSError:
        return False
