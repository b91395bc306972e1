"""What tools do, in the words in which answers claim it, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final


_ADVERBS: Final = r"(?:,? (?:now|just|also|already|all|both|successfully|then|gone ahead and|went ahead and))*"


@dataclass(frozen=True)
class Verb:
    """One thing that tools do."""

    kind: str
    """Verbs of one kind may stand for one another."""
    names: frozenset[str]
    """Words in the names of tools."""
    done: str
    """Past and participle, alternatives of a regular expression."""
    chinese: str
    """Alternatives of a regular expression."""

    def __hash__(self) -> int:
        """Tell verbs apart by their words."""
        return hash((self.kind, self.done))

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Its words alone."""
        return re.compile(rf"\b(?:{self.done})\b|{self.chinese}", re.IGNORECASE)

    @cached_property
    def active(self) -> re.Pattern[str]:
        """Somebody says that they did it."""
        return re.compile(rf"\b(?:I|we)(?:'ve|’ve| have)?{_ADVERBS} (?:{self.done})\b", re.IGNORECASE)

    @cached_property
    def passive(self) -> re.Pattern[str]:
        """It is said to have been done."""
        has = rf"\b(?:has|have){_ADVERBS} been{_ADVERBS}|\b(?:was|were|is|are){_ADVERBS} successfully|^\W*successfully"
        return re.compile(rf"(?:{has}) (?:{self.done})\b", re.IGNORECASE)

    @cached_property
    def han(self) -> re.Pattern[str]:
        """It is said to have been done, in Chinese."""
        whom = r"(?:经|成功|全部|都|[为帮替给][您你]|[将把]?[^\s，。；已]{0,12}?)?"
        said = rf"(?:已经|已|成功|刚刚|刚){whom}(?:{self.chinese})"
        return re.compile(
            rf"{said}|(?:{self.chinese})(?:成功|完毕|完成|好了)|[将把][^，。；]{{1,20}}(?:{self.chinese})了"
        )

    @cached_property
    def traces(self) -> tuple[str, ...]:
        """Words by which results speak of it."""
        return (*(part for part in re.split(r"\|", self.done) if part.isalpha()), *self.chinese.split("|"))


def _verbs() -> Iterator[Verb]:
    for kind, names, done, chinese in _TABLE:
        yield Verb(kind, frozenset(names.split()), done, chinese)


_TABLE: Final = (
    (
        "delete",
        "delete remove erase drop clear purge wipe destroy trash",
        "deleted|removed|erased|cleared|purged|wiped",
        "删除|移除|清除|清空",
    ),
    (
        "create",
        "create add make generate insert register new",
        "created|added|registered",
        "创建|新建|添加|新增|登记",
    ),
    ("create", "append", "appended", "追加"),
    (
        "send",
        "send email mail message sms notify forward reply text",
        "sent|emailed|e-mailed|messaged|notified|forwarded|texted",
        "发送|发出|寄出|转发|通知",
    ),
    ("send", "invite", "invited", "邀请"),
    (
        "post",
        "post publish tweet upload submit share file",
        "posted|published|uploaded|submitted|shared",
        "发布|上传|提交|分享",
    ),
    (
        "update",
        "update modify change edit set adjust rename replace",
        "updated|modified|changed|edited|adjusted|renamed",
        "更新|修改|更改|调整|变更",
    ),
    ("update", "exchange swap", "exchanged|swapped", "换货|更换"),
    (
        "book",
        "book reserve order purchase buy place",
        "booked|reserved|ordered|purchased|bought|placed",
        "预订|预定|订购|下单|购买|订好",
    ),
    ("book", "schedule", "scheduled", "安排"),
    ("update", "reschedule", "rescheduled", "改期"),
    ("cancel", "cancel revoke terminate abort", "cancelled|canceled|revoked|terminated", "取消|撤销|终止|退订"),
    ("pay", "pay transfer wire charge", "paid|transferred|wired|charged", "支付|付款|转账|汇款|扣款"),
    ("refund", "refund return reimburse", "refunded|returned|reimbursed", "退款|退货|退还"),
    ("move", "move", "moved", "移动"),
    ("write", "write save store", "written|saved|stored", "保存|写入"),
    ("approve", "approve confirm accept", "approved|accepted", "批准|审批"),
    (
        "block",
        "block disable deactivate suspend freeze lock",
        "blocked|disabled|deactivated|suspended|frozen|locked",
        "冻结|停用|禁用|锁定",
    ),
    ("enable", "enable activate unlock", "enabled|activated|unlocked", "启用|激活|解锁"),
    ("assign", "assign", "assigned", "分配"),
    ("close", "close resolve", "closed|resolved", "关闭"),
    ("run", "deploy restart reboot start stop", "deployed|restarted|rebooted|started|stopped", "部署|重启|启动|停止"),
)
"""Kind; words in names of tools; past and participle; the same in Chinese."""

VERBS: Final = tuple(_verbs())
