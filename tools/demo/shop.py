"""A small shop over SQLite with sample orders, and a nightly snapshot that serves when the database is down."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from reinforced_agent.tools.fallbacks import Alternative
from reinforced_agent.tools.spec import Example, Risk, ToolSpec
from reinforced_agent.tools.toolset import tool


Status = Literal["open", "shipped", "delivered", "cancelled"]

_COLUMNS = ("order_id", "customer", "item", "quantity", "total_eur", "status", "ordered_on")
_ORDERS = (
    ("A-1001", "Harbour Cafe", "coffee beans 1 kg", 12, 198.0, "delivered", "2026-09-02"),
    ("A-1002", "North Bakery", "flour 25 kg", 4, 92.0, "delivered", "2026-09-05"),
    ("A-1003", "Hill School", "chalk box", 30, 75.0, "shipped", "2026-10-11"),
    ("A-1004", "Harbour Cafe", "paper cups 1000", 5, 140.0, "shipped", "2026-10-19"),
    ("A-1005", "Green Florist", "vase large", 6, 114.0, "open", "2026-11-03"),
    ("A-1006", "City Library", "book cart", 2, 430.0, "cancelled", "2026-11-04"),
    ("A-1007", "North Bakery", "butter 10 kg", 3, 171.0, "open", "2026-11-12"),
    ("A-1008", "Hill School", "projector lamp", 1, 89.0, "open", "2026-11-15"),
    ("A-1009", "River Hotel", "towels set", 40, 520.0, "shipped", "2026-11-18"),
    ("A-1010", "Green Florist", "ribbon roll", 25, 50.0, "delivered", "2026-08-21"),
    ("A-1011", "River Hotel", "soap 500", 2, 96.0, "open", "2026-11-20"),
    ("A-1012", "City Library", "desk lamp", 8, 232.0, "delivered", "2026-07-30"),
)

OrderId = Annotated[str, Field(pattern=r"^[A-Z]-\d{4}$", description="Number of the order, such as A-1003.")]


@dataclass(frozen=True)
class Shop:
    """The files of the shop."""

    folder: Path

    @property
    def database(self) -> Path:
        """The live database."""
        return self.folder / "shop.sqlite"

    @property
    def snapshot(self) -> Path:
        """The copy of last night."""
        return self.folder / "snapshot.json"

    def open_for_business(self) -> None:
        """Make the database with the sample orders, and its snapshot; what is there already stays."""
        with closing(sqlite3.connect(self.database)) as connection, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS orders (order_id TEXT PRIMARY KEY, customer TEXT, item TEXT, "
                "quantity INTEGER, total_eur REAL, status TEXT, ordered_on TEXT)"
            )
            connection.executemany("INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", _ORDERS)
        orders = [dict(zip(_COLUMNS, row, strict=True)) for row in _ORDERS]
        self.snapshot.write_text(json.dumps(orders, indent=1), encoding="utf-8")

    def close_down(self) -> None:
        """Take the live database away, as an outage does."""
        self.database.unlink(missing_ok=True)

    def select(self, where: str, values: tuple[object, ...]) -> list[dict[str, Any]]:
        """Read orders from the live database.

        Raises:
            sqlite3.OperationalError: When the database is down.

        """
        address = f"{self.database.resolve().as_uri()}?mode=ro"
        query = f"SELECT {', '.join(_COLUMNS)} FROM orders WHERE {where} ORDER BY order_id"  # noqa: S608  # fixed text
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return [dict(zip(_COLUMNS, row, strict=True)) for row in connection.execute(query, values)]


def shop_tools(shop: Shop) -> list[ToolSpec]:
    """Make the tools of a shop: two the model may call, and one that stands in for the first."""
    return [_get_order(shop), _search_orders(shop), _get_order_from_snapshot(shop)]


def _get_order(shop: Shop) -> ToolSpec:
    """Make the look-up of one order."""

    @tool(
        risk=Risk.READ,
        fallbacks=(Alternative("get_order_from_snapshot"),),
        examples=(
            Example("Where is my order A-1017?", {"order_id": "A-1017"}),
            Example("Show me the details of order A-1052", {"order_id": "A-1052"}),
            Example("Has A-1044 been sent yet?", {"order_id": "A-1044"}),
        ),
    )
    def get_order(order_id: OrderId) -> dict[str, Any]:
        """Look up one order by its number."""
        return _the_one(shop.select("order_id = ?", (order_id,)), order_id)

    return get_order


def _search_orders(shop: Shop) -> ToolSpec:
    """Make the search over orders."""

    @tool(
        risk=Risk.READ,
        examples=(
            Example("List all open orders", {"status": "open"}),
            Example("Which orders did Corner Books place?", {"customer": "Corner Books"}),
            Example("Show the delivered orders of Mill Theatre", {"customer": "Mill Theatre", "status": "delivered"}),
        ),
    )
    def search_orders(
        customer: Annotated[str | None, Field(max_length=60)] = None, status: Status | None = None
    ) -> dict[str, Any]:
        """List orders of the sample shop by customer, by status, or both.

        Args:
            customer: Name of the customer, or a part of it.
            status: Where the order stands.

        """
        found = shop.select(
            "(? IS NULL OR instr(lower(customer), lower(?))) AND (? IS NULL OR status = ?)",
            (customer, customer, status, status),
        )
        return {"count": len(found), "orders": found}

    return search_orders


def _get_order_from_snapshot(shop: Shop) -> ToolSpec:
    """Make the stand-in for the look-up, which knows the state of last night."""

    @tool(risk=Risk.READ, offered=False)
    def get_order_from_snapshot(order_id: OrderId) -> dict[str, Any]:
        """Look up one order in the snapshot of last night."""
        orders = json.loads(shop.snapshot.read_text(encoding="utf-8"))
        found = [order for order in orders if order["order_id"] == order_id]
        return {**_the_one(found, order_id), "as_of": "last night's snapshot"}

    return get_order_from_snapshot


def _the_one(found: list[dict[str, Any]], order_id: str) -> dict[str, Any]:
    """Return the only order found.

    Raises:
        LookupError: When there is none.

    """
    if not found:
        msg = f"there is no order {order_id}; the numbers run from {_ORDERS[0][0]} to {_ORDERS[-1][0]}."
        raise LookupError(msg)
    return found[0]
