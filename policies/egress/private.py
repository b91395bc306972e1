"""Which private values of a thread leave with a call or a link: plain, encoded, or in parts.

A value is private where a result of a trusted tool gave it and neither the user, nor the host, nor untrusted content
names it. Of a result that is declared private, a passage of some length is as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reinforced_agent.policies.egress.hosts import domains_in, host_of, registrable
from reinforced_agent.policies.egress.passages import passage_in
from reinforced_agent.policies.egress.shapes import forms_of, holds, squeezed
from reinforced_agent.policies.egress.values import Grade, values_in
from reinforced_agent.policies.situation import ResultText
from reinforced_agent.policies.text.folds import path_text
from reinforced_agent.tools.call import JSON


Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Leak:
    """A private value that would leave."""

    path: Path
    """Where it is in the arguments; empty for a link."""
    source: str
    """The tool whose result it is from."""

    @property
    def field(self) -> str:
        """The path as text, such as `params.key`."""
        return path_text(self.path)


class Private:
    """What is private in a thread; each result is read once, however many calls are looked at."""

    def __init__(self, trusted: Sequence[str], untrusted: Sequence[tuple[str, str]]) -> None:
        """Take what was said, as a situation has it."""
        self._trusted = trusted
        self._untrusted = untrusted

    def in_arguments(self, arguments: Mapping[str, JSON]) -> tuple[Leak, ...]:
        """Find what a call would carry out; a URL that stands word for word in a result carries nothing."""
        leaves = list(_leaves(arguments))
        if not self._carried([text for _, text in leaves]):
            return ()
        own = [(path, text) for path, text in leaves if not self._is_known_link(text)]
        if not (source := self._carried([text for _, text in own])):
            return ()
        paths = [path for path, text in own if self._carried([text])] or [own[0][0]]
        return tuple(Leak(path, source) for path in paths)

    def in_link(self, link: str) -> Leak | None:
        """Find what a link would carry out."""
        source = self._carried([link])
        return Leak((), source) if source and not self._is_known_link(link) else None

    def _carried(self, texts: Sequence[str]) -> str:
        """Name the tool of a private value that texts hold together; empty where they hold none."""
        forms = forms_of(texts)
        for result, grade, value in self._values:
            # Hardly ever is one held, and what comes after that takes longer.
            if forms.hold(value) and self._is_private(value, result) and (grade != "code" or self._lead_astray(texts)):
                return result.tool
        for result in self._declared:
            passage = passage_in(result, forms.squeezed)
            if passage and self._is_private(passage, result):
                return result.tool
        return ""

    @cached_property
    def _results(self) -> list[ResultText]:
        untrusted = (text for _, text in self._untrusted)
        return [text for text in (*self._trusted, *untrusted) if isinstance(text, ResultText)]

    @cached_property
    def _declared(self) -> list[ResultText]:
        return [result for result in self._results if result.private]

    @cached_property
    def _values(self) -> list[tuple[ResultText, Grade, str]]:
        """The values that results gave, each with what it may be; of untrusted content, secrets of private results."""
        trusted = [text for text in self._trusted if isinstance(text, ResultText) and not text.error]
        found = [(text, grade, value) for text in trusted for value, grade in values_in(text).items()]
        others = [result for result in self._declared if result not in trusted]
        secrets = ((text, grade, value) for text in others for value, grade in values_in(text).items())
        return [*found, *(one for one in secrets if one[1] == "secret")]

    def _is_private(self, value: str, result: ResultText) -> bool:
        """Tell whether nobody else has named a value, and its call was not given it."""
        named = (text for text in self._trusted if not isinstance(text, ResultText))
        return not any(holds(text, value) for text in (result.arguments, *named, *self._public(value)))

    def _public(self, value: str) -> Iterator[str]:
        """List the untrusted texts that may name a value: not where their own call was given it."""
        for _, text in self._untrusted:
            if not isinstance(text, ResultText) or not (text.private or value in squeezed(text.arguments)):
                yield text

    def _lead_astray(self, texts: Sequence[str]) -> bool:
        """Tell whether one of some texts leads to a host that untrusted content alone named."""
        domains = {registrable(host) for text in texts if (host := host_of(text))}
        return bool(domains & self._only_untrusted)

    @cached_property
    def _only_untrusted(self) -> frozenset[str]:
        named = frozenset[str]().union(*(domains_in(text) for _, text in self._untrusted))
        return named.difference(*(domains_in(text) for text in self._trusted))

    def _is_known_link(self, text: str) -> bool:
        """Tell whether a link stands word for word in what was said, but for results of calls that were given it."""
        link = _bare(text)
        return bool(host_of(text)) and any(_stands_in(link, other) for other in self._said)

    @cached_property
    def _said(self) -> list[str]:
        return [*self._trusted, *(text for _, text in self._untrusted)]


def _bare(link: str) -> str:
    """Take off what makes no difference to where a link leads: scheme, and a slash at the end."""
    text = link.strip()
    return (text.partition("://")[2] or text.removeprefix("//")).rstrip("/")


def _stands_in(link: str, text: str) -> bool:
    at = text.find(link)
    while at >= 0:
        before = text[at - 1 : at]
        if not (before.isascii() and before.isalnum()) and before not in {".", "-", "_", "@"}:
            return not (isinstance(text, ResultText) and _was_given(text, link))
        at = text.find(link, at + len(link))
    return False


def _was_given(result: ResultText, link: str) -> bool:
    """Tell whether the call of a result was given a link, however it was written."""
    if not result.arguments:
        return False
    return forms_of([text for _, text in _leaves(json.loads(result.arguments))]).hold(squeezed(link))


def _leaves(arguments: Mapping[str, JSON]) -> Iterable[tuple[Path, str]]:
    """Yield what arguments say, in their order, each with its path."""
    todo: list[tuple[Path, JSON | Mapping[str, JSON]]] = [((), arguments)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, Mapping):
            todo += [((*path, key), inner) for key, inner in reversed(list(value.items()))]
        elif isinstance(value, list):
            todo += [((*path, number), inner) for number, inner in reversed(list(enumerate(value)))]
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield path, str(value)
