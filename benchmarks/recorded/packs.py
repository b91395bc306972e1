"""The rule packs that lie in `examples/rule_packs` of a checkout: their rules, and their facts from a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from reinforced_agent.evaluation.replay.layers import Pack
from reinforced_agent.policies.rules.facts import Observed
from reinforced_agent.policies.rules.reader import load_rules, read_rules
from reinforced_agent.policies.rules.sets import Bound, RuleSet
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import ToolSpec


FOLDER: Final = Path(__file__).resolve().parents[2] / "examples" / "rule_packs"
"""Where the packs lie; an installed package has none."""
_FAILED: Final = "error"
"""How the results of recorded conversations begin when a call has failed."""


@dataclass(frozen=True, slots=True)
class RulePack:
    """A rule file, and a module of the same name beside it.

    The module holds `FUNCTIONS`, what the rules compute; `WRITES`, the tools that change something; and `FACTS`, what
    is known before anything was said.
    """

    path: Path
    """The rule file."""

    def layers(self, specs: Iterable[ToolSpec]) -> tuple[Bound, ...]:
        """Give one layer a rule.

        Raises:
            RuleError: When the rules don't fit the tools.

        """
        return tuple(load_rules(self.path, specs, functions=_module(self.path).FUNCTIONS))

    def facts(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, JSON]:
        """Learn what a conversation has established: its messages have `role`, `content` and `tool_calls`."""
        observed = _observed(messages, _module(self.path).WRITES)
        return {**_module(self.path).FACTS, **_sources(self.path).facts(observed, up_to_date=True)}


@lru_cache
def _module(path: Path) -> ModuleType:
    """Run the module beside a rule file."""
    spec = spec_from_file_location(f"rule_pack_{path.stem}", path.with_suffix(".py"))
    if spec is None or spec.loader is None:
        msg = f"There is no module that can be run beside {path}."
        raise ImportError(msg)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache
def _sources(path: Path) -> RuleSet:
    """Read the rules as they are written, whatever tools there are."""
    return read_rules(path.read_text(encoding="utf-8"), file=path.name, functions=_module(path).FUNCTIONS)


def _observed(messages: Sequence[Mapping[str, Any]], writes: frozenset[str]) -> Iterator[Observed]:
    """List the calls that have come back."""
    waiting: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if message["role"] == "tool" and message["tool_call_id"] in waiting:
            call, result = waiting.pop(message["tool_call_id"]), str(message["content"])
            arguments = call["arguments"] if isinstance(call["arguments"], dict) else {}
            failed = result.lower().startswith(_FAILED)
            yield Observed(
                tool=call["name"], result=result, arguments=arguments, failed=failed, changes=call["name"] in writes
            )
        elif message["role"] != "tool":
            waiting = {call["id"]: call for call in message.get("tool_calls") or ()}


def example_packs() -> dict[str, Pack]:
    """Return the packs that take part in every replay of conversations, by the name that switches them off.

    They lie in the `examples` of a checkout; an installed package has none.
    """
    packs = {domain: RulePack(FOLDER / f"{domain}.toml") for domain in ("airline", "retail")}
    return {
        f"{domain}_rules": Pack(pack.layers, pack.facts, (domain,))
        for domain, pack in packs.items()
        if pack.path.is_file()
    }
