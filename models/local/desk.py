"""Everything that one set of tools needs: prompts that were read once, the choice of a tool, calls and answers."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property

from reinforced_agent.models.local.answering import (
    CHAT,
    MOST_TOKENS,
    PROBLEM_SYSTEM,
    PROBLEMS,
    REPORT_SYSTEM,
    REPORTS,
    chat_system,
    report,
    trim,
)
from reinforced_agent.models.local.choice import ANSWER, OVERLAP, SHORTLIST, Overlap, channel, normalise
from reinforced_agent.models.local.conversation import Attempt, Situation
from reinforced_agent.models.local.decode import Guidance, Written, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.evidence import Evidence
from reinforced_agent.models.local.experts import Experts
from reinforced_agent.models.local.faithful import Faithful, repeats
from reinforced_agent.models.local.fill import Form
from reinforced_agent.models.local.filled import Filled, Steering
from reinforced_agent.models.local.fitting import LACKING, call_odds, lacks_numbers, log_sigmoid
from reinforced_agent.models.local.grammar import answer_grammar
from reinforced_agent.models.local.prompt import Frame, Tool, Turn, frame, tool_frame
from reinforced_agent.models.local.stating import facts_of, state


BLANK = "N/A"
"""A request without content (Zhao et al. 2021)."""


class Desk:
    """A set of tools in front of the model; what is constant in their prompts is read once and kept."""

    def __init__(self, engine: Engine, tools: Sequence[Tool], host: str, experts: Experts | None = None) -> None:
        self.engine = engine
        self.experts = experts or Experts()
        self.tools = {tool.name: tool for tool in tools}
        self._host = host
        self._heads: dict[str, Reading] = {}

    def choose(self, request: str, names: Sequence[str], before: str = "") -> dict[str, float]:
        """Return the log-probability, in nats, of each option; ANSWER stands for calling no tool.

        Args:
            request: The newest words of the user.
            names: The options.
            before: What was said earlier, from which values may be taken.
        """
        overlap = self._overlap.scores(request)
        ranked = sorted((name for name in names if name != ANSWER), key=lambda name: -overlap[name])
        asked = [name for name in names if name == ANSWER or name in ranked[:SHORTLIST]]
        tokens = self.engine.encode(request)
        if len(asked) == 1 or not tokens:
            return {asked[-1]: 0.0}
        heard = {name: self._channel(name, tokens) for name in asked}
        if self._shown(names) or ANSWER not in asked:
            weight = OVERLAP if self._shown(names) else OVERLAP * self.experts.relevance
            return normalise({name: score + weight * overlap[name] for name, score in heard.items()})
        tools = {name: score for name, score in heard.items() if name != ANSWER}
        # A request of n tokens counts as one observation, not as n: else the channel would always be sure of itself.
        odds = (max(tools.values()) - heard[ANSWER]) / len(tokens)
        chosen = {name: score + self.experts.relevance * OVERLAP * overlap[name] for name, score in tools.items()}
        return self._call_or_answer(request, before, odds, normalise(chosen))

    def _call_or_answer(self, request: str, before: str, odds: float, chosen: Mapping[str, float]) -> dict[str, float]:
        """Decide whether a tool is meant; which one was decided before."""
        if strength := self.experts.relevance:
            opinion = call_odds([self.tools[name] for name in chosen], request)
            best = self.tools[max(chosen, key=lambda name: chosen[name])]
            lacking = opinion is not None and lacks_numbers(best, f"{before} {request}")
            odds += strength * ((opinion or 0.0) - LACKING * lacking)
        called = {name: score + log_sigmoid(odds) for name, score in chosen.items()}
        return {**called, ANSWER: log_sigmoid(-odds)}

    def answers(self, odds: Mapping[str, float]) -> bool:
        """Tell whether the request is answered without a tool."""
        if len(odds) == 1 or ANSWER not in odds or self._shown([*odds]):
            return max(odds, key=lambda name: odds[name]) == ANSWER
        return odds[ANSWER] >= math.log(self.experts.answer_from)

    def _shown(self, names: Sequence[str]) -> bool:
        """Tell whether any of the tools has examples."""
        return any(self.tools[name].examples for name in names if name != ANSWER)

    def _channel(self, name: str, tokens: Sequence[int]) -> float:
        before = self._head(name, self._frame(name))
        return channel(self.engine.read(tokens, before, every=True), before, tokens)

    def call(self, name: str, situation: Situation, steering: Steering) -> Filled:
        """Write the arguments of a call."""
        return self.form(name, situation)(steering)

    def form(self, name: str, situation: Situation, *, several: bool = False) -> Callable[[Steering], Filled]:
        """Return what writes the arguments of a call, as often as it is asked; the request is read once.

        Args:
            name: The tool.
            situation: What is asked for.
            several: Whether to note what might stand there instead.
        """
        tool = self.tools[name]
        history = [turn for called, turn in situation.called if called == name][-1:]
        base = self._frame(name)
        whole = tool_frame(self.engine.tokenizer, tool, history) if history else base

        @cache
        def ask(request: str) -> Reading:
            return self._ask(name, base, whole, request)

        earlier = json.loads(history[0].reply) if history else {}
        request, blank = situation.request, lambda: ask(BLANK)
        grounding = self.experts.grounding
        is_new = grounding and not tool.examples and not earlier

        def fill(steering: Steering) -> Filled:
            evidence = Evidence(request, tool) if is_new else None
            asked = ask(request)
            return Form(
                self.engine, tool, request, asked, blank, steering, earlier, evidence, grounding, several
            ).fill()

        return fill

    def talk(self, situation: Situation) -> tuple[str, Written]:
        """Answer without a tool."""
        base = self._frame(ANSWER)
        whole = self._chat(situation.said[-2:]) if situation.said else base
        reading = self._ask(ANSWER, base, whole, situation.request)
        return self._say(reading, None)

    def tell(self, request: str, attempts: Sequence[Attempt]) -> tuple[str, Written]:
        """Say what came of the newest calls."""
        failed = all(attempt.failed for attempt in attempts)
        system, turns = (PROBLEM_SYSTEM, PROBLEMS) if failed else (REPORT_SYSTEM, REPORTS)
        base = frame(self.engine.tokenizer, system, turns)
        text = report(request, attempts)
        reading = self._ask(system, base, base, text)
        if not failed and len(attempts) == 1 and (facts := facts_of(attempts[0].outcome)):
            told, tokens = state(self.engine, reading, request, attempts[0].arguments, facts)
            return told, Written(told, tokens, complete=True)
        needed = "" if failed else text.partition("\n")[2]
        return self._say(reading, Faithful(text, turns, needed))

    def _say(self, reading: Reading, faithful: Faithful | None) -> tuple[str, Written]:
        guidance = Guidance(answer_grammar(), objects=lambda cursor, text: repeats(cursor.text + text))
        if faithful:
            guidance = Guidance(answer_grammar(), faithful.wishes, faithful.objects)
        written = write(self.engine, self.engine.fork(reading), guidance, MOST_TOKENS)
        return trim(written.text), written

    def _ask(self, key: str, base: Frame, whole: Frame, request: str) -> Reading:
        between = whole.head.removeprefix(base.head) if whole.head.startswith(base.head) else ""
        text = self.engine.encode(between) + self.engine.encode(request) + self.engine.encode(whole.tail)
        return self.engine.read(text, self._head(key, base))

    def _head(self, key: str, base: Frame) -> Reading:
        if key not in self._heads:
            self._heads[key] = self.engine.read(self.engine.encode(base.head))
        return self._heads[key]

    def _frame(self, name: str) -> Frame:
        return self._chat(()) if name == ANSWER else tool_frame(self.engine.tokenizer, self.tools[name])

    def _chat(self, said: Sequence[Turn]) -> Frame:
        system = chat_system(list(self.tools.values()), self._host)
        return frame(self.engine.tokenizer, system, [*CHAT, *said])

    @cached_property
    def _overlap(self) -> Overlap:
        return Overlap.of(list(self.tools.values()), CHAT)
