"""A process of its own that does to a ledger what it is told, one line of JSON at a time."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from typing import Any

from reinforced_agent.ledger import Ledger, LedgerError, RunHeldError
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect, Granted, Permit


def act(ledger: Ledger, stack: ExitStack, order: dict[str, Any]) -> Any:
    """Do one thing, and return what came of it."""
    match order["do"]:
        case "open":
            return bool(ledger.runs)
        case "claim":
            bindings = [Binding(**{**order["binding"], "turn": turn}) for turn in order["turns"]]
            permit = Permit(order["token"], {"id": "bob"}) if order.get("token") else None
            claims = [ledger.effects.claim(Effect(binding=binding), permit) for binding in bindings]
            return [type(claim).__name__ for claim in claims]
        case "write":
            for turn in order["turns"]:
                effect = Effect(binding=Binding(**{**order["binding"], "turn": turn}))
                claim = ledger.effects.claim(effect)
                if isinstance(claim, Granted):
                    ledger.effects.settle(effect.key, claim.fence, "committed", {"turn": turn})
            return "written"
        case "hold":
            stack.enter_context(ledger.runs.holding(order["thread"]))
            return "held"
        case other:
            return f"unknown order {other!r}"


def main() -> None:
    """Take orders until there are no more."""
    ledger = Ledger(sys.argv[1], lease=float(sys.argv[2]))
    with ExitStack() as stack:
        print("ready", flush=True)  # noqa: T201
        for line in sys.stdin:
            try:
                answer = act(ledger, stack, json.loads(line))
            except (LedgerError, RunHeldError) as error:
                answer = f"{type(error).__name__}: {error}"
            print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
