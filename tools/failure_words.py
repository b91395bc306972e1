"""The classes of failures, and how statuses, codes of gRPC and clouds, and words of messages are sorted into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class FailureClass(StrEnum):
    """Why a tool failed."""

    MISTAKE = "mistake"
    """The arguments were wrong; the model can correct them."""
    NOT_FOUND = "not_found"
    """What the arguments name does not exist."""
    BAD_CREDENTIALS = "bad_credentials"
    """The tool may not do it; only the operator can change that."""
    RATE_LIMIT = "rate_limit"
    """Too many calls; passes by itself."""
    SERVER = "server"
    """The other side is broken; may pass by itself."""
    TIMEOUT = "timeout"
    """No answer in time; may pass by itself."""
    NETWORK = "network"
    """The other side can't be reached; may pass by itself."""
    OTHER = "other"
    """Nothing is known."""


PASSING: Final = frozenset({FailureClass.RATE_LIMIT, FailureClass.SERVER, FailureClass.TIMEOUT, FailureClass.NETWORK})
"""The classes that may pass by themselves."""
_BY_STATUS: Final[Mapping[int, FailureClass]] = {
    **dict.fromkeys((400, 409, 411, 412, 413, 414, 415, 416, 422), FailureClass.MISTAKE),
    **dict.fromkeys((404, 410), FailureClass.NOT_FOUND),
    **dict.fromkeys((401, 402, 403, 407, 451), FailureClass.BAD_CREDENTIALS),
    **dict.fromkeys((425, 429), FailureClass.RATE_LIMIT),
    **dict.fromkeys((408, 504, 524), FailureClass.TIMEOUT),
}
_SERVER: Final = range(500, 600)
_BY_CODE: Final[Mapping[str, FailureClass]] = {
    **dict.fromkeys(("NOT_FOUND", "NOSUCHKEY", "NOSUCHBUCKET", "RESOURCENOTFOUNDEXCEPTION"), FailureClass.NOT_FOUND),
    **dict.fromkeys(
        ("UNAUTHENTICATED", "PERMISSION_DENIED", "ACCESSDENIED", "ACCESSDENIEDEXCEPTION", "EXPIREDTOKEN"),
        FailureClass.BAD_CREDENTIALS,
    ),
    **dict.fromkeys(("RESOURCE_EXHAUSTED", "THROTTLING", "THROTTLINGEXCEPTION", "SLOWDOWN"), FailureClass.RATE_LIMIT),
    **dict.fromkeys(("INVALID_ARGUMENT", "OUT_OF_RANGE", "VALIDATIONEXCEPTION"), FailureClass.MISTAKE),
    **dict.fromkeys(("INTERNAL", "DATA_LOSS", "INTERNALERROR", "SERVICEUNAVAILABLE"), FailureClass.SERVER),
    "DEADLINE_EXCEEDED": FailureClass.TIMEOUT,
    "UNAVAILABLE": FailureClass.NETWORK,
}
"""Codes of gRPC and of clouds."""
_CROWDED: Final = (
    r"rate.?(?:limit|exceeded)|request rate|too (?:many|frequent)|(?:quota|limit).{0,20}(?:exceeded|reached)"
    r"|exceeded.{0,30}(?:quota|limit)|throughput.?exceeded|slowdown|throttl|over_\w*limit|slots are reserved"
    r"|(?:过于|太)频繁|超限|限流|超过.{0,6}(?:限制|配额|次数)|配额|次数.{0,4}(?:用完|用尽|不足)"
)
_KEY: Final = r"(?:api[ _-]?key|key|token|credentials?|password|signature)\b"
_REFUSED: Final = (
    r"unauthori[sz]ed|unauthenticated|not[ _]auth(?:ed|enticated|ori[sz]ed)|forbidden|access_?denied|expired_?token"
    r"|authentication (?:failed|required|credentials)|(?:log|sign) ?in (?:again|required|first)"
    rf"|(?:invalid|incorrect|wrong|bad|missing|expired|unable to locate)[ _](?:the )?(?:\w+[ _]){{0,2}}{_KEY}"
    r"|(?:token|session|jwt|certificate|credentials?|signature)\b.{0,30}"
    r"(?:expired|revoked|invalid|timed out|does not match)"
    r"|(?:permission|access|privileges?) ?(?:denied|required)|insufficient (?:permissions?|privileges?|scopes?)"
    r"|无权|没有权限|权限不足|请先?登录|未登录|未授权|鉴权|签名(?:错误|无效|不匹配)|密码错误|账号.{0,4}(?:禁用|停用|封禁|冻结)"
    r"|(?:token|令牌|密钥|登录|会话|凭证)\w{0,4}\s?已?(?:过期|失效|无效)"
)
_SLOW: Final = r"timed? ?-?out|timeout|deadline exceeded|etimedout|超时"
_CUT: Final = (
    r"connection.{0,20}(?:refused|reset|aborted|closed|lost|error|attempts failed)|closed the connection|unreachable"
    r"|disconnected|cannot connect|name resolution|fail\w+ to resolve|name or service not known|nodename nor servname"
    r"|no such host|no route to host|socket hang ?up|broken pipe|certificate[ _]verify|ssl error"
    r"|\be(?:connrefused|connreset|notfound|pipe|hostunreach|ai_again)\b"
    r"|网络(?:异常|错误|连接|不可用)|无法连接|连接(?:失败|被拒绝|中断|断开)"
)
_ABSENT: Final = (
    r"not[ _]found\b|\bno such\b|does(?: not|n['’]t) exist|unknown (?:table|user|id|city|tool|method)"
    r"|不存在|找不到|未找到|没有找到|查无"
)
_BROKEN: Final = (
    r"internal (?:server )?error|(?:service|server) (?:temporarily |is |currently )*unavailable|bad gateway|overloaded"
    r"|database is locked|deadlock|try restarting transaction|under maintenance|server had an error"
    r"|系统(?:繁忙|异常|错误)|服务器?(?:内部)?(?:错误|异常|繁忙)|服务\w{0,3}不可用|内部错误|维护"
)
_MISTAKEN: Final = (
    r"validation|unprocessable|violates|duplicate (?:key|entry)|already exists|(?:syntax|parse) error"
    r"|invalid[ _](?:\w+ ){0,3}(?:param\w*|arguments?|input|request|date|format|value|type|syntax|field)"
    r"|invalid_\w*(?:param|argument|value|input)|not a valid \w+|parameter values were invalid"
    r"|required (?:property|field|parameter|argument)|(?:field|is|parameter) (?:a )?required"
    r"|(?:missing|unknown|unexpected|unsupported) (?:required )?(?:\w+ )?(?:param\w*|arguments?|fields?|property|value)"
    r"|(?:must|should) (?:not )?(?:be|have|match|contain)|expected (?:a|an|one of|format)\b"
    r"|(?<!index )out of range|too (?:long|large|short|small)"
    r"|参数(?:错误|不合法|无效|缺失|异常)|缺少|必填|不能为空|格式(?:错误|不正确)"
)
_BY_TEXT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (_CROWDED, FailureClass.RATE_LIMIT),
        (_REFUSED, FailureClass.BAD_CREDENTIALS),
        (_SLOW, FailureClass.TIMEOUT),
        (_CUT, FailureClass.NETWORK),
        (_ABSENT, FailureClass.NOT_FOUND),
        (_BROKEN, FailureClass.SERVER),
        (_MISTAKEN, FailureClass.MISTAKE),
    )
)
"""Words of messages, looked at only where nothing else tells."""
_STATUS: Final = re.compile(
    r"(?:code|status|http(?:/[\d.]+)?|error|returned|response|^)\W{0,3}([45]\d\d)\b", re.IGNORECASE
)
"""A status that a message names."""
_UNSURE: Final = re.compile(
    r"internal (?:server )?error|bad gateway|unavailable|reset|closed|aborted|hang ?up|broken pipe|epipe|lost|内部错误"
    r"|中断|断开",
    re.IGNORECASE,
)
_MOST_TEXT: Final = 2_000


def class_of_status(status: int) -> FailureClass | None:
    """Sort an HTTP status; `None` where it says nothing."""
    return _BY_STATUS.get(status) or (FailureClass.SERVER if status in _SERVER else None)


def class_of_code(code: str) -> FailureClass | None:
    """Sort a code of gRPC or of a cloud; `None` where it is none."""
    return _BY_CODE.get(code.upper())


def class_of_text(text: str) -> FailureClass:
    """Sort a message by its words, then by a status that it names."""
    head = text[:_MOST_TEXT]
    found = next((kind for pattern, kind in _BY_TEXT if pattern.search(head)), None)
    if found is None and (named := _STATUS.search(head)):
        found = class_of_status(int(named[1]))
    return found or FailureClass.OTHER


def leaves_open(kind: FailureClass, message: str, status: int | None = None) -> bool:
    """Tell whether a call that was answered so may have taken effect all the same.

    Args:
        kind: The class of the failure.
        message: Its words.
        status: The HTTP status beside them.

    """
    if status is not None and status in _SERVER:
        return True
    broken = kind in {FailureClass.SERVER, FailureClass.NETWORK} and _UNSURE.search(message[:_MOST_TEXT]) is not None
    return kind is FailureClass.TIMEOUT or broken
