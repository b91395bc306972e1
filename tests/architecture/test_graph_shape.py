"""The graph has the planned nodes, no loose ends, and is drawn the same everywhere."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from langgraph.graph import END, START
from langgraph.types import Send

from reinforced_agent.graph import routes
from reinforced_agent.graph.agent import Agent
from reinforced_agent.service.studio import build_once
from tests.architecture.house import ROOT


NODES = {"plan", "propose", "check", "approve", "execute", "inspect", "fall_back", "answer"}

ROUTES = dict(inspect.getmembers(routes, lambda it: inspect.isfunction(it) and it.__module__ == routes.__name__))
"""The functions that `graph.routes` defines, by name."""


def reasons(route: Callable[..., Any]) -> set[str] | None:
    """Read the reasons a route may give from its annotation: a `Literal`, alone or beside a list of sends."""
    hint = get_type_hints(route).get("return")
    parts = (hint,) if get_origin(hint) is Literal else get_args(hint)
    others = [part for part in parts if get_origin(part) is not Literal]
    if not parts or len(others) == len(parts) or any(part != list[Send] for part in others):
        return None
    return {reason for part in parts if get_origin(part) is Literal for reason in get_args(part)}


def sends(route: Callable[..., Any]) -> bool:
    """Tell whether a route may fan out."""
    return list[Send] in get_args(get_type_hints(route).get("return"))


def unbound(route: Callable[..., Any]) -> Callable[..., Any]:
    """Strip a route of what was bound to it when the graph was built."""
    return unbound(route.func) if isinstance(route, partial) else route


def branches() -> list[tuple[str, Any]]:
    """List the conditional edges with the nodes they leave."""
    builder = graph().builder
    return [(source, branch) for source, found in builder.branches.items() for branch in found.values()]


@cache
def graph() -> Agent:
    """Build the graph once; it is only looked at."""
    return build_once()


def drawing() -> str:
    """Draw the graph."""
    return graph().get_graph().draw_mermaid().strip()


def test_the_nodes_are_the_planned_ones() -> None:
    """Each workshop is there under the name of its file, and no other node."""
    assert set(graph().builder.nodes) == NODES
    assert all((ROOT / "nodes" / f"{name}.py").is_file() for name in NODES)


def test_every_node_is_reached() -> None:
    """From the start, edges lead to every node and to the end."""
    edges = graph().get_graph().edges
    reached, before = {START}, set[str]()
    while reached != before:
        before = set(reached)
        reached |= {edge.target for edge in edges if edge.source in before}
    assert reached == {START, END, *NODES}


def test_every_node_has_a_way_out() -> None:
    """Each node has a declared edge; the drawing alone would hide a missing one."""
    builder = graph().builder
    sources = {source for source, _ in builder.edges} | set(builder.branches)
    sources |= {source for group, _ in builder.waiting_edges for source in group}
    assert sources == {START, *NODES}


@pytest.mark.parametrize("name", [name for name in ROUTES if name.startswith("route_")])
def test_every_route_lists_its_reasons(name: str) -> None:
    """A route returns one of the reasons its annotation lists, or sends."""
    assert reasons(ROUTES[name])


def test_every_branch_is_a_route_whose_reasons_are_all_mapped() -> None:
    """Each conditional edge maps exactly the reasons of its route, none of them named like its target."""
    assert branches()
    for source, branch in branches():
        route = unbound(branch.path.func or branch.path.afunc)
        assert ROUTES.get(route.__name__) is route, f"{source}: {route!r} is not from graph/routes.py"
        listed, mapped = reasons(route) or set(), set(branch.ends)
        assert listed <= mapped, f"{source}: {listed - mapped} of {route.__name__} lead nowhere"
        assert listed == mapped or sends(route), f"{source}: {route.__name__} never gives {mapped - listed}"
        assert not [reason for reason, target in branch.ends.items() if reason == target], f"{source} loses a label"


def test_the_drawing_is_the_one_on_file() -> None:
    """`docs/graph.mmd` shows the graph as it is; `reinforced-agent graph > docs/graph.mmd` renews it."""
    assert (ROOT / "docs" / "graph.mmd").read_text(encoding="utf-8").strip() == drawing()


@pytest.mark.parametrize("path", sorted(ROOT.glob("README*.md")), ids=lambda path: path.name)
def test_every_readme_shows_the_drawing(path: Path) -> None:
    """The first drawing of a README is the graph as it is."""
    blocks = re.findall(r"```mermaid\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks[:1] == [f"{drawing()}\n"]


def test_the_studio_file_leads_to_the_graph() -> None:
    """What `langgraph.json` names can be imported and is a graph without a checkpointer, which the server brings."""
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    module, _, factory = config["graphs"]["agent"]["path"].partition(":")
    graph = asyncio.run(getattr(import_module(module), factory)())
    assert set(graph.builder.nodes) == NODES
    assert graph.checkpointer is None
