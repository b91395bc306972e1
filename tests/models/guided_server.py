"""A server on this computer that masks what its model writes, in the ways of real ones.

Its model has drafts for every reply, the likeliest first; the server lets it write the first one that the mask of the
request allows. It may also take no notice of masks, or refuse them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import jsonschema_rs

from tests.models.serving import serving


Manner = Literal["masks", "ignores", "refuses", "refuses schemas", "is broken"]
Draft = dict[str, Any] | str
"""A call as `{"name", "arguments"}`, an answer as text, or a whole choice of a response with its `message`."""
MASKS = {"response_format", "structured_outputs", "json_schema", "ebnf", "grammar"}


class Server(ThreadingHTTPServer):
    """Plays drafts and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, manner: Manner) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.manner = manner
        self.drafts: list[Sequence[Draft]] = []
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """What a client is pointed to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def prompt(self, number: int = -1) -> str:
        """Return all text of a request."""
        return "\n".join(str(message["content"]) for message in self.requests[number]["messages"])

    def fault(self, body: dict[str, Any]) -> str:
        """Say why a request is refused."""
        if self.manner == "is broken":
            return "the request is broken"
        masked = sorted(MASKS & body.keys()) or (["strict"] if strict_tools(body) else [])
        if self.manner == "refuses" and masked:
            return f"Extra inputs are not permitted: {masked[0]}"
        if "grammar" in body and "tools" in body:
            return "Cannot use custom grammar constraints with tools."
        for name, schema in strict_tools(body).items():
            choosy = self.manner == "refuses schemas" and "unit" in schema["properties"]
            why = strict_fault(schema) or ("no choices" if choosy else "")
            if why:
                return f"Invalid schema for function '{name}': {why}"
        return ""

    def choices(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Let the model write."""
        with self.lock:
            drafts = self.drafts.pop(0)
        count = body.get("n", 1)
        heard = {**body, "tools": []} if self.manner == "ignores" and "tools" in body else body
        written = [written_as(draft, heard) for draft in drafts]
        allowed = [one for one in written if one is not None and (self.manner == "ignores" or allows(body, one))]
        return [{"index": at, **allowed[min(at, len(allowed) - 1)]} for at in range(count)]


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions, whole or as a stream."""

    server: Server

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(body)
        if fault := self.server.fault(body):
            self.send(400, "application/json", json.dumps({"error": {"message": fault}}))
            return
        choices = self.server.choices(body)
        if body.get("stream"):
            self.send(200, "text/event-stream", streamed(choices[0]))
            return
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, "usage": usage}
        self.send(200, "application/json", json.dumps(whole))

    def send(self, status: int, kind: str, text: str) -> None:
        """Send a response."""
        payload = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def strict_tools(body: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of strict tools by name."""
    functions = [tool["function"] for tool in body.get("tools", ())]
    return {one["name"]: one["parameters"] for one in functions if one.get("strict")}


def strict_fault(schema: Any) -> str:
    """Say what OpenAI objects to in the schema of a strict tool."""
    if isinstance(schema, list):
        return next(filter(None, map(strict_fault, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if extra := schema.keys() - {
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "description",
    }:
        return f"{sorted(extra)} is not permitted"
    if not schema.keys() & {"type", "anyOf"}:
        return "schema must have a 'type' key"
    fields = schema.get("properties", {})
    if "properties" in schema and schema.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false"
    if set(schema.get("required", ())) != set(fields):
        return "'required' is required to be supplied and to include every key in properties"
    return strict_fault([*fields.values(), *schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])])


def written_as(draft: Draft, body: dict[str, Any]) -> dict[str, Any] | None:
    """Write a draft down as a model does that is asked like this; `None` for a call of a tool it isn't told of."""
    if isinstance(draft, dict) and "message" in draft:
        return draft
    objects = "Each reply is one JSON object" in str(body["messages"][0]["content"]) and (
        '{"answer"' in body["messages"][0]["content"]
    )
    if isinstance(draft, str):
        return said(json.dumps({"answer": draft}) if objects else draft)
    if "tools" not in body:
        return said(json.dumps(draft))
    strict = strict_tools(body)
    arguments = draft["arguments"]
    if isinstance(arguments, dict) and draft["name"] in strict:
        arguments = {**dict.fromkeys(strict[draft["name"]]["properties"]), **arguments}
    return called(draft["name"], arguments if isinstance(arguments, str) else json.dumps(arguments))


def said(text: str, finish: str = "stop") -> dict[str, Any]:
    """Make a choice of a text."""
    return {"finish_reason": finish, "message": {"role": "assistant", "content": text}}


def called(name: str, arguments: str, finish: str = "tool_calls") -> dict[str, Any]:
    """Make a choice of a native call."""
    call = {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"finish_reason": finish, "message": {"role": "assistant", "content": None, "tool_calls": [call]}}


def allows(body: dict[str, Any], choice: dict[str, Any]) -> bool:
    """Tell whether the mask of a request allows a reply."""
    message = choice["message"]
    if choice["finish_reason"] == "length" or "refusal" in message:
        return True
    if calls := message.get("tool_calls"):
        functions = [call["function"] for call in calls]
        offered = {tool["function"]["name"] for tool in body["tools"]}
        strict = strict_tools(body)
        return not strict or all(
            one["name"] in offered
            and (one["name"] not in strict or jsonschema_rs.is_valid(strict[one["name"]], json.loads(one["arguments"])))
            for one in functions
        )
    schema, grammar = mask_in(body)
    if schema is not None:
        return jsonschema_rs.is_valid(schema, json.loads(message["content"]))
    return grammar is None or accepts(grammar, message["content"])


def mask_in(body: dict[str, Any]) -> tuple[Any, str | None]:
    """Return the schema or the grammar that a request brings."""
    structured = body.get("structured_outputs", {})
    formatted = body.get("response_format", {}).get("json_schema", {}).get("schema")
    schema = formatted or structured.get("json") or body.get("json_schema")
    return schema, structured.get("grammar") or body.get("ebnf") or body.get("grammar")


def accepts(grammar: str, text: str) -> bool:
    """Tell whether a grammar derives a text, by the parser that vLLM and SGLang can use."""
    import llguidance  # noqa: PLC0415  # optional
    from llguidance.gbnf_to_lark import gbnf_to_lark  # noqa: PLC0415

    compiled = llguidance.LLMatcher.grammar_from_lark(gbnf_to_lark(grammar))
    matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), compiled)
    assert not matcher.is_error(), matcher.get_error()
    written = list(text.encode())
    return matcher.try_consume_tokens(written) == len(written) and matcher.is_accepting()


def streamed(choice: dict[str, Any]) -> str:
    """Write a choice as a stream of pieces."""
    text = choice["message"]["content"] or ""
    deltas: list[dict[str, Any]] = [{"content": text[at : at + 5]} for at in range(0, len(text), 5)]
    finishes = [*([None] * len(deltas)), choice["finish_reason"]]
    chunks = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        for delta, finish in zip([*deltas, {}], finishes, strict=True)
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


@contextmanager
def running(manner: Manner) -> Iterator[Server]:
    """Run a server; after it, every draft must have been played."""
    with serving(Server(manner)) as server:
        yield server
    assert server.drafts == []
