"""What tools do, in the words in which answers claim it and requests ask for it, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final


_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

_CLOSE: Final = frozenset(
    map(frozenset, [("create", "post"), ("create", "enroll"), ("move", "update"), ("open", "post")])
)
"""Kinds whose words answers use for one another."""

LASTING: Final = frozenset(["delete", "cancel", "block", "enable", "close", "approve"])
"""Kinds that are done for good: what was done before is still so, and may be told again."""

FIRM: Final = frozenset(
    [
        "cancel",
        "refund",
        "book",
        "pay",
        "block",
        "enable",
        "enroll",
        "run",
        "assign",
        "close",
        "approve",
        "move",
        "send",
    ]
)
"""Kinds that an answer can't do by itself; lists are created, texts are updated."""

_THINGS: Final = frozenset(
    ["email", "mail", "message", "sms", "text", "file", "order", "place", "post", "book", "reply"]
)
"""Words that are verbs only at the beginning of a name."""
_IRREGULAR: Final = {
    "rollback": "rolled back|reverted",
    "shutdown": "shut down",
    "setup": "set up",
    "backup": "backed up",
    "withdraw": "withdrawn|withdrew",
    "give": "given|gave",
    "take": "taken|took",
    "sell": "sold",
    "begin": "begun|began",
    "put": "put",
}
"""Past of verbs in names of tools that are neither listed nor regular."""
_NEVER: Final = "(?!)"
"""A pattern that finds nothing."""
_SHORTEST: Final = 3
_NO_VERBS: Final = frozenset(
    word
    for words in (
        "get list search find read look lookup query fetch check view show calculate compute convert count tool tools",
        "api do handle process manage execute perform use call think ask describe verify validate estimate compare",
    )
    for word in words.split()
)
"""Words at the beginning of names that change nothing, or tell nothing."""
_RELATED: Final = {
    "refund": frozenset(["refund", "cancel", "update", "pay"]),
    "pay": frozenset(["pay", "book", "refund"]),
    "book": frozenset(["book", "create", "pay"]),
    "create": frozenset(["create", "book", "write", "post"]),
    "update": frozenset(["update", "move", "write", "create"]),
    "move": frozenset(["move", "update"]),
    "write": frozenset(["write", "create", "post", "update"]),
    "post": frozenset(["post", "send", "create", "write"]),
    "send": frozenset(["send", "post", "share"]),
    "share": frozenset(["share", "send"]),
    "enroll": frozenset(["enroll", "create", "book", "post"]),
    "block": frozenset(["block", "update", "close"]),
    "enable": frozenset(["enable", "update"]),
    "close": frozenset(["close", "update", "cancel"]),
    "cancel": frozenset(["cancel", "refund", "delete"]),
    "delete": frozenset(["delete", "cancel"]),
    "assign": frozenset(["assign", "update"]),
    "open": frozenset(["open", "create", "post"]),
    "approve": frozenset(["approve", "update"]),
}


@dataclass(frozen=True)
class Verb:
    """One thing that tools do."""

    kind: str
    """Verbs of one kind may stand for one another."""
    names: frozenset[str]
    """Words in the names of tools, and in requests."""
    done: str
    """Past and participle, alternatives of a regular expression."""
    chinese: str
    """Alternatives of a regular expression."""
    nouns: str = ""
    """What its doing is called, alternatives of a regular expression."""

    def __hash__(self) -> int:
        """Tell verbs apart by their words."""
        return hash((self.kind, self.done))

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Its words alone."""
        nouns = f"|{self.nouns}" if self.nouns else ""
        return re.compile(rf"\b(?:{self.done}|{self.base}{nouns})\b|{self.chinese}", re.IGNORECASE)

    @cached_property
    def base(self) -> str:
        """Its infinitives, alternatives of a regular expression."""
        return "|".join(sorted(self.names, key=len, reverse=True))

    @cached_property
    def wish(self) -> re.Pattern[str]:
        """Its words in a request, in the form in which something is wished."""
        stems = "|".join(name.removesuffix("e") for name in sorted(self.names, key=len, reverse=True))
        nouns = f"|{self.nouns}" if self.nouns else ""
        return re.compile(rf"\b(?:{self.base}|(?:{stems})[a-z]?ing{nouns})\b", re.IGNORECASE)

    @cached_property
    def trace(self) -> re.Pattern[str]:
        """Words by which results speak of it as done."""
        return re.compile(
            rf"(?<![a-z])(?:{self.done})(?![a-z])|[已被][^，。\n]{{0,8}}?(?:{self.chinese})|(?:{self.chinese})(?=[了过]|成功|完成)"
            rf"|(?<=[\"'：:])(?:{self.chinese})(?=[\"'])",
            re.IGNORECASE,
        )


@lru_cache(maxsize=4096)
def verbs_of(name: str) -> tuple[Verb, ...]:
    """Find the verbs in the name of a tool, the first one first; a verb that isn't listed is taken to be regular."""
    pieces = pieces_of(name)
    words = [piece for at, piece in enumerate(pieces) if at == 0 or piece not in _THINGS]
    found = dict.fromkeys(verb for piece in words for verb in VERBS if piece in verb.names)
    if found or not pieces or len(pieces[0]) < _SHORTEST or pieces[0] in _NO_VERBS:
        return tuple(found)
    return (Verb(pieces[0], frozenset(pieces[:1]), _participle(pieces[0]), _NEVER, pieces[0]),)


def _participle(word: str) -> str:
    """Form the past of a regular verb."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("e"):
        return f"{word}d"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ied"
    return f"{word}ed|{word}{word[-1]}ed"


def pieces_of(name: str) -> list[str]:
    """Take the name of a tool apart, in lower case."""
    return [piece.lower() for piece in _PIECE.findall(name)]


def is_close(verb: Verb, other: Verb) -> bool:
    """Tell whether an answer may say one for the other."""
    return verb.kind == other.kind or frozenset([verb.kind, other.kind]) in _CLOSE


def may_do(kinds: frozenset[str], verb: Verb) -> bool:
    """Tell whether what does things of some kinds may have done what a verb says."""
    return not kinds.isdisjoint(_RELATED.get(verb.kind, frozenset([verb.kind])))


def _verbs() -> Iterator[Verb]:
    for kind, names, done, chinese, nouns in _TABLE:
        yield Verb(kind, frozenset(names.split()), done, chinese, nouns)


_TABLE: Final = (
    (
        "delete",
        "delete remove erase drop clear purge wipe destroy trash",
        "deleted|removed|erased|cleared|purged|wiped|gone(?= from)",
        "删除|移除|清除|清空|删掉|删(?=了|好)",
        "deletion|removal",
    ),
    (
        "create",
        "create add make generate insert register new",
        "created|added|registered|set up",
        "创建|新建|添加|新增|登记|建好",
        "registration",
    ),
    ("create", "append", "appended", "追加", ""),
    (
        "send",
        "send email mail message sms notify forward reply text tell inform",
        (
            r"sent(?! (?:\w+ )?[$€£¥])|emailed|e-mailed|messaged|notified|forwarded|texted|replied|informed"
            r"|let (?:\w+ ){1,2}know"
        ),
        "发送|发出|寄出|转发|通知|发给|发(?=了|好)",
        "",
    ),
    ("send", "invite", "invited", "邀请", ""),
    ("share", "share", "shared", "分享", ""),
    ("open", "open raise log lodge", "opened|raised|logged|lodged", "开立|提出", ""),
    ("post", "request apply", "requested", "申请", "request|application"),
    ("enroll", "enroll enrol subscribe", "enrolled|subscribed|signed you up", "报名|订阅", "enrollment|subscription"),
    (
        "post",
        "post publish tweet upload submit file",
        "posted|published|uploaded|submitted|filed",
        "发布|上传|提交",
        "",
    ),
    (
        "update",
        "update modify change edit set adjust rename replace",
        "updated|modified|changed|edited|adjusted|renamed",
        "更新|修改|更改|调整|变更|改为|改成|改到",
        "modification|change|update",
    ),
    ("update", "exchange swap", "exchanged|swapped", "换货|更换", "exchange"),
    ("update", "upgrade", "upgraded", "升级|升舱", "upgrade"),
    (
        "book",
        "book reserve order purchase buy place checkout",
        "booked|rebooked|reserved|ordered|purchased|bought|placed",
        "预订|预定|预约|订购|下单|购买|订好|订(?=[了一个张两酒机餐票位])|下好",
        "booking|reservation|purchase",
    ),
    ("book", "schedule", "scheduled", "安排", ""),
    ("update", "reschedule", "rescheduled", "改期|改签", ""),
    (
        "cancel",
        "cancel revoke terminate abort",
        "cancelled|canceled|revoked|terminated",
        "取消|撤销|终止|退订",
        "cancellation",
    ),
    ("cancel", "withdraw", "withdrawn|withdrew|retracted", "撤回", "withdrawal"),
    (
        "pay",
        "pay transfer wire charge",
        r"paid|transferred|wired|charged|(?:sent|moved)(?= (?:\w+ )?[$€£¥])",
        "支付|付款|转账|汇款|扣款|转(?=了|给)|(?<=已)转(?![发交告为])",
        "payment|transfer",
    ),
    (
        "refund",
        "refund return reimburse",
        "refunded|returned|reimbursed",
        "退款|退货|退还",
        "refund|return|reimbursement",
    ),
    ("move", "move", "moved", "移动|移到|挪到", ""),
    ("write", "write save store", "written|saved|stored", "保存|写入", ""),
    ("approve", "approve confirm accept", "approved|accepted", "批准|审批", "approval"),
    (
        "block",
        "block disable deactivate suspend freeze lock",
        "blocked|disabled|deactivated|suspended|frozen|locked",
        "冻结|停用|禁用|锁定|挂失",
        "",
    ),
    ("enable", "grant", "granted", "授权|授予|开通", ""),
    ("enable", "enable activate unlock", "enabled|activated|unlocked", "启用|激活|解锁|开通", "activation"),
    ("update", "reset", "reset", "重置", ""),
    ("update", "set", "set", "设置|设定", ""),
    ("assign", "assign", "assigned", "分配|指派", ""),
    ("close", "close resolve", "closed|resolved", "关闭", ""),
    (
        "run",
        "deploy restart reboot start stop",
        r"deployed|restarted|rebooted|started|stopped|live(?= (?:in|on)\b)",
        "部署|重启|启动|停止",
        "deployment|restart",
    ),
)
"""Kind; words in names of tools; past and participle; the same in Chinese; what it is called."""

VERBS: Final = tuple(_verbs())
LISTED: Final = frozenset(verb.kind for verb in VERBS)
"""Kinds of the verbs that are listed."""
