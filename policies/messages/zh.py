"""Chinese texts of feedback."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.messages.catalogue import Catalogue


_ROUTING: Final = {
    "unknown_tool": ("没有名为 `{name}` 的工具。", "请用准确的名称调用所给的工具之一；如果没有合适的，请告诉用户。"),
    "unknown_tool_near": ("没有名为 `{name}` 的工具；最接近的名称是 {near}。", "请用准确的名称调用符合需要的工具。"),
    "unreadable_tool": ("工具名称无法识别。", "请用准确的名称调用所给的工具之一。"),
    "unreadable_tool_near": (
        "工具名称无法识别；已有的最接近的名称是 {near}。",
        "请用准确的名称调用符合需要的工具。",
    ),
    "ambiguous_tool": ("`{name}` 可能是以下任何一个工具：{near}。", "请用准确的名称调用你要的那一个。"),
    "no_tool_name": ("调用中没有工具名称。", "请写明所给的工具之一。"),
    "parallel_wrapper": (
        "`{name}` 不是工具。",
        "请将每个调用分别作为单独的工具调用发送，需要时可在一次回答中发送多个。",
    ),
    "no_tools": ("这里没有可用的工具。", "请直接回答，不要调用工具。"),
}

_ADD: Final = "请补上；如果没有人说过，请用简单的话向用户询问，不要编造。"
_FIELDS: Final = {
    "unknown_argument_use": ("`{field}` 不是 `{tool}` 的参数。", "请使用 `{target}`。"),
    "unknown_argument_twice": ("`{field}` 不是 `{tool}` 的参数，而且 {given} 已经给出。", "请去掉 `{field}`。"),
    "unknown_argument_near": (
        "`{field}` 不是 `{tool}` 的参数；最接近的是 {near}。",
        "如果你指的就是它，请用该名称；否则去掉 `{field}`。",
    ),
    "unknown_argument": ("`{field}` 不是 `{tool}` 的参数。", "请去掉它；可用的参数有 {known}。"),
    "unknown_argument_many": ("`{field}` 不是 `{tool}` 的参数。", "请去掉它。"),
    "unknown_argument_none": ("`{field}` 不是 `{tool}` 的参数，该工具没有参数。", "请去掉它：发送 {{}}。"),
    "unknown_argument_unprintable": ("有一个字段名不是 `{tool}` 的参数。", "请只使用这些参数：{known}。"),
    "unknown_argument_inside": ("`{field}` 不是 `{tool}` 的参数。", "请去掉它；`{place}` 中可用的有 {known}。"),
    "wrapped_arguments": ("`{field}` 不是 `{tool}` 的参数。", "请直接发送参数，不要放在 `{field}` 里。"),
    "one_of_fields": ("`{field}` 必须且只能有以下之一：{near}。", "请只给出其中一个。"),
    "any_of_fields": ("`{field}` 至少要有以下之一：{near}。", "请至少给出其中一个。"),
    "missing_argument": ("缺少 `{field}`；它是必填项，必须是{expected}。", _ADD),
    "missing_choice": ("缺少 `{field}`；它是必填项，必须是以下之一：{allowed}。", _ADD),
    "null_required": ("`{field}` 是 null，但它是必填项，必须是{expected}。", "请给出一个值；如果不知道，请询问用户。"),
    "null_optional": ("`{field}` 是 null，但必须是{expected}。", "请给出一个值；只有不需要它时才去掉。"),
    "null_default": (
        "`{field}` 是 null，但必须是{expected}。",
        "如果指默认值 `{default}`，请去掉它；否则请给出一个值。",
    ),
    "null_word": (
        "`{field}` 是单词 `null`，但必须是{expected}。",
        "请给出真实的值；只有不需要 `{field}` 时才去掉它。",
    ),
    "null_word_nullable": (
        "`{field}` 是单词 `null`，但必须是{expected}。",
        "如果表示没有值，请发送不带引号的 null；否则请给出真实的值。",
    ),
    "null_word_required": (
        "`{field}` 是单词 `null`，但它是必填项，必须是{expected}。",
        "请给出真实的值；如果不知道，请询问用户。",
    ),
    "placeholder": ("`{field}` 里仍然是示例中的占位符。", "请填入真实的值。"),
    "empty_text": ("`{field}` 是空文本，这是不允许的。", "请去掉 `{field}`，或给出真实的值。"),
    "empty_required": (
        "`{field}` 是空文本，但它是必填项，必须是{expected}。",
        "请给出真实的值；如果不知道，请询问用户。",
    ),
    "schema_echoed": ("这些参数是 `{tool}` 的参数说明，而不是参数的值。", "请只发送值。"),
    "schema_echoed_none": ("这些参数是参数说明，但 `{tool}` 没有参数。", "请发送 {{}}。"),
}

_VALUES: Final = {
    "wrong_type": ("`{field}` 必须是{expected}，但现在是{got}。", "请修改。"),
    "text_for_number": (
        "`{field}` 必须是{expected}，但现在是{got}。",
        "请只发送数字，不带引号、空格或分隔符。",
    ),
    "number_for_text": ("`{field}` 必须是{expected}，但现在是{got}。", "请放在双引号里。"),
    "too_wide": (
        "`{field}` 必须是{expected}，但现在是{got}，超出 64 位。",
        "请给出较小的数；不要把更长的数作为文本发送。",
    ),
    "too_wide_in_text": (
        "`{field}` 必须是{expected}，但其中有超出 64 位的整数。",
        "请给出较小的数，并直接发送 JSON，不要放在文本里。",
    ),
    "inexact_whole": (
        "`{field}` 必须是{expected}，但现在是小数写法，数值太大而不再精确。",
        "请写出全部数字，不用小数点或指数。",
    ),
    "text_for_addresses": (
        "`{field}` 必须是{expected}，但现在是{got}。",
        "请发送列表，每个元素一个地址。",
    ),
    "text_for_list": (
        "`{field}` 必须是{expected}，但现在是{got}。",
        '请发送列表，每个值一个元素，例如 ["first", "second"]。',
    ),
    "json_in_text": (
        "`{field}` 必须是{expected}，但现在是一段含有无法使用的 JSON 的文本。",
        "请直接发送 JSON，不要放在文本里。",
    ),
    "not_boolean": ("`{field}` 必须是 true 或 false，但现在是{got}。", "请发送不带引号的 true 或 false。"),
    "not_whole": ("`{field}` 必须是整数，但现在是{got}。", "请自行确定一个整数；系统不会替你取整。"),
    "not_listed": (
        "`{field}` 必须是以下之一：{allowed}，但现在是{got}。",
        "请使用允许的值之一；如果没有一个是用户想要的，请告诉用户。",
    ),
    "not_listed_near": (
        "`{field}` 必须是以下之一：{allowed}，但现在是{got}；最接近的是 {near}。",
        "请使用允许的值之一。",
    ),
    "out_of_range": ("`{field}` 必须在 {low} 到 {high} 之间，但现在是{got}。", "请使用该范围内的值。"),
    "too_small": ("`{field}` 必须不小于 {limit}，但现在是{got}。", "请使用更大的值。"),
    "too_big": ("`{field}` 必须不大于 {limit}，但现在是{got}。", "请使用更小的值。"),
    "not_more": ("`{field}` 必须大于 {limit}，但现在是{got}。", "请使用更大的值。"),
    "not_less": ("`{field}` 必须小于 {limit}，但现在是{got}。", "请使用更小的值。"),
    "not_a_multiple": ("`{field}` 必须是 {step} 的倍数，但现在是{got}。", "请使用这样的值。"),
    "text_too_short": ("`{field}` 至少要有 {limit} 个字符。", "请给出更长的文本。"),
    "text_too_long": ("`{field}` 最多只能有 {limit} 个字符。", "请给出更短的文本。"),
    "wrong_pattern": ("`{field}` 不符合要求的形式 `{pattern}`。", "请按该形式书写。"),
    "too_few_items": ("`{field}` 至少要有 {limit} 个元素。", "请补上缺少的元素。"),
    "too_many_items": ("`{field}` 最多只能有 {limit} 个元素。", "请减少元素。"),
    "too_few_fields": ("`{field}` 至少要有 {limit} 个字段。", "请补上缺少的字段。"),
    "too_many_fields": ("`{field}` 最多只能有 {limit} 个字段。", "请减少字段。"),
    "repeated_items": ("`{field}` 中有重复的元素。", "每个元素只写一次。"),
    "item_lacking": ("`{field}` 缺少必须有的元素。", "请补上。"),
    "not_wanted": ("这里不允许有 `{field}`。", "请去掉它。"),
    "fits_several": ("`{field}` 可以有多种理解。", "请改成只符合该参数一种说明的形式。"),
    "invalid_other": ("`{field}` 不符合工具的说明。", "请阅读说明并改正。"),
    "too_deep": ("`{field}` 嵌套过深。", "请发送层级更少的值。"),
    "not_finite": ("`{field}` 不是一个数。", "请发送真实的数字。"),
    "broken_characters": ("`{field}` 含有损坏的字符。", "请发送普通文本。"),
    "not_json": ("`{field}` 不是 JSON 值。", "请发送普通的 JSON。"),
}

_FORMATS: Final = {
    "date_form": ("`{field}` 必须是 YYYY-MM-DD 形式的日期，但现在是{got}。", "请按该形式书写日期。"),
    "date_year": ("`{field}` 是 `{value}`，年份 {year} 不合理。", "请用四位数字书写年份。"),
    "date_month": ("`{field}` 是 `{value}`，该日期不存在：月份从 01 到 12，没有 {month_number}。", "请改正日期。"),
    "date_day": (
        "`{field}` 是 `{value}`，该日期不存在：{year} 年{month}有 {days} 天。",
        "请使用存在的日期；如果不清楚是哪一天，请询问用户。",
    ),
    "date_time_form": (
        "`{field}` 必须是日期和时间，例如 2026-12-01T09:30:00Z，但现在是{got}。",
        "请同时写出两者，中间用 T 隔开。",
    ),
    "time_form": ("`{field}` 中的时间必须是 HH:MM 或 HH:MM:SS 形式，但现在是{got}。", "请按该形式书写时间。"),
    "time_hour": ("`{field}` 是 `{value}`，该时间不存在：小时从 00 到 23。", "请改正时间。"),
    "time_minute": ("`{field}` 是 `{value}`，该时间不存在：分和秒从 00 到 59。", "请改正时间。"),
    "email_no_at": ("`{field}` 是{got}，其中没有 @。", "请给出完整的电子邮件地址。"),
    "email_no_domain": ("`{field}` 是{got}，@ 后面没有域名。", "请给出完整的电子邮件地址。"),
    "email_no_name": ("`{field}` 是{got}，@ 前面没有内容。", "请给出完整的电子邮件地址。"),
    "email_form": ("`{field}` 是{got}，不是单个电子邮件地址。", "请给出一个完整的电子邮件地址。"),
    "uri_no_scheme": ("`{field}` 是{got}，开头不像网址。", "请以 https:// 等开头。"),
    "uri_space": ("`{field}` 必须是网址，但其中有空白字符。", "请去掉空白，或写成 %20。"),
    "uri_form": ("`{field}` 是{got}，不是正确的网址。", "请改正网址。"),
    "uuid_digits": (
        "`{field}` 必须是有 32 个十六进制数字的 UUID，但现在有 {count} 个。",
        "请复制完整的编号，不要编造。",
    ),
    "uuid_form": ("`{field}` 必须是 8-4-4-4-12 形式的十六进制 UUID。", "请原样复制编号，不要编造。"),
    "format_other": ("`{field}` 不是 `{format}` 形式。", "请按该形式书写。"),
}

_OWN_CHECKS: Final = {
    "own_check": ("`{tool}` 不接受这些参数：{reason}。", "请改正。"),
    "own_check_field": ("`{field}` 不被接受：{reason}。", "请改正。"),
    "own_check_silent": ("`{tool}` 不接受这些参数。", "请阅读它的说明并改正。"),
    "own_check_broken": (
        "`{tool}` 的参数无法检查，因此没有执行；这不是你的错误。",
        "请不要重复该调用：可以不用它继续，或告诉用户它现在不可用。",
    ),
}

_NOT_JSON = "参数不是合法的 JSON"
_AT = "第 {line} 行第 {column} 列"
_NOTHING = "没有执行任何操作。"

READING: Final = {
    # Cut off
    "cut_off_limit": (
        "该调用因达到输出上限而被截断，因此未执行。",
        "请减少单次调用的内容：缩短内容，或拆分为多个较小的调用。",
    ),
    "cut_off_text": (
        "该调用被截断：文本在闭合之前就结束了，可能是达到了输出上限。该调用未执行。",
        "请重新发送完整的调用；如果内容较长，请缩短或拆分为多个较小的调用。",
    ),
    "cut_off_filter": (
        "提供方的过滤器在输出完成之前将其中止，因此该调用未执行。",
        "请换一种说法，或不使用该调用直接回答。",
    ),
    "cut_off_stop": ("输出在完成之前被中止，因此该调用未执行。", "请重新发送完整的调用，或不使用该调用直接回答。"),
    "cut_off_unsaid": (
        "消息结束时没有表明其已完整，因此该调用未执行。",
        "请重新发送完整的调用，或不使用该调用直接回答。",
    ),
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

CATALOGUE: Final = Catalogue(
    texts=_ROUTING | _FIELDS | _VALUES | _FORMATS | _OWN_CHECKS | READING,
    terms={
        "null": " null",
        "boolean": " true 或 false",
        "integer": "整数",
        "number": "数字",
        "string": "文本",
        "array": "列表",
        "object": "对象",
        "any": "任意值",
        "a_null": " null",
        "a_boolean": " true 或 false",
        "a_integer": "整数",
        "a_number": "数字",
        "a_string": "文本",
        "a_array": "列表",
        "a_object": "对象",
        "a_any": "别的值",
        "the_boolean": "值",
        "the_integer": "数字",
        "the_number": "数字",
        "the_string": "文本",
        "format_date": " YYYY-MM-DD 形式的日期",
        "format_time": " HH:MM 或 HH:MM:SS 形式的时间",
        "format_date-time": " YYYY-MM-DDTHH:MM:SSZ 形式的日期和时间",
        "format_email": "电子邮件地址",
        "format_uri": "带有 https:// 等开头的完整网址",
        "format_uuid": " 8-4-4-4-12 形式的十六进制 UUID",
        "month_1": " 1 月",
        "month_2": " 2 月",
        "month_3": " 3 月",
        "month_4": " 4 月",
        "month_5": " 5 月",
        "month_6": " 6 月",
        "month_7": " 7 月",
        "month_8": " 8 月",
        "month_9": " 9 月",
        "month_10": " 10 月",
        "month_11": " 11 月",
        "month_12": " 12 月",
    },
    frame={
        "several": "这次对 `{tool}` 的调用有 {count} 处错误：",
        "correct_all": "请在一次新的调用中全部改正。",
        "joint": "",
        "list": "、",
        "more": "……以及另外 {count} 个",
        "or": "或",
        "value": "{kind} `{value}`",
        "example": "`{tool}` 的正确调用如下：{example}",
    },
)
