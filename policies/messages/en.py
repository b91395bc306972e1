"""English texts of feedback."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.messages.catalogue import Catalogue


_ROUTING: Final = {
    "unknown_tool": (
        "There is no tool `{name}`.",
        "Call one of the tools you were given by its exact name; where none does what is needed, tell the user.",
    ),
    "unknown_tool_near": (
        "There is no tool `{name}`; the nearest: {near}.",
        "Call a tool that does what is needed by its exact name.",
    ),
    "unreadable_tool": ("The tool name can't be read.", "Call one of the tools you were given by its exact name."),
    "unreadable_tool_near": (
        "The tool name can't be read; it is most like {near}.",
        "Call a tool that does what is needed by its exact name.",
    ),
    "ambiguous_tool": ("`{name}` could be any of these tools: {near}.", "Call the one you mean by its exact name."),
    "no_tool_name": ("The call has no tool name.", "Name one of the tools you were given."),
    "parallel_wrapper": (
        "`{name}` is not a tool.",
        "Send each call as a tool call of its own, several in one answer if needed.",
    ),
    "no_tools": ("No tools are available here.", "Answer without calling a tool."),
}

_ADD: Final = "Add it; if nobody has said it, ask the user for it in plain words and don't make it up."
_FIELDS: Final = {
    "unknown_argument_use": ("`{field}` is not a parameter of `{tool}`.", "Use `{target}`."),
    "unknown_argument_twice": (
        "`{field}` is not a parameter of `{tool}`, and {given} is given already.",
        "Leave `{field}` out.",
    ),
    "unknown_argument_near": (
        "`{field}` is not a parameter of `{tool}`; the nearest: {near}.",
        "Use such a name if it is what you mean, else leave `{field}` out.",
    ),
    "unknown_argument": (
        "`{field}` is not a parameter of `{tool}`.",
        "Leave it out; the parameters are {known}.",
    ),
    "unknown_argument_many": ("`{field}` is not a parameter of `{tool}`.", "Leave it out."),
    "unknown_argument_none": (
        "`{field}` is not a parameter of `{tool}`, which takes none.",
        "Leave it out: send {{}}.",
    ),
    "unknown_argument_unprintable": (
        "A field name is not a parameter of `{tool}`.",
        "Use only these parameters: {known}.",
    ),
    "unknown_argument_inside": (
        "`{field}` is not a parameter of `{tool}`.",
        "Leave it out; inside `{place}` there are {known}.",
    ),
    "wrapped_arguments": (
        "`{field}` is not a parameter of `{tool}`.",
        "Send the parameters directly, not inside `{field}`.",
    ),
    "one_of_fields": ("`{field}` needs exactly one of {near}.", "Give exactly one of them."),
    "any_of_fields": ("`{field}` needs at least one of {near}.", "Give at least one of them."),
    "missing_argument": ("`{field}` is missing; it is required and must be {expected}.", _ADD),
    "missing_choice": ("`{field}` is missing; it is required and must be one of {allowed}.", _ADD),
    "null_required": (
        "`{field}` is null, but it is required and must be {expected}.",
        "Give a value; ask the user if you don't know it.",
    ),
    "null_optional": (
        "`{field}` is null, but must be {expected}.",
        "Give a value, or leave it out only if the call is right without it.",
    ),
    "null_default": (
        "`{field}` is null, but must be {expected}.",
        "Leave it out if you mean the default `{default}`, else give a value.",
    ),
    "null_word": (
        "`{field}` is the word `null`, but must be {expected}.",
        "Give a real value, or leave `{field}` out only if the call is right without it.",
    ),
    "null_word_nullable": (
        "`{field}` is the word `null`, but must be {expected}.",
        "Send null without quotes if no value is meant, else give a real one.",
    ),
    "null_word_required": (
        "`{field}` is the word `null`, but it is required and must be {expected}.",
        "Give a real value; ask the user if you don't know it.",
    ),
    "placeholder": ("`{field}` still holds the placeholder of an example.", "Put the real value there."),
    "empty_text": ("`{field}` is an empty text, which is not allowed.", "Leave `{field}` out, or give a real value."),
    "empty_required": (
        "`{field}` is an empty text, but it is required and must be {expected}.",
        "Give a real value; ask the user if you don't know it.",
    ),
    "schema_echoed": (
        "The arguments are the description of the parameters of `{tool}`, not values for them.",
        "Send only the values.",
    ),
    "schema_echoed_none": (
        "The arguments are a description of parameters, but `{tool}` takes no arguments.",
        "Send {{}}.",
    ),
}

_VALUES: Final = {
    "wrong_type": ("`{field}` must be {expected}, but is {got}.", "Change it."),
    "text_for_number": (
        "`{field}` must be {expected}, but is {got}.",
        "Send digits only, without quotes, spaces or separators.",
    ),
    "number_for_text": ("`{field}` must be {expected}, but is {got}.", "Put it in double quotes."),
    "too_wide": (
        "`{field}` must be {expected}, but is {got}, which doesn't fit 64 bits.",
        "Give a smaller number; don't send a longer one as a text.",
    ),
    "too_wide_in_text": (
        "`{field}` must be {expected}, but holds a whole number that doesn't fit 64 bits.",
        "Give smaller numbers, and send the JSON itself, not inside a text.",
    ),
    "inexact_whole": (
        "`{field}` must be {expected}, but is a fraction that is too big to be exact.",
        "Write out all its digits, without a point or an exponent.",
    ),
    "text_for_addresses": (
        "`{field}` must be {expected}, but is {got}.",
        "Send a list with one address in each element.",
    ),
    "text_for_list": (
        "`{field}` must be {expected}, but is {got}.",
        'Send a list with one element for each value, such as ["first", "second"].',
    ),
    "json_in_text": (
        "`{field}` must be {expected}, but is a text that holds JSON which can't be used.",
        "Send the JSON itself, not inside a text.",
    ),
    "not_boolean": ("`{field}` must be true or false, but is {got}.", "Send true or false without quotes."),
    "not_whole": (
        "`{field}` must be a whole number, but is {got}.",
        "Decide on a whole number; it isn't rounded for you.",
    ),
    "not_listed": (
        "`{field}` must be one of {allowed}, but is {got}.",
        "Use one of the allowed values; where none is what the user asked for, tell the user.",
    ),
    "not_listed_near": (
        "`{field}` must be one of {allowed}, but is {got}; the nearest is {near}.",
        "Use one of the allowed values.",
    ),
    "out_of_range": ("`{field}` must be from {low} to {high}, but is {got}.", "Use a value in that range."),
    "too_small": ("`{field}` must be at least {limit}, but is {got}.", "Use a greater value."),
    "too_big": ("`{field}` must be at most {limit}, but is {got}.", "Use a smaller value."),
    "not_more": ("`{field}` must be more than {limit}, but is {got}.", "Use a greater value."),
    "not_less": ("`{field}` must be less than {limit}, but is {got}.", "Use a smaller value."),
    "not_a_multiple": ("`{field}` must be a multiple of {step}, but is {got}.", "Use such a value."),
    "text_too_short": ("`{field}` must have at least {limit} characters.", "Give a longer text."),
    "text_too_long": ("`{field}` must have at most {limit} characters.", "Give a shorter text."),
    "wrong_pattern": ("`{field}` doesn't have the required form `{pattern}`.", "Write it in that form."),
    "too_few_items": ("`{field}` must have at least {limit} elements.", "Add the missing ones."),
    "too_many_items": ("`{field}` must have at most {limit} elements.", "Send fewer."),
    "too_few_fields": ("`{field}` must have at least {limit} fields.", "Add the missing ones."),
    "too_many_fields": ("`{field}` must have at most {limit} fields.", "Send fewer."),
    "repeated_items": ("`{field}` holds the same element twice.", "Name each element once."),
    "item_lacking": ("`{field}` lacks an element that must be in it.", "Add it."),
    "not_wanted": ("`{field}` is not allowed here.", "Leave it out."),
    "fits_several": (
        "`{field}` could be meant in several ways.",
        "Give it in a form that fits exactly one of the descriptions of the parameter.",
    ),
    "invalid_other": ("`{field}` doesn't fit the description of the tool.", "Read the description and correct it."),
    "too_deep": ("`{field}` is nested too deeply.", "Send a flatter value."),
    "not_finite": ("`{field}` is not a number.", "Send a real number."),
    "broken_characters": ("`{field}` holds broken characters.", "Send plain text."),
    "not_json": ("`{field}` is no JSON value.", "Send plain JSON."),
}

_FORMATS: Final = {
    "date_form": ("`{field}` must be a date in the form YYYY-MM-DD, but is {got}.", "Write the date in that form."),
    "date_year": ("`{field}` is `{value}`, whose year {year} is not plausible.", "Write the year with four digits."),
    "date_month": (
        "`{field}` is `{value}`, which does not exist: months go from 01 to 12, not {month_number}.",
        "Correct the date.",
    ),
    "date_day": (
        "`{field}` is `{value}`, which does not exist: {month} {year} has {days} days.",
        "Use a date that exists; ask the user if it is unclear which.",
    ),
    "date_time_form": (
        "`{field}` must be a date and time such as 2026-12-01T09:30:00Z, but is {got}.",
        "Write both, with a T between them.",
    ),
    "time_form": (
        "`{field}` must have a time in the form HH:MM or HH:MM:SS, but is {got}.",
        "Write the time in that form.",
    ),
    "time_hour": ("`{field}` is `{value}`, which does not exist: hours go from 00 to 23.", "Correct the time."),
    "time_minute": (
        "`{field}` is `{value}`, which does not exist: minutes and seconds go from 00 to 59.",
        "Correct the time.",
    ),
    "email_no_at": ("`{field}` is {got}, which has no @.", "Give a full e-mail address."),
    "email_no_domain": ("`{field}` is {got}, which has no domain behind the @.", "Give a full e-mail address."),
    "email_no_name": ("`{field}` is {got}, which has nothing before the @.", "Give a full e-mail address."),
    "email_form": ("`{field}` is {got}, which is no single e-mail address.", "Give one full e-mail address."),
    "uri_no_scheme": (
        "`{field}` is {got}, which doesn't begin like a web address.",
        "Begin it with https:// or the like.",
    ),
    "uri_space": ("`{field}` must be an address, but holds white space.", "Remove it, or write it as %20."),
    "uri_form": ("`{field}` is {got}, which is no well-formed address.", "Correct the address."),
    "uuid_digits": (
        "`{field}` must be a UUID of 32 hex digits, but has {count}.",
        "Copy the full id; don't make one up.",
    ),
    "uuid_form": (
        "`{field}` must be a UUID in the form 8-4-4-4-12 hex digits.",
        "Copy the id exactly; don't make one up.",
    ),
    "format_other": ("`{field}` is not in the form `{format}`.", "Write it in that form."),
}

_OWN_CHECKS: Final = {
    "own_check": ("`{tool}` doesn't accept these arguments: {reason}.", "Correct them."),
    "own_check_field": ("`{field}` is not accepted: {reason}.", "Correct it."),
    "own_check_silent": ("`{tool}` doesn't accept these arguments.", "Read its description and correct them."),
    "own_check_broken": (
        "The arguments of `{tool}` could not be checked, so it was not run; this is not your mistake.",
        "Don't repeat the call: go on without it, or tell the user that it is not available now.",
    ),
}

_NOT_JSON = "The arguments are not valid JSON"
_AT = "at line {line}, column {column}"
_NOTHING = "Nothing was executed."

READING: Final = {
    # Cut off
    "cut_off_limit": (
        "The call was cut off by the output limit, so it was NOT executed.",
        "Send less in one call: shorten the content, or split it over several smaller calls.",
    ),
    "cut_off_text": (
        "The call is cut off: its text ends before it is closed, probably at the output limit. It was NOT executed.",
        "Send the whole call again; if it is long, shorten it or split it over several smaller calls.",
    ),
    "cut_off_filter": (
        "A filter of the provider stopped the output before it was complete, so the call was NOT executed.",
        "Say it in other words, or answer without the call.",
    ),
    "cut_off_stop": (
        "The output was stopped before it was complete, so the call was NOT executed.",
        "Send the whole call again, or answer without it.",
    ),
    "cut_off_unsaid": (
        "The message ended without a sign that it is complete, so the call was NOT executed.",
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

CATALOGUE: Final = Catalogue(
    texts=_ROUTING | _FIELDS | _VALUES | _FORMATS | _OWN_CHECKS | READING,
    terms={
        "null": "null",
        "boolean": "true or false",
        "integer": "a whole number",
        "number": "a number",
        "string": "a text",
        "array": "a list",
        "object": "an object",
        "any": "any value",
        "a_null": "null",
        "a_boolean": "true or false",
        "a_integer": "a whole number",
        "a_number": "a number",
        "a_string": "a text",
        "a_array": "a list",
        "a_object": "an object",
        "a_any": "something else",
        "the_boolean": "the value",
        "the_integer": "the number",
        "the_number": "the number",
        "the_string": "the text",
        "format_date": "a date in the form YYYY-MM-DD",
        "format_time": "a time in the form HH:MM or HH:MM:SS",
        "format_date-time": "a date and time in the form YYYY-MM-DDTHH:MM:SSZ",
        "format_email": "an e-mail address",
        "format_uri": "a full address with its scheme, such as https://",
        "format_uuid": "a UUID in the form 8-4-4-4-12 hex digits",
        "month_1": "January",
        "month_2": "February",
        "month_3": "March",
        "month_4": "April",
        "month_5": "May",
        "month_6": "June",
        "month_7": "July",
        "month_8": "August",
        "month_9": "September",
        "month_10": "October",
        "month_11": "November",
        "month_12": "December",
    },
    frame={
        "several": "{count} things are wrong with this call of `{tool}`:",
        "correct_all": "Correct all of them in one new call.",
        "joint": " ",
        "list": ", ",
        "more": " … and {count} more",
        "or": " or ",
        "value": "{kind} `{value}`",
        "example": " A right call of `{tool}` looks like this: {example}",
    },
)
