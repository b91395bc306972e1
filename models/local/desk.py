"""Everything that one set of tools needs: prompts that were read once, the choice of a tool, calls and answers."""

import json
from collections.abc import Sequence
from functools import cached_property

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
from reinforced_agent.models.local.faithful import Faithful, repeats
from reinforced_agent.models.local.fill import Filled, Form, Steering
from reinforced_agent.models.local.grammar import answer_grammar
from reinforced_agent.models.local.prompt import Frame, Tool, Turn, frame, tool_frame
from reinforced_agent.models.local.stating import facts_of, state


BLANK = "N/A"
"""A request without content (Zhao et al. 2021)."""


class Desk:
    """A set of tools in front of the model; what is constant in their prompts is read once and kept."""

    def __init__(self, engine: Engine, tools: Sequence[Tool], host: str) -> None:
        self.engine = engine
        self.tools = {tool.name: tool for tool in tools}
        self._host = host
        self._heads: dict[str, Reading] = {}

    def choose(self, request: str, names: Sequence[str]) -> dict[str, float]:
        """Return the log-probability, in nats, of each option; ANSWER stands for calling no tool."""
        overlap = self._overlap.scores(request)
        ranked = sorted((name for name in names if name != ANSWER), key=lambda name: -overlap[name])
        asked = [name for name in names if name == ANSWER or name in ranked[:SHORTLIST]]
        tokens = self.engine.encode(request)
        if len(asked) == 1 or not tokens:
            return {asked[-1]: 0.0}
        scores = {}
        for name in asked:
            before = self._head(name, self._frame(name))
            reading = self.engine.read(tokens, before, every=True)
            scores[name] = channel(reading, before, tokens) + OVERLAP * overlap[name]
        return normalise(scores)

    def call(self, name: str, situation: Situation, steering: Steering) -> Filled:
        """Write the arguments of a call."""
        tool = self.tools[name]
        history = [turn for called, turn in situation.called if called == name][-1:]
        base = self._frame(name)
        whole = tool_frame(self.engine.tokenizer, tool, history) if history else base

        def ask(request: str) -> Reading:
            return self._ask(name, base, whole, request)

        earlier = json.loads(history[0].reply) if history else {}
        request, blank = situation.request, lambda: ask(BLANK)
        return Form(self.engine, tool, request, ask(request), blank, steering, earlier).fill()

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
