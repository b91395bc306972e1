"""How something is claimed to have been done in Chinese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.answers.verbs import Verb


_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_FAR: Final = re.compile(
    r"^\W*(?:如果|若|假如|一旦|倘若|要是)|是否|是不是|吗\W*$|[？?]\W*$|例如|比如|草稿|模板|按照|根据政策|规定"
)
_NEAR: Final = re.compile(
    r"未|没|沒|不(?!久|过|好意思|用|必)|无法|如果|若|(?<!申)请(?!放心|留意|查收|注意|假)|吗|之后|以后|后\W*$|失败|待|需要|将会"
    r"|即将|可以|能够|建议|等[您你我候到]|想|要(?!求)"
)
_OWN: Final = re.compile(r"我|[为帮替给][您你]|[将把]")
_GENERIC: Final = re.compile(
    r"(?:已经?|都|全部|已全部)?(?:办好|搞定|处理好|安排好|弄好|办妥|处理完|全部完成|操作完成|操作成功)了?(?:$|[，。！!])"
    r"|^\W*(?:好的[，,]?)?(?:已经?|都)?(?:完成|处理|办理|办好|搞定)了?\W*$"
    r"|已经?(?:为|帮|替|给)?[您你]?(?:完成|处理|办理|安排)(?:好|完|妥)?(?:了|完毕|$|[，。！!]|您的请求|该请求)"
)
_WHOM: Final = r"(?:经|成功|全部|都|[为帮替给][您你]|[将把]?[^\s，。；已]{0,14}?)?"
_NOMINAL: Final = (
    r"(?:已经?|都已?|正在)[^，。；]{0,4}?(?:处理|完成|成功|提交|受理|发起|确认|生效|到账|办理|发放|办妥|退回|在路上)"
)
_THING: Final = r"(?:我|[为帮替给][您你]|订单|预订|邮件|航班|会议|文件|机票|酒店|提醒|密码|退款|申请|工单|日程|银行卡)"
_FILED: Final = r"(?:我|[为帮替给][您你])[^，。；]{0,4}?(?:提交|办理|发起|处理|申请|安排)了?[^，。；]{0,6}"


def is_chinese(text: str) -> bool:
    """Tell whether there is Chinese in a text."""
    return _HAN.search(text) is not None


def clauses(sentence: str) -> list[str]:
    """Take a sentence apart; one that is a question or a condition has no clause that claims anything."""
    return [] if _FAR.search(sentence) else re.split(r"[，,;；:：](?!\d)", sentence)


@lru_cache(maxsize=256)
def _claiming(verb: Verb) -> re.Pattern[str]:
    """Compile how a thing is claimed."""
    word = f"(?:{verb.chinese})"
    return re.compile(
        rf"(?:已经|已|成功|刚刚|刚){_WHOM}{word}|{word}(?:成功|完毕|完成|好了)|[将把][^，。；]{{1,20}}{word}了"
        rf"|{_THING}[^，。；]{{0,14}}?{word}了(?![吗没])|^[^，。；]{{0,8}}{word}了\W*$"
        rf"|{word}[^，。；]{{0,6}}?{_NOMINAL}|{_FILED}{word}"
    )


def claims(clause: str, verb: Verb) -> bool:
    """Tell whether a clause says that a thing was done."""
    return _claiming(verb).search(clause) is not None and _NEAR.search(clause) is None


def is_own(clause: str) -> bool:
    """Tell whether the assistant claims to have done it."""
    return _OWN.search(clause) is not None


def is_generic(clause: str) -> bool:
    """Tell whether a clause only says "Done!"."""
    return _GENERIC.search(clause) is not None and _NEAR.search(clause) is None
