"""When a failed call is tried again, and after which wait."""

from __future__ import annotations

import pytest

from reinforced_agent.tools.errors import BROKEN_OFF, CUT_OFF, NEVER_REACHED, NEVER_SENT, Diagnosis
from reinforced_agent.tools.retrying import next_wait
from reinforced_agent.tools.spec import Risk, ToolSpec


READ = ToolSpec(name="find", description="Find.", parameters={"type": "object"}, risk=Risk.READ)


def wait(
    spec: ToolSpec = READ,
    diagnosis: Diagnosis = BROKEN_OFF,
    *,
    failed: int = 1,
    attempts: int = 99,
    left: float = 60,
    luck: float = 1,
) -> float | None:
    """Plan the next attempt."""
    return next_wait(spec, diagnosis, failed=failed, attempts=attempts, left=left, random=lambda: luck)


@pytest.mark.parametrize(
    ("risk", "idempotent", "again"),
    [
        pytest.param("read", False, True, id="read"),
        pytest.param("write", False, False, id="write"),
        pytest.param("destructive", False, False, id="destructive"),
        pytest.param("write", True, True, id="idempotent-write"),
        pytest.param("destructive", True, True, id="idempotent-destructive"),
    ],
)
@pytest.mark.parametrize("diagnosis", [BROKEN_OFF, NEVER_REACHED], ids=["broken-off", "never-reached"])
def test_only_what_may_run_twice_is_tried_again(
    risk: str,
    idempotent: bool,  # noqa: FBT001  # a column of the table
    again: bool,  # noqa: FBT001  # a column of the table
    diagnosis: Diagnosis,
) -> None:
    """Reads and idempotent tools are tried again; other writes never."""
    spec = READ.declare(risk=Risk(risk), idempotent=idempotent)
    assert (wait(spec, diagnosis) is not None) is again


@pytest.mark.parametrize("diagnosis", [NEVER_SENT, CUT_OFF], ids=["permanent", "cut-off"])
def test_what_does_not_pass_is_not_tried_again(diagnosis: Diagnosis) -> None:
    """A permanent failure stays one."""
    assert wait(diagnosis=diagnosis) is None


@pytest.mark.parametrize(
    ("failed", "longest"), [(1, 0.2), (2, 0.4), (3, 0.8), (5, 3.2), (6, 5), (7, 5), (5_000, 5)], ids=str
)
def test_waits_double_up_to_a_bound(failed: int, longest: float) -> None:
    """The bound of the wait doubles; the wait is anything between nothing and the bound."""
    assert wait(failed=failed, attempts=10_000) == pytest.approx(longest)
    assert wait(failed=failed, attempts=10_000, luck=0.25) == pytest.approx(longest / 4)
    assert wait(failed=failed, attempts=10_000, luck=0) == 0


@pytest.mark.parametrize(
    ("failed", "attempts", "again"),
    [(1, 1, False), (1, 2, True), (2, 2, False), (2, 3, True), (3, 3, False), (1, 0, False)],
)
def test_attempts_are_counted_with_the_first_one(failed: int, attempts: int, again: bool) -> None:  # noqa: FBT001  # a column
    """After as many failures as attempts are allowed there is no other."""
    assert (wait(failed=failed, attempts=attempts) is not None) is again


@pytest.mark.parametrize(
    ("left", "again"), [(0.21, True), (0.2, False), (0, False), (-1, False), (float("nan"), False)], ids=str
)
def test_no_wait_outlasts_the_call(left: float, again: bool) -> None:  # noqa: FBT001  # a column
    """When the wait takes all the time that is left, there is nothing to wait for."""
    assert (wait(left=left) is not None) is again


@pytest.mark.parametrize(
    ("asked", "planned"),
    [
        pytest.param(7, 7, id="asked"),
        pytest.param(0, 0.2, id="at-once"),
        pytest.param(30, 30, id="longest"),
        pytest.param(31, None, id="too-long"),
    ],
)
def test_what_the_server_asks_for_is_kept(asked: float, planned: float | None) -> None:
    """No attempt comes before the time that the server named; when that is too far off, none comes."""
    assert wait(diagnosis=Diagnosis(transient=True, conclusive=True, retry_after=asked)) == planned
