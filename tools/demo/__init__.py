"""Small tools with real behaviour that need no network: for the demo, the notebooks and a first try."""

from __future__ import annotations

from pathlib import Path

from reinforced_agent.tools.demo.calculator import calculate
from reinforced_agent.tools.demo.outbox import email_tool
from reinforced_agent.tools.demo.shop import Shop, shop_tools
from reinforced_agent.tools.demo.weather import get_weather
from reinforced_agent.tools.toolset import Toolset


__all__ = ["Shop", "demo_toolset"]


def demo_toolset(folder: Path) -> Toolset:
    """Make the demo tools over a folder of their own.

    Args:
        folder: Where the shop's database, its snapshot and the outbox are kept; made if it is missing.

    """
    folder.mkdir(parents=True, exist_ok=True)
    shop = Shop(folder)
    shop.open_for_business()
    return Toolset([get_weather, calculate, *shop_tools(shop), email_tool(folder / "outbox.jsonl")])
