"""Any order of operations: no effect is dispatched twice by mistake, and no token serves two effects."""

from __future__ import annotations

from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.effects import Claim, Denied, Effect, Granted, Known, Permit, Running
from tests.ledger.cases import ANN, BOB, Clock, effect, give_away


EFFECTS = st.builds(
    effect,
    digest=st.sampled_from(["d" * 64, "e" * 64]),
    call_id=st.sampled_from(["one", "two"]),
    repeatable=st.booleans(),
    held=st.booleans(),
    occurrence=st.sampled_from([0, 0, 1]),
)
STATUSES = st.sampled_from(["committed", "failed", "unknown"])


class Book(RuleBasedStateMachine):
    """A ledger in memory beside the simplest account of what it should know."""

    tokens: Bundle[tuple[str, Effect]] = Bundle("tokens")

    def __init__(self) -> None:
        """Start with an empty book."""
        super().__init__()
        self.clock = Clock()
        self.ledger = Ledger.open("sqlite://", clock=self.clock)
        self.known: dict[str, tuple[str, int, str]] = {}
        """Key → status, newest attempt, id of the call that made it."""
        self.spent: dict[str, str] = {}
        """Token → key of the effect it served."""
        self.resolved: set[str] = set()
        """Keys whose outcome a person put down."""
        self.abandoned: set[str] = set()
        """Keys whose claim is held by somebody who is gone, and was not found out about yet."""
        self.fences: dict[tuple[str, int], str] = {}
        """Fencing token of each attempt, by key and number."""
        self.pruned: list[tuple[str, str]] = []
        """Keys and fencing tokens of attempts that the ledger has forgotten."""

    def teardown(self) -> None:
        """Close the book."""
        self.ledger.close()

    def expected(self, made: Effect) -> type[Any]:
        """Say what a claim with a good approval should be answered."""
        status, _, call = self.known.get(made.key, ("", 0, ""))
        free = status in {"", "released"} or (status == "failed" and call != made.binding.call_id)
        if free or (status == "unknown" and made.repeatable):
            return Granted
        return Running if status == "pending" else Known

    def note(self, made: Effect, claim: Claim) -> None:
        """Take down what was granted, and that somebody has looked."""
        self.abandoned -= set() if isinstance(claim, Denied) else {made.key}
        if isinstance(claim, Granted):
            attempt = self.known.get(made.key, ("", 0, ""))[1] + 1
            assert claim == Granted(attempt)
            self.fences[made.key, attempt] = claim.fence
            self.known[made.key] = ("pending", attempt, made.binding.call_id)
            self.resolved.discard(made.key)

    def fence(self, made: Effect, attempt: int) -> str:
        """Return the fencing token of an attempt, or one that nobody has."""
        return self.fences.get((made.key, attempt), "never given")

    @rule(target=tokens, made=EFFECTS)
    def ask(self, made: Effect) -> tuple[str, Effect]:
        """Ask a person about a call."""
        return self.ledger.approvals.issue(made.binding, requester=ANN, expires=None), made

    @rule(made=EFFECTS)
    def claim(self, made: Effect) -> None:
        """Claim without an approval."""
        expected = self.expected(made)
        claim = self.ledger.effects.claim(made)
        assert isinstance(claim, Denied if expected is Granted and made.held else expected)
        self.note(made, claim)

    @rule(token=tokens, made=EFFECTS)
    def claim_with(self, token: tuple[str, Effect], made: Effect) -> None:
        """Claim with an approval, of this call or another."""
        expected = self.expected(made)
        good = token[1].binding == made.binding and self.spent.get(token[0], made.key) == made.key
        claim = self.ledger.effects.claim(made, Permit(token[0], BOB))
        assert isinstance(claim, Denied if expected is Granted and not good else expected)
        if isinstance(claim, Granted):
            assert self.spent.setdefault(token[0], made.key) == made.key
        self.note(made, claim)

    @rule(token=tokens)
    def reject(self, token: tuple[str, Effect]) -> None:
        """Use a token for a decision that dispatches nothing."""
        self.ledger.approvals.spend(token[0], token[1].binding, decision="reject", by=BOB)
        self.spent.setdefault(token[0], "rejected")

    @rule(made=EFFECTS, attempt=st.integers(1, 4), status=STATUSES)
    def settle(self, made: Effect, attempt: int, status: Any) -> None:
        """Put down how an attempt ended, the newest or another."""
        before, newest, call = self.known.get(made.key, ("", 0, ""))
        takes = before in {"pending", "unknown"} and newest == attempt
        same = before == status and newest == attempt and made.key not in self.resolved
        assert self.ledger.effects.settle(made.key, self.fence(made, attempt), status, {}) is (takes or same)
        if takes:
            self.abandoned.discard(made.key)
            self.known[made.key] = (status, newest, call)

    @rule(made=EFFECTS, attempt=st.integers(1, 4))
    def release(self, made: Effect, attempt: int) -> None:
        """Give back an attempt, the newest or another."""
        before, newest, call = self.known.get(made.key, ("", 0, ""))
        self.ledger.effects.release(made.key, self.fence(made, attempt))
        if newest == attempt and (before == "pending" or made.key in self.abandoned):
            self.abandoned.discard(made.key)
            self.known[made.key] = ("released", newest, call)

    @rule(made=EFFECTS, attempt=st.integers(1, 4))
    def reopen(self, made: Effect, attempt: int) -> None:
        """Claim anew what its target knows nothing of."""
        before, newest, _ = self.known.get(made.key, ("", 0, ""))
        expected = self.expected(made)
        claim = self.ledger.effects.reopen(made, self.fence(made, attempt))
        if (before, newest) == ("unknown", attempt):
            assert isinstance(claim, Granted)
        else:
            assert isinstance(claim, Denied if expected is Granted and made.held else expected)
        self.note(made, claim)

    @rule(made=EFFECTS, status=st.sampled_from(["committed", "failed"]))
    def resolve(self, made: Effect, status: Any) -> None:
        """Let a person say how an effect ended."""
        before, newest, call = self.known.get(made.key, ("", 0, ""))
        assert self.ledger.effects.resolve(made.key, status, {}, BOB) is (before == "unknown")
        if before == "unknown":
            self.abandoned.discard(made.key)
            self.known[made.key] = (status, newest, call)
            self.resolved.add(made.key)

    @rule()
    def prune(self) -> None:
        """Let go of what is over."""
        open_ = any(status in {"pending", "unknown"} for status, *_ in self.known.values())
        self.ledger.prune(older_than=-1)
        gone = [key for key, (status, *_) in self.known.items() if status in {"committed", "failed", "released"}]
        self.known = {key: row for key, row in self.known.items() if key not in gone}
        self.pruned += [(key, fence) for (key, _), fence in self.fences.items() if key in gone]
        self.fences = {place: fence for place, fence in self.fences.items() if place[0] not in gone}
        if not open_:
            self.spent = dict.fromkeys(self.spent, "pruned")

    @precondition(lambda self: self.pruned)
    @rule(number=st.integers(0, 99), status=STATUSES)
    def end_late(self, number: int, status: Any) -> None:
        """Let an attempt end that the ledger has forgotten: whatever was claimed since is another one."""
        key, fence = self.pruned[number % len(self.pruned)]
        self.ledger.effects.release(key, fence)
        assert not self.ledger.effects.settle(key, fence, status, {})

    @precondition(lambda self: any(status == "pending" for status, *_ in self.known.values()))
    @rule()
    def lose(self) -> None:
        """Let everybody who runs something be gone."""
        give_away(self.ledger, until=0)
        self.abandoned |= {key for key, (status, *_) in self.known.items() if status == "pending"}
        for key, (status, attempt, call) in self.known.items():
            self.known[key] = ("unknown" if status == "pending" else status, attempt, call)

    @invariant()
    def the_book_agrees(self) -> None:
        """What is found is what was put down."""
        found = self.ledger.effects.find(self.known)
        told = {key: "pending" if isinstance(known, Running) else known.status for key, known in found.items()}
        assert told == {key: status for key, (status, *_) in self.known.items() if status != "released"}
        unknown = {row["key"] for row in self.ledger.effects.unknown()}
        assert unknown == {key for key, (status, *_) in self.known.items() if status == "unknown"}


TestBook = Book.TestCase
TestBook.settings = settings(max_examples=60, stateful_step_count=30, deadline=None, phases=[Phase.generate])
