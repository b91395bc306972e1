"""The words in which programs say that something did not work, in English, Chinese and a few other languages."""

from __future__ import annotations

import re
from typing import Final


def _any(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


_FAILED: Final = _any(
    r"fail(?:ed|ure|s)?|errors?|exception|invalid|denied|forbidden|unauthori[sz]ed|unable|could ?n['’o]t|could not",
    r"can ?not|can['’]t|not[ _](?:found|allowed|permitted|authenticated|authori[sz]ed|valid|available|supported|exist)",
    r"not[ _](?:enough|process\w*|provided|given)|does ?n['’o]t exist|no such|expired|exceed(?:ed|s)|missing"
    r"|required|rejected"
    r"|refused",
    r"declined|unavailable|too many|timed?[ -]?out|wrong|bad (?:request|gateway)|unexpected|unsupported|blocked",
    r"insufficient|disabled|suspended|revoked",
)
_FAILED_ELSEWHERE: Final = _any(
    r"失败|错误|出错|异常|无效|不存在|未找到|找不到|超时|过期|拒绝|无权|权限不足|不足|繁忙|限流|频繁|禁止|缺少|禁用|停用|封禁",
    r"不能为空|无法|未登录|失敗|エラー|無効|ошибка|не найден|не удалось|недоступ\w+|отказано|오류|실패|fehlgeschlagen",
    r"échoué|erreur",
)
FAILING: Final = re.compile(rf"(?<![a-z]){_FAILED}(?![a-z])|{_FAILED_ELSEWHERE}", re.IGNORECASE)
"""Anywhere in a message that stands where a program says how it went."""

_THING: Final = (
    r"(?:(?:the|your|this|a|an|api|http|internal) )*(?:[a-z_]+ ){0,3}"
    r"(?:request|query|call|operation|connection|payment|transaction|command|login|upload|download|booking|job"
    r"|lookup|search"
    r"|fetch|authentication|authori[sz]ation|execution|delivery|transfer|order|server|service|api|host)"
)
_ENGLISH: Final = _any(
    r"(?:(?:we(?:['’]re| are)|i(?:['’]m| am))?\s*(?:very |so |really )?(?:sorry|apologi[sz]e|apologies)|oops"
    r"|uh[- ]?oh|whoops)\b"
    r"(?=.{0,200}(?:wrong|error|fail|problem|issue|unable|again|could ?n|could not|can ?not|can['’]t|unavailable"
    r"|went))",
    r"(?:the |our )?(?:\w+ ){0,2}(?:encountered|experienced|ran into) an? (?:\w+ ){0,3}(?:error|problem|exception"
    r"|issue)",
    r"(?:[\w./-]+ ){0,3}E(?:CONN[A-Z]+|NOTFOUND|TIMEDOUT|ACCES|NOENT|PIPE|HOSTUNREACH|AI_AGAIN|PERM|MFILE|ISDIR"
    r"|NOTDIR)\b",
    r"there (?:was|has been|is) an? (?:\w+ )?(?:error|problem|issue|failure)",
    r"upstream (?:connect )?(?:error|request timeout)|no healthy upstream|(?:something|that) went wrong",
    r"(?:an?|the) (?:[a-z]+ ){0,3}(?:error|exception|problem) (?:has |have |was )?(?:occurred|happened|been)",
    r"(?:failed|failure|unable|not able) to \w+",
    r"(?:we |it |i |the \w+ )?(?:could ?n['’o]t|could not|can ?not|can['’]t|was unable to) (?:be )?(?:\w+ )?"
    r"(?:connect|reach|fetch|load|get|retrieve|process|complete|find the server|open|access|read|resolve|send|save"
    r"|book|create"
    r"|perform|execute|parse|handle|establish|authenticate|verify)\w*",
    rf"{_THING} (?:has |have |was |is |to \S+ )*(?:failed|timed? ?out|refused|denied|rejected|declined|reset|aborted"
    rf"|closed"
    r"|(?:temporarily |currently )?(?:unavailable|down|overloaded)|not (?:available|completed|processed"
    r"|authori[sz]ed))\b",
    r"too many requests|(?:api )?(?:rate|usage|request) ?limit(?:s|ed)?\b|quota exceeded",
    r"you(?:['’]ve| have) (?:exceeded|reached|hit)|service (?:temporarily )?unavailable|internal (?:server )?error",
    r"bad gateway|gateway time-?out|access denied|permission denied|unauthori[sz]ed|forbidden|not authori[sz]ed",
    r"authentication (?:required|failed)|please (?:log|sign) ?in|(?:the )?(?:model|server"
    r"|service) is (?:currently )?overloaded",
    r"timed out|time-?out\b",
    r"(?:invalid|expired|missing|bad) (?:api[ _-]?key|(?:access |auth(?:entication)? )?token|credentials?|request"
    r"|session"
    r"|parameters?|arguments?|input)",
    r"(?:your |the )?(?:session|token|api key|access token|credentials?) (?:has |have |is |are )?(?:expired|invalid"
    r"|revoked)",
    r"\S{0,40}: (?:command not found|permission denied|no such file or directory)",
)
_CHINESE: Final = _any(
    r"[^\n。！？]{0,12}(?:系统|网络|服务器?|接口|数据库|程序|后台)(?:内部|暂时|当前)?"
    r"(?:繁忙|异常|错误|超时|不可用|出错|故障|维护|开小差)",
    r"(?:很?抱歉|对不起|非常抱歉|哎呀|糟糕)[^\n]{0,40}(?:错|失败|无法|没有权限|不能|异常|问题|繁忙)|[^\n。！？：:]{0,10}出(?:错|问题)了",
    r"[^\n。！？：:，,]{0,10}(?:失败|未能成功|未成功)(?![率的者数原])",
    r"(?:暂时)?无法(?:连接|访问|获取|处理|加载|打开|完成)|请求(?:超时|过于频繁|过多|被拒绝)|(?:访问|调用|操作)(?:过于)?频繁",
    r"权限不足|无权限|(?:暂|没)?(?:有|无)权限$|没有权限|无权访问|非法请求|未登录|请先?登录|登录已?(?:过期|失效)|余额不足|额度不足|配额|[^\n]{0,30}请稍后(?:再试|重试)",
)
_ELSEWHERE: Final = _any(
    r"申し訳(?:ございません|ありません)|エラーが発生|произошла ошибка|не удалось|что-то пошло не так|es ist ein fehler",
    r"une erreur|se ha producido un error|ha ocurrido un error|오류가 발생",
)
COMPLAINT: Final = re.compile(
    rf"\s*(?:[⚠❌✗✖⛔🚫️]\s*)*(?:{_ENGLISH}|{_CHINESE}|{_ELSEWHERE})", re.IGNORECASE | re.DOTALL
)
"""Beginning of a short text that complains instead of answering."""

NOUN: Final = re.compile(
    r"\W{0,3}(?:an? )?(?:(?:internal|unexpected|unknown|unspecified|unhandled|server|system|network|database|api"
    r"|connection"
    r"|fatal|generic|processing|parsing|upstream|runtime|backend) )+(?:error|exception|failure|problem)[.!]*"
    r"|(?:未知|系统|网络|内部|服务器?|服务端|参数|数据库|数据|接口|调用|程序|请求|解析|连接|后端|权限)\S{0,4}"
    r"(?:错误|异常|失败|超时)[。！!]*|[\w \u4e00-\u9fff]{1,10}(?:错误|超时|超限|已?过期|已?失效|未登录)[。！!]*"
    r"|failed|failure|(?:\w+\.)*[A-Z]\w*(?:Error|Exception)",
    re.IGNORECASE,
)
"""A whole text that does nothing but name a failure."""

TECHNICAL: Final = re.compile(
    r"max retries exceeded|certificate[ _]verify[ _]failed|name or service not known|failure in name resolution"
    r"|no route to host"
    r"|broken pipe|socket hang up|\bERR_[A-Z_]+|deadline exceeded|\brpc error\b|connection (?:refused|reset|aborted"
    r"|timed out)"
    r"|operation not permitted|login required|\b(?:status|code|returned|response|with):? (?:code:? )?[45]\d\d\b"
    r"|\b[45]\d\d (?:client|server) error|insufficient (?:funds|balance|permissions?|quota|privileges?)",
    re.IGNORECASE,
)
"""Anywhere in a sentence: what only programs say about a call."""

UNDONE: Final = re.compile(
    r"\b(?:was|were|is|has|have|could|did)? ?(?:not|n['’]t) (?:be |been |yet )?(?:sent|saved|booked|created|updated"
    r"|deleted"
    r"|removed|completed|processed|delivered|made|placed|found|possible|allowed|permitted|changed|applied|executed"
    r"|added"
    r"|successful|paid)\b"
    r"|\b(?:card|payment|transaction|charge|credit|purchase|transfer|order|request|booking)\b.{0,30}"
    r"\b(?:declined|rejected|refused|denied|failed|unsuccessful)\b|\b(?:no|0|zero) (?:changes|rows|records) (?:were "
    r"|was )?\w+"
    r"|\b(?:could|can|did|was|were)(?: ?n[o'’]t| not) \w+|\bnothing (?:was|has been|to) \w+|already exists"
    r"|未(?:能|发送|完成|保存|成功|生效|支付|创建|更新)|没有(?:发送|完成|保存|成功|生效)|失败",
    re.IGNORECASE,
)
"""Anywhere in a short text that a change was not made."""
