"""Typical weather from a small table of sample climate data: plausible figures, not measurements."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812  # the parameter is called `date`
from typing import Annotated

from pydantic import AfterValidator, Field
from rapidfuzz import process

from reinforced_agent.tools.spec import Example, Risk
from reinforced_agent.tools.toolset import tool


_CLIMATE: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "Amsterdam": ((6, 1), (22, 13)),
    "Athens": ((13, 7), (34, 23)),
    "Bergen": ((4, 0), (18, 11)),
    "Berlin": ((3, -2), (25, 14)),
    "Cairo": ((19, 9), (35, 22)),
    "Dublin": ((8, 2), (19, 11)),
    "Helsinki": ((-1, -6), (22, 13)),
    "Istanbul": ((9, 4), (29, 20)),
    "Lisbon": ((15, 8), (28, 18)),
    "London": ((8, 3), (23, 14)),
    "Madrid": ((10, 3), (33, 19)),
    "Munich": ((3, -3), (24, 13)),
    "New York": ((4, -3), (29, 20)),
    "Oslo": ((-1, -6), (22, 12)),
    "Paris": ((7, 3), (25, 15)),
    "Prague": ((2, -3), (25, 14)),
    "Rome": ((12, 3), (31, 19)),
    "Stockholm": ((0, -4), (22, 13)),
    "Tokyo": ((10, 2), (30, 23)),
    "Vienna": ((4, -2), (27, 16)),
    "Zurich": ((3, -2), (24, 14)),
}
"""Degrees Celsius by city: (January high, low), (July high, low)."""

_NEAR = 60
"""Likeness from 0 to 100 below which no name is suggested."""

_SHARE = (0.0, 0.08, 0.27, 0.5, 0.72, 0.9, 1.0, 0.96, 0.75, 0.48, 0.22, 0.05)
"""How far each month lies on the way from January to July."""


def _station(city: str) -> str:
    """Find the station of a city.

    Raises:
        ValueError: With the nearest names, when the city has none.

    """
    by_fold = {name.casefold(): name for name in _CLIMATE}
    if station := by_fold.get(city.strip().casefold()):
        return station
    alike = process.extract(city, list(_CLIMATE), limit=3, score_cutoff=_NEAR)
    names = ", ".join(f"`{name}`" for name, *_ in alike)
    near = f"the nearest names are {names}" if names else "where no city with a station is meant, tell the user"
    msg = f"there is no weather station in {city[:40]!r}; {near}."
    raise ValueError(msg)


City = Annotated[str, AfterValidator(_station), Field(min_length=1, max_length=60)]


@tool(
    risk=Risk.READ,
    examples=(
        Example("What will the weather be like in Lisbon on 2026-03-14?", {"city": "Lisbon", "date": "2026-03-14"}),
        Example("Do I need a coat in Vienna on 9 February 2026?", {"city": "Vienna", "date": "2026-02-09"}),
        Example("How hot does Cairo get on July 21st, 2026?", {"city": "Cairo", "date": "2026-07-21"}),
    ),
)
def get_weather(city: City, date: Date) -> dict[str, object]:
    """Tell the typical weather of a city on a date, from sample climate data.

    Args:
        city: Name of a city with a station, such as Oslo.
        date: The day, as YYYY-MM-DD.

    """
    winter, summer = _CLIMATE[city]
    share = _SHARE[date.month - 1]
    high, low = (round(cold + (warm - cold) * share) for cold, warm in zip(winter, summer, strict=True))
    return {"city": city, "date": date.isoformat(), "high_c": high, "low_c": low, "source": "sample climate data"}
