"""What the user reads about tools that kept a request from its end, and what to do then, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.messages.durations import duration


Kind: TypeAlias = Literal["denied", "mistaken", "paused", "down", "hung", "busy", "failing", "unusable"]
"""denied: it may not do what is asked. mistaken: it was called with what it can't find or take. paused: an operator has
stopped it. down: its breaker is
open. hung: it gave no answer in time. busy: it was called too often. failing: it raised, for whatever other reason.
unusable: what it returned can't be used."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is the matter with a tool, as data."""

    tool: str
    kind: Kind
    seconds: float | None = None
    """How long an answer was waited for; of one that is down or busy, until it may be back. `None` = not known."""
    again: bool = False
    """Whether it failed more than once."""


ENGLISH: Final[Mapping[str, str]] = {
    "denied": "`{tool}` was refused access to what it needs.",
    "mistaken": "`{tool}` could do nothing with the values it was called with.",
    "paused": "`{tool}` is paused by the operator of this service.",
    "down": "`{tool}` keeps failing and is left alone for now.",
    "down_for": "`{tool}` keeps failing and is left alone; it may be back in about {time}.",
    "hung": "`{tool}` did not answer in time.",
    "hung_for": "`{tool}` did not answer within {time}.",
    "hung_again": "`{tool}` did not answer in time, each time it was called.",
    "hung_again_for": "`{tool}` did not answer within {time}, each time it was called.",
    "busy": "`{tool}` takes no more calls for now.",
    "busy_for": "`{tool}` takes no more calls for about {time}.",
    "failing": "`{tool}` failed.",
    "failing_again": "`{tool}` keeps failing.",
    "unusable": "`{tool}` returned nothing that can be used.",
    "next_denied": "tell whoever runs this service that `{tool}` is refused access; trying again does not help.",
    "next_mistaken": "check the names and values you gave, and send the request again.",
    "next_later": (
        "send the request again later; if `{tool}` still does not work then, tell whoever runs this service."
    ),
    "next_later_for": (
        "send the request again in about {time}; if `{tool}` still does not work then, tell whoever runs this service."
    ),
    "next_hung": (
        "ask for less at a time, or send the request again later; if `{tool}` still does not answer then, tell "
        "whoever runs this service."
    ),
    "next_done": (
        "ask later, and only for what was not done; what was done has taken effect and must not be done again. If "
        "`{tool}` still does not work then, tell whoever runs this service."
    ),
}

CHINESE: Final[Mapping[str, str]] = {
    "denied": "`{tool}` 无权访问所需的内容。",
    "mistaken": "`{tool}` 无法处理调用时给出的值。",
    "paused": "`{tool}` 已被本服务的管理者暂停使用。",
    "down": "`{tool}` 连续失败，目前暂停使用。",
    "down_for": "`{tool}` 连续失败，暂停使用，可能在约 {time}后恢复。",
    "hung": "`{tool}` 没有及时响应。",
    "hung_for": "`{tool}` 在 {time}内没有响应。",
    "hung_again": "每次调用 `{tool}`，它都没有及时响应。",
    "hung_again_for": "每次调用 `{tool}`，它在 {time}内都没有响应。",
    "busy": "`{tool}` 目前不再接受调用。",
    "busy_for": "`{tool}` 在约 {time}内不再接受调用。",
    "failing": "`{tool}` 执行失败。",
    "failing_again": "`{tool}` 连续失败。",
    "unusable": "`{tool}` 没有返回可用的内容。",
    "next_denied": "请告知本服务的管理者：`{tool}` 无权访问所需的内容；重试无济于事。",
    "next_mistaken": "请检查您给出的名称和值，然后重新发送请求。",
    "next_later": "请稍后重新发送请求；如果届时 `{tool}` 仍不能使用，请告知本服务的管理者。",
    "next_later_for": "请在约 {time}后重新发送请求；如果届时 `{tool}` 仍不能使用，请告知本服务的管理者。",
    "next_hung": ("请减少每次请求的内容，或稍后重新发送请求；如果届时 `{tool}` 仍没有响应，请告知本服务的管理者。"),
    "next_done": (
        "请稍后再试，并且只要求未完成的部分；已完成的内容已经生效，请勿重复。"
        "如果届时 `{tool}` 仍不能使用，请告知本服务的管理者。"
    ),
}

_FIRST: Final[tuple[Kind, ...]] = ("denied", "paused", "down", "busy", "hung", "failing", "unusable", "mistaken")
"""Whose next step is told where several tools are in trouble: what only others can change comes first."""
_LATER: Final = frozenset({"down", "busy"})
"""Kinds of which may be known when they pass."""


def tell_troubles(troubles: Sequence[Trouble], locale: str) -> str:
    """Say what is the matter with each tool; unknown languages get English."""
    texts = in_language(locale, ENGLISH, CHINESE)
    gap = "" if texts is CHINESE else " "
    return gap.join(_told(trouble, texts, locale) for trouble in troubles)


def next_step(troubles: Sequence[Trouble], locale: str, *, changed: bool) -> str:
    """Say the one thing to do.

    Args:
        troubles: What is the matter, at least with one tool.
        locale: Language of the user.
        changed: Whether something was done that must not be done again.

    """
    texts, first = in_language(locale, ENGLISH, CHINESE), min(troubles, key=lambda trouble: _FIRST.index(trouble.kind))
    if changed:
        return texts["next_done"].format(tool=first.tool)
    if first.kind in _LATER and first.seconds is not None:
        return texts["next_later_for"].format(tool=first.tool, time=duration(first.seconds, locale))
    own = f"next_{first.kind}"
    return texts[own if own in texts else "next_later"].format(tool=first.tool)


def _told(trouble: Trouble, texts: Mapping[str, str], locale: str) -> str:
    """Say what is the matter with one tool, as far as it is known."""
    code = trouble.kind
    if trouble.again and f"{code}_again" in texts:
        code = f"{code}_again"  # type: ignore[assignment]  # a key of the catalogues
    if trouble.seconds is not None and f"{code}_for" in texts:
        return texts[f"{code}_for"].format(tool=trouble.tool, time=duration(trouble.seconds, locale))
    return texts[code].format(tool=trouble.tool)
