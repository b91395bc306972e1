"""Run a loaded model: encode text, keep the keys and values of a prefix, score continuations, mask by a grammar."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reinforced_agent.models.local.weights import Weights


KEPT_GRAMMARS = 512
"""Compiled grammars that are kept; one is for one field of one tool."""


@dataclass(frozen=True)
class Reading:
    """A text that the model has read: its tokens, its keys and values, and what may follow."""

    tokens: tuple[int, ...]
    cache: Any
    """Keys and values of `tokens`; never written to again, continuing makes a copy."""
    logits: Any
    """Scores of the next token, in the last row."""


class Engine:
    """A model with its tokenizer; not thread-safe, its owner holds a lock."""

    def __init__(self, weights: Weights) -> None:
        self.name = weights.name
        self._model = weights.model
        self.tokenizer = weights.tokenizer
        self.end: int = weights.tokenizer.eos_token_id
        """Token that ends a turn."""
        self.tokens_read = 0
        """Tokens that went through the model, those of kept prompts once."""
        self.grammars_compiled = 0
        """Grammars that were compiled, those that are kept once."""
        self._matchers: OrderedDict[str, Any] = OrderedDict()

    @cached_property
    def grammar_tokenizer(self) -> Any:
        """The tokenizer as llguidance wants it; made once, about a second for 50,000 tokens."""
        from llguidance.hf import from_tokenizer  # noqa: PLC0415 - heavy, and optional

        return from_tokenizer(self.tokenizer, n_vocab=self._model.config.vocab_size)

    @cached_property
    def token_texts(self) -> list[str | None]:
        """Text of every token, None for special ones and for parts of a character."""
        size: int = self._model.config.vocab_size
        known = min(size, len(self.tokenizer))
        return [self._text(token) if token < known else None for token in range(size)]

    @cached_property
    def tokens_by_text(self) -> dict[str, int]:
        """Token of every text that is a token."""
        return {text: token for token, text in enumerate(self.token_texts) if text}

    @cached_property
    def closing_tokens(self) -> list[int]:
        """Tokens that close a string."""
        return [token for token, text in enumerate(self.token_texts) if text and text.startswith('"')]

    @cached_property
    def ending_tokens(self) -> list[int]:
        """Tokens that end a number or a word of JSON."""
        return [token for token, text in enumerate(self.token_texts) if text and text[0] in ",}]"]

    def matcher(self, grammar: str) -> Any:
        """Return a fresh matcher of a grammar, which is compiled only if it is not among those used lately."""
        from llguidance import LLMatcher  # noqa: PLC0415 - heavy, and optional

        kept = self._matchers.pop(grammar, None)
        if kept is None:
            kept = LLMatcher(self.grammar_tokenizer, grammar)
            self.grammars_compiled += 1
        self._matchers[grammar] = kept
        while len(self._matchers) > KEPT_GRAMMARS:
            self._matchers.popitem(last=False)
        return kept.deep_copy()

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; markers of turns become their special tokens."""
        tokens: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    def count(self, text: str) -> int:
        """Return how many tokens a text has; may be asked by several threads while the model is at work."""
        return len(self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids)

    @property
    def window(self) -> int:
        """Tokens that the model was made for."""
        return int(self._model.config.max_position_embeddings)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        text: str = self.tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text

    def read(self, tokens: Sequence[int], after: Reading | None = None) -> Reading:
        """Read at least one token after an earlier reading, which stays as it was."""
        cache = self._copy(after, 1)
        logits = self._forward([list(tokens)], cache, 1)[0]
        return Reading((*(after.tokens if after else ()), *tokens), cache, logits)

    def fork(self, reading: Reading) -> Reading:
        """Return a reading of the same text that may be extended and moved."""
        return Reading(reading.tokens, self._copy(reading, 1), reading.logits)

    def extend(self, reading: Reading, tokens: Sequence[int]) -> Reading:
        """Read tokens into the same keys and values, for a reading that nobody else continues."""
        logits = self._forward([list(tokens)], reading.cache, 1)[0]
        return Reading((*reading.tokens, *tokens), reading.cache, logits)

    def move(self, reading: Reading, tokens: Sequence[int]) -> Reading:
        """Make an own reading end with exactly `tokens`: forget what differs, read what is missing."""
        pairs = zip(reading.tokens, tokens, strict=False)
        same = next((place for place, (old, new) in enumerate(pairs) if old != new), len(reading.tokens))
        # The scores after the last token are known only from reading it.
        same = min(same, len(tokens) - 1)
        if same < len(reading.tokens):
            reading.cache.crop(same - len(reading.tokens))
        return self.extend(Reading(tuple(tokens[:same]), reading.cache, None), tokens[same:])

    def log_probabilities(self, after: Reading, options: Sequence[Sequence[int]]) -> list[float]:
        """Return the natural log-probability of each option as the continuation of `after`."""
        import torch  # noqa: PLC0415

        width = max(map(len, options))
        rows = [[*option, *[0] * (width - len(option))] for option in options]
        logits = self._forward(rows, self._copy(after, len(rows)), 0)
        totals = []
        for row, option in zip(logits, options, strict=True):
            scores = torch.cat([after.logits[-1:], row[: len(option) - 1]]).log_softmax(-1)
            totals.append(float(scores.gather(1, torch.tensor([option]).T).sum()))
        return totals

    def _forward(self, rows: list[list[int]], cache: Any, keep: int) -> Any:
        import torch  # noqa: PLC0415

        self.tokens_read += sum(map(len, rows))
        with torch.inference_mode():
            return self._model(torch.tensor(rows), cache=cache, use_cache=True, logits_to_keep=keep).logits

    def _copy(self, reading: Reading | None, rows: int) -> Any:
        from transformers import DynamicCache  # noqa: PLC0415

        fresh = DynamicCache(config=self._model.config)
        for layer, (keys, values, *_) in enumerate(reading.cache if reading else ()):
            fresh.update(keys.expand(rows, -1, -1, -1), values.expand(rows, -1, -1, -1), layer)
        return fresh

    def _text(self, token: int) -> str | None:
        if self.grammar_tokenizer.is_special_token(token):
            return None
        try:
            text: str = self.grammar_tokenizer.decode_bytes([token]).decode()
        except UnicodeDecodeError:
            return None
        return text
