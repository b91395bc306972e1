"""What is wrong with a call that can't be read, and what to do about it, in English."""

from __future__ import annotations


_NOT_JSON = "The arguments are not valid JSON"
_AT = "at line {line}, column {column}"
_NOTHING = "Nothing was executed."

TEXTS: dict[str, tuple[str, str]] = {
    # Cut off
    "cut_off_limit": (
        "The call was cut off by the output limit, so it was NOT executed.",
        "Send less in one call: shorten the content, or split it over several smaller calls.",
    ),
    "cut_off_text": (
        "The call is cut off: its text ends before it is closed, probably at the output limit. It was NOT executed.",
        "Send the whole call again; if it is long, shorten it or split it over several smaller calls.",
    ),
    "cut_off_stop": (
        "The output was stopped before it was complete, so the call was NOT executed.",
        "Send the whole call again, or answer without it.",
    ),
    "silent_cut": (
        "The output limit was reached before there was an answer or a call.",
        "Think less and come to the call or the answer sooner.",
    ),
    "silent_stop": (
        "The output was stopped before there was an answer or a call.",
        "Put the answer in other words, or say that you can't answer.",
    ),
    # What the arguments are
    "arguments_not_object": (
        "The arguments are of JSON type {found}, not an object.",
        "Send one JSON object with the parameters as its keys, or {{}} if there are none.",
    ),
    "several_objects": (
        "Different argument objects arrived in one call; it is not clear which one is meant.",
        "Send one object per call; several calls are fine.",
    ),
    "too_large": (
        "The arguments are longer than {limit} characters.",
        "Send less in one call, or split it over several calls.",
    ),
    "not_json_value": (
        "The arguments hold a value that JSON can't express.",
        "Use only text, numbers, true, false, null, arrays and objects.",
    ),
    # Where the text stops being JSON
    "json_value_expected": (
        f"{_NOT_JSON}: a value is expected {_AT}.",
        "Write plain values: text in double quotes, numbers, true, false, null, arrays or objects; no expressions.",
    ),
    "json_key_expected": (
        f"{_NOT_JSON}: a key is expected {_AT}.",
        "Put every key in double quotes, and no comma after the last one.",
    ),
    "json_colon_expected": (f"{_NOT_JSON}: a colon is expected {_AT}.", "Put a colon between each key and its value."),
    "json_comma_expected": (
        f"{_NOT_JSON}: a comma or the closing bracket is expected {_AT}.",
        'Put commas between the fields, and write a double quote inside a text as \\".',
    ),
    "json_trailing_text": (
        f"{_NOT_JSON}: {_AT} something follows the end of the object.",
        "Send the object alone, with nothing after its closing bracket.",
    ),
    "json_surrounded": (
        f"{_NOT_JSON}: there is text or a fence around the object.",
        "Send only the JSON object, without text or fences around it.",
    ),
    "json_bad_escape": (
        f"{_NOT_JSON}: there is an unknown escape {_AT}.",
        "Write a backslash inside a text as \\\\.",
    ),
    "json_invalid": (f"{_NOT_JSON}; the fault is {_AT}.", "Send one plain JSON object."),
    # Values that are JSON in form only
    "duplicate_key": ("Key `{field}` occurs twice.", "Send `{field}` once, with the value that is meant."),
    "lookalike_key": (
        "Key `{field}` occurs twice, written with different characters that look the same.",
        "Send `{field}` once, with the value that is meant.",
    ),
    "not_finite_number": (
        "`{field}` is not a finite number; JSON has no NaN and no Infinity.",
        "Give a finite number.",
    ),
    "integer_too_long": (
        "`{field}` is out of range: the number doesn't fit 64 bits.",
        "Give a smaller number, or send an identifier as text in quotes.",
    ),
    "lone_surrogate": (
        "`{field}` holds half of a character (a single surrogate escape).",
        "Write the character itself instead of \\u escapes.",
    ),
    "nested_too_deep": (
        "The arguments are nested too deep, more than {limit} levels.",
        "Send a flatter object.",
    ),
    # Names and wrappers
    "unusable_name": ("The call does not name a tool.", "Send the call again with the name of one of the tools."),
    "broken_bundle": (
        "The bundle of parallel calls can't be read; none of them was executed.",
        "Send each call as a tool call of its own.",
    ),
    "provider_malformed_call": (
        f"The call could not be read by the model's server. {_NOTHING}",
        "Send it again as a structured tool call: the name of one tool and one JSON object of arguments.",
    ),
    # Calls written as text
    "leaked_beside_text": (
        f"The message holds a tool call written as text among other text. {_NOTHING}",
        "Send the call as a structured tool call; if you meant to answer, do so in plain words without call markup.",
    ),
    "leaked_unreadable": (
        f"The message holds a tool call written as text that can't be read. {_NOTHING}",
        "Send it as a structured tool call, with one JSON object of arguments.",
    ),
    "leaked_beside_arguments": (
        f"A call of `{{name}}` is written as text, with {{fields}} beside `{{key}}`. {_NOTHING}",
        "Put every parameter inside `{key}`, and send it as a structured tool call.",
    ),
    "leaked_unknown_tool": (
        f"The message holds a tool call written as text, and no tool of that name exists. {_NOTHING}",
        "Send a structured tool call with the name of one of the tools.",
    ),
    "leaked_unknown_tool_near": (
        f"The message holds a tool call written as text, and no tool of that name exists. {_NOTHING}",
        "Send a structured tool call; the names nearest to it are {near}.",
    ),
    "invented_observation": (
        "The message goes on with an invented observation, which was discarded. The call before it was NOT executed.",
        "Send the call as a structured tool call and wait for its result.",
    ),
    "call_in_reasoning": (
        "There is a tool call in the reasoning only, where calls are not executed, and no answer.",
        "If it is meant, send it as a structured tool call after the reasoning; else answer.",
    ),
    # Nothing at all
    "silent": ("The message is empty: no answer and no tool call.", "Answer the user, or send a structured tool call."),
    "lost_call": (
        f"The message ended as a tool call, but no call arrived. {_NOTHING}",
        "Send the call again as a structured tool call, or answer without one.",
    ),
    "too_large_message": (
        "The message is longer than {limit} characters and was not read.",
        "Answer in fewer words, or send less in one call.",
    ),
}
