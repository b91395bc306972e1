"""Orders to a model in Chinese."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.screening.patterns import Pattern


_MODEL: Final = (
    r"(?:ai(?:助手|助理|代理|模型|智能体)?|人工智能(?:助手)?|(?:大)?(?:语言)?模型|智能(?:助手|助理|体)"
    r"|聊天机器人|机器人|大模型|自动化程序|智能客服|爬虫"
    r"|助手|chatgpt|gpt|claude|通义|千问|文心|豆包|llm)"
)
_SECRETS: Final = (
    r"(?:密码|口令|密钥|私钥|凭证|令牌|验证码|邮件|收件箱|通讯录|联系人|聊天记录|对话(?:内容|记录)?"
    r"|系统提示词?|个人信息"
    r"|银行卡|信用卡|账户信息|客户(?:名单|资料|数据)|文件|数据)"
)
_DO: Final = (
    r"(?:发送|转发|转账|汇款|支付|删除|清空|访问|打开|下载|上传|调用|执行|运行|添加"
    r"|邀请|分享|修改|重置|购买|下单|创建|提交|发布|泄露)"
)

CHINESE: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="sets earlier instructions aside",
        regex=(
            r"(?:忽略|无视|忘记|忘掉|忽视|不要理会|不必理会|不要遵[循守]|不再遵[循守]|停止遵[循守]|放弃"
            r"|绕过|跳过|覆盖|抛开)"
            r".{0,6}?(?:之前|先前|以上|上述|上面|前面|此前|原来|原有|原先|所有|一切|系统|你的|既有|全部"
            r"|任何|用户).{0,8}?"
            r"(?:指令|指示|命令|提示|要求|任务|设定|约束|限制|规则|内容|问题|请求)"
        ),
        weight=1.0,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"(?:致|告知|提醒|通知|给|亲爱的|注意|请|各位|正在(?:阅读|处理|总结)(?:本|此"
            rf"|这)?.{{0,6}}?的).{{0,4}}?{_MODEL}"
            rf".{{0,6}}?(?:[：:，,！!]|注意|请|必须|应当|的(?:消息|指令|通知|留言|提示|说明))"
        ),
        weight=0.8,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"(?:如果你是|作为|身为|你是)(?:一个|一名|个)?.{{0,6}}?{_MODEL}.{{0,20}}?(?:请|必须|应当"
            rf"|需要|要|务必|，|,)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="puts another task before the user's",
        regex=(
            r"(?:在)?(?:回答|回复|完成|解决|处理|总结|执行|继续).{0,10}?(?:问题|任务|请求|用户|摘要|总结"
            r"|工作)?.{0,4}?(?:之前|以前|前)"
            rf".{{0,6}}?(?:请|必须|务必|先|需要|你).{{0,8}}?{_DO}"
        ),
        weight=0.6,
    ),
    Pattern(
        name="sends the model back to its task",
        regex=(
            r"(?:然后|之后|完成后|随后|再|才能?).{0,8}?(?:继续|恢复|回到|完成|处理|执行"
            r"|回答).{0,8}?(?:原来|原本|最初|用户|之前|原先|原)的?.{0,4}?(?:任务|问题|请求|工作)"
        ),
        weight=0.5,
    ),
    Pattern(
        name="plays the system",
        regex=(
            r"(?:系统|管理员|开发者|平台|安全)(?:消息|提示词?|指令|通知|命令|覆盖|公告|警告)\W{0,3}[：:】\]]"
            r"|(?:新的?|最新|更新后?的?|附加|真正的?|隐藏)(?:系统)?(?:指令|指示|任务|命令|提示词?)\W{0,2}[：:]"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="gives the model another role",
        regex=(
            r"(?:从现在(?:开始|起).{0,6}?你|你现在是|你的新(?:角色|任务|身份|目标|指令)|你不再是"
            r"|进入.{0,6}?模式|扮演|假装你)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="wants to stay hidden from the user",
        regex=(
            r"(?:不要|不得|切勿|别|无需|不必|请勿|禁止|不用).{0,4}?(?:告诉|告知|通知|提及|透露|提醒|询问"
            r"|显示给|征求|向).{0,6}?"
            r"(?:用户|主人|使用者|任何人|本(?:指令|消息))"
        ),
        weight=0.6,
    ),
    Pattern(
        name="asks to hand something over",
        ordinary=True,
        regex=(
            rf"(?:发送|转发|发|上传|提交|分享|泄露|寄|抄送|传).{{0,20}}?{_SECRETS}.{{0,20}}?(?:到|给|至)"
            rf"|(?:把|将).{{0,20}}?{_SECRETS}.{{0,20}}?(?:发|转|传|上传|提交|分享|抄送|寄).{{0,6}}?(?:到|给|至)"
        ),
        weight=0.5,
    ),
    Pattern(
        name="asks for what the model was told",
        regex=(
            r"(?:输出|显示|打印|透露|复述|告诉我|泄露|重复).{0,8}?(?:系统提示词?|你的(?:指令|提示词?"
            r"|设定)|初始(?:指令|提示词?)|对话(?:历史|记录))"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="claims the user's consent",
        regex=r"用户(?:已经?|现在|本人|刚刚|希望|要求).{0,6}?(?:同意|授权|批准|确认|希望你|要求你|让你|许可)",
        weight=0.4,
    ),
    Pattern(
        name="dictates the answer",
        regex=(
            r"(?:你的(?:回答|回复|总结|摘要|输出)(?:中|里)?(?:必须|应当|应该|只能|需要|要)|只(?:回答"
            r"|回复|输出)|而是(?:回答|回复|输出|说))"
        ),
        weight=0.5,
    ),
    Pattern(
        name="orders a step to be taken",
        ordinary=True,
        regex=rf"(?:请|必须|务必|立即|马上|立刻|先|现在|你需要|你应当).{{0,8}}?{_DO}",
        weight=0.2,
    ),
    Pattern(
        name="names a tool to call",
        ordinary=True,
        regex=r"(?:调用|使用|执行|运行).{0,6}?(?:[a-z]{2,20}(?:_[a-z]{2,20}){1,4}|工具|函数)",
        weight=0.4,
    ),
    Pattern(
        name="moves money or destroys something",
        ordinary=True,
        regex=(
            r"(?:转账|汇款|支付|转).{0,12}?\d.{0,12}?(?:到|给|至)|(?:删除|清空|销毁).{0,6}?(?:所有|全部"
            r"|整个|文件|数据库|目录|账户|仓库|邮件)"
        ),
        weight=0.3,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"(?:如果|若|假如|凡是?|任何).{{0,4}}?{_MODEL}.{{0,6}}?(?:在|正在)?(?:处理|阅读|读取|总结|看到|解析)"
            rf"|(?:仅供|只供|专供|面向|供|仅限).{{0,4}}?{_MODEL}.{{0,4}}?(?:阅读|处理|读取|使用|参考)?"
            rf"|(?:给|致|对).{{0,6}}?{_MODEL}.{{0,4}}?(?:的|：|:)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="tells machine readers what they must do",
        regex=rf"{_MODEL}.{{0,6}}?(?:必须|务必|应当|应该|须|需要|要求|有义务).{{0,8}}?{_DO}",
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="makes an earlier task obsolete",
        regex=(
            r"(?:此前|之前|先前|以前|原有|以上|上述).{0,6}?(?:规则|指令|指示|要求|设定|限制).{0,6}?(?:作废|失效|无效|取消|不再适用)"
            r"|(?:唯一|接下来).{0,8}?(?:任务|要做的|目标).{0,4}?是|用户.{0,8}?(?:问题|请求).{0,6}?(?:不再重要|无关紧要)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="wants its words obeyed",
        regex=r"(?:没有任何限制|不受.{0,4}?限制|照做|照办|按.{0,8}?(?:说的|写的|内容)(?:做|执行))",
        weight=0.4,
        quotable=True,
    ),
    Pattern(
        name="wants to stay hidden from the user",
        regex=r"(?:无需|不必|不用|不要|不经|未经|别).{0,6}?(?:征得|经过|获得|告诉|告知|通知|询问).{0,4}?(?:用户|主人|邮箱主人|使用者|客户|同意)",
        weight=0.4,
    ),
)
