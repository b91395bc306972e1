"""What is wrong with a call that can't be read, and what to do about it, in Chinese."""

from __future__ import annotations


_NOT_JSON = "参数不是合法的 JSON"
_AT = "第 {line} 行第 {column} 列"
_NOTHING = "没有执行任何操作。"

TEXTS: dict[str, tuple[str, str]] = {
    # Cut off
    "cut_off_limit": (
        "该调用因达到输出上限而被截断，因此未执行。",
        "请减少单次调用的内容：缩短内容，或拆分为多个较小的调用。",
    ),
    "cut_off_text": (
        "该调用被截断：文本在闭合之前就结束了，可能是达到了输出上限。该调用未执行。",
        "请重新发送完整的调用；如果内容较长，请缩短或拆分为多个较小的调用。",
    ),
    "cut_off_stop": ("输出在完成之前被中止，因此该调用未执行。", "请重新发送完整的调用，或不使用该调用直接回答。"),
    "silent_cut": ("在给出回答或调用之前就达到了输出上限。", "请减少思考，尽快给出调用或回答。"),
    "silent_stop": ("输出在给出回答或调用之前被中止。", "请换一种说法回答，或说明无法回答。"),
    # What the arguments are
    "arguments_not_object": (
        "参数的 JSON 类型是 {found}，而不是对象。",
        "请发送一个以参数名为键的 JSON 对象；没有参数时发送 {{}}。",
    ),
    "several_objects": (
        "一次调用中出现了多个不同的参数对象，无法确定以哪一个为准。",
        "每个调用只发送一个对象；可以发送多个调用。",
    ),
    "too_large": ("参数超过 {limit} 个字符。", "请减少单次调用的内容，或拆分为多个调用。"),
    "not_json_value": ("参数中有 JSON 无法表示的值。", "只能使用文本、数字、true、false、null、数组和对象。"),
    # Where the text stops being JSON
    "json_value_expected": (
        f"{_NOT_JSON}：{_AT}应为一个值。",
        "只写普通的值：双引号中的文本、数字、true、false、null、数组或对象；不要写表达式。",
    ),
    "json_key_expected": (f"{_NOT_JSON}：{_AT}应为一个键。", "每个键都要加双引号，最后一项之后不要加逗号。"),
    "json_colon_expected": (f"{_NOT_JSON}：{_AT}应为冒号。", "请在每个键和值之间加冒号。"),
    "json_comma_expected": (
        f"{_NOT_JSON}：{_AT}应为逗号或右括号。",
        '请在各项之间加逗号；文本中的双引号要写成 \\"。',
    ),
    "json_trailing_text": (f"{_NOT_JSON}：{_AT}在对象结束之后还有内容。", "只发送该对象，右括号之后不要有任何内容。"),
    "json_surrounded": (
        f"{_NOT_JSON}：对象前后有其他文字或代码块标记。",
        "只发送该 JSON 对象，前后不要有文字或代码块标记。",
    ),
    "json_bad_escape": (f"{_NOT_JSON}：{_AT}有未知的转义。", "文本中的反斜杠要写成 \\\\。"),
    "json_invalid": (f"{_NOT_JSON}；错误位于{_AT}。", "请发送一个普通的 JSON 对象。"),
    # Values that are JSON in form only
    "duplicate_key": ("键 `{field}` 出现了两次。", "`{field}` 只发送一次，并使用真正想要的值。"),
    "lookalike_key": (
        "键 `{field}` 出现了两次，使用了看起来相同的不同字符。",
        "`{field}` 只发送一次，并使用真正想要的值。",
    ),
    "not_finite_number": ("`{field}` 不是有限的数；JSON 没有 NaN 和 Infinity。", "请给出一个有限的数。"),
    "integer_too_long": (
        "`{field}` 超出范围：该数超出 64 位整数的范围。",
        "请给出较小的数；如果是标识符，请作为带引号的文本发送。",
    ),
    "lone_surrogate": ("`{field}` 中有半个字符（单独的代理项转义）。", "请直接写出该字符，不要使用 \\u 转义。"),
    "nested_too_deep": ("参数嵌套过深，超过 {limit} 层。", "请发送层次较少的对象。"),
    # Names and wrappers
    "unusable_name": ("该调用没有给出可用的工具名。", "请使用某个工具的名称重新发送该调用。"),
    "broken_bundle": ("无法读取并行调用的组合；其中的调用均未执行。", "请把每个调用作为单独的工具调用发送。"),
    "provider_malformed_call": (
        f"模型服务器无法读取该调用。{_NOTHING}",
        "请以结构化工具调用重新发送：一个工具的名称和一个 JSON 参数对象。",
    ),
    # Calls written as text
    "leaked_beside_text": (
        f"消息中夹杂着以文本形式写出的工具调用。{_NOTHING}",
        "请以结构化工具调用发送；如果是要回答，请使用普通文字，不要带调用标记。",
    ),
    "leaked_unreadable": (
        f"消息中以文本形式写出的工具调用无法读取。{_NOTHING}",
        "请以结构化工具调用发送，并附上一个 JSON 参数对象。",
    ),
    "leaked_beside_arguments": (
        f"`{{name}}` 的调用以文本形式写出，其中 {{fields}} 在 `{{key}}` 之外。{_NOTHING}",
        "请将所有参数放入 `{key}`，并以结构化工具调用发送。",
    ),
    "leaked_unknown_tool": (
        f"消息中有以文本形式写出的工具调用，但没有这个名称的工具。{_NOTHING}",
        "请以结构化工具调用发送，并使用已有工具的名称。",
    ),
    "leaked_unknown_tool_near": (
        f"消息中有以文本形式写出的工具调用，但没有这个名称的工具。{_NOTHING}",
        "请以结构化工具调用发送；最接近的名称是 {near}。",
    ),
    "invented_observation": (
        "消息中接着写了并非来自工具的观察结果，已被丢弃。之前的调用未执行。",
        "请以结构化工具调用发送，并等待其结果。",
    ),
    "call_in_reasoning": (
        "只有推理中写了工具调用，而推理中的调用不会执行；消息也没有回答。",
        "如果确实需要，请在推理之后以结构化工具调用发送；否则请回答。",
    ),
    # Nothing at all
    "silent": ("消息为空：既没有回答，也没有工具调用。", "请回答用户，或发送结构化工具调用。"),
    "lost_call": (f"消息以工具调用结束，但没有收到任何调用。{_NOTHING}", "请以结构化工具调用重新发送，或直接回答。"),
    "too_large_message": ("消息超过 {limit} 个字符，未被读取。", "请用更少的文字回答，或减少单次调用的内容。"),
}
