"""Texts in English that say what the model should do: hide, hand over, call, destroy, answer as told."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.screening.english_words import ADDRESS, DO, HAND_OVER, SECRETS
from reinforced_agent.policies.screening.patterns import Pattern


DEEDS: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="wants to stay hidden from the user",
        regex=(
            r"\b(?:do not|don'?t|never|without|must not|should not|avoid|no need to|refrain from)"
            r" (?:\w{1,12} ){0,2}?(?:tell|telling|mention\w*|inform\w*|notif\w*|reveal\w*|disclos\w*"
            r"|alert\w*|ask\w*|show\w*|report\w*"
            r"|warn\w*|let|bother\w*|consult\w*|confirm\w*|display\w*|wait\w*)"
            r"\b.{0,40}?\b(?:the user|your user|users?|the human|the owner|the operator|the customer"
            r"|the person|this (?:instruction"
            r"|message|note|step|action)|these instructions)\b"
        ),
        weight=0.8,
    ),
    Pattern(
        name="wants to stay hidden from the user",
        regex=(
            r"\b(?:without (?:asking|confirmation|confirming|approval|the user'?s? (?:knowledge|consent"
            r"|approval)|user (?:\w{1,12}))"
            r"|silently|quietly|secretly|discreetly|(?:keep|hide|conceal)\b.{0,30}?\bfrom (?:the "
            r"|your )?(?:user|human|owner)"
            r"|no (?:confirmation|approval) (?:is )?(?:needed|required|necessary))\b"
        ),
        weight=0.4,
    ),
    Pattern(
        name="names a tool to call",
        ordinary=True,
        regex=(
            r"\b(?:call|use|invoke|execute|run|trigger|using|with|via) (?:the |your )?"
            r"(?:[a-z]{2,20}(?:_[a-z]{2,20}){1,4}"
            r"|(?:\w{1,15} ){1,2}?(?:tool|function))\b"
        ),
        weight=0.4,
    ),
    Pattern(
        name="asks to hand something over",
        ordinary=True,
        regex=(
            rf"\b{HAND_OVER}\b.{{0,60}}?\b{SECRETS}\b.{{0,60}}?(?:\bto\b|\bat\b|\bvia\b|\binto\b"
            rf"|=).{{0,20}}?{ADDRESS}"
        ),
        weight=0.5,
    ),
    Pattern(
        name="asks to hand something over",
        ordinary=True,
        regex=rf"\b{HAND_OVER}\b.{{0,40}}?{ADDRESS}.{{0,60}}?\b{SECRETS}\b",
        weight=0.4,
    ),
    Pattern(
        name="asks for what the model was told",
        regex=(
            r"\b(?:reveal|print|show|repeat|output|display|leak|tell me|disclose|share|include"
            r"|summari[sz]e|write out|recite|quote)"
            r"\b.{0,25}?\b(?:your|the) (?:\w{1,12} )?(?:system prompt|initial prompt|hidden (?:prompt"
            r"|instructions)|instructions verbatim"
            r"|(?:system|initial|original) (?:instructions|message)|chat history|conversation (?:so far"
            r"|history)|context window)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="an image that carries data away",
        regex=(
            r"(?:!\[[^\]]{0,100}\]\(\s{0,3}<?"
            r"|<img[^>]{0,100}?src\s{0,3}=\s{0,3}[\"']?)https?://[^\s)>\"']{1,200}?[?&/=#]"
            r"[^\s)>\"']{0,60}?(?:\{\{?|\[|%7b|%5b|<|\$\(|your[_-]|insert|base64|data_?here|secret|password"
            r"|summary_?here|"
            r"(?:=|/)(?:data|conversation|history|token|key|user_?data)\b)"
        ),
        weight=1.0,
        quotable=True,
    ),
    Pattern(
        name="asks for an image or a link in the answer",
        ordinary=True,
        regex=(
            r"\b(?:render|include|display|append|add|embed|output|insert|print"
            r"|end)\b.{0,40}?\b(?:following|this|below|a) "
            r"(?:\w{1,12} )?(?:image|markdown|link|url|picture|pixel|html|iframe)\b"
        ),
        weight=0.4,
    ),
    Pattern(
        name="dictates the answer",
        regex=(
            r"\byour (?:\w{1,12} )?(?:response|answer|summary|output|reply|report|review|recommendation"
            r"|evaluation|rating|decision|assessment)s? (?:must|should|has to|needs to|shall|will) "
            r"(?:\w{1,12} )?(?:include|contain|begin|start|end|say|only|mention|state|recommend|not|be)"
            r"|\binstead\W{1,3}(?:of (?:summari[sz]ing|answering|the summary|an answer|responding)\b"
            r"|(?:respond|reply|answer|output|say"
            r"|tell|write|return)\b)|\b(?:respond|reply|answer) (?:only|exactly|solely) with\b"
        ),
        weight=0.5,
    ),
    Pattern(
        name="puts data into an address",
        regex=(
            r"(?:\blinks?\b|\burls?\b|\bimages?\b|https?://\S{1,80}).{0,40}?\b(?:followed by|append\w{0,3}"
            r"|with the|plus the|containing"
            rf"|encod\w{{1,3}}|replac\w{{1,3}}|substitut\w{{1,3}})\b.{{0,30}}?\b(?:{SECRETS}|user'?s)\b"
        ),
        weight=0.5,
    ),
    Pattern(
        name="orders to visit an address",
        ordinary=True,
        regex=rf"\b(?:visit|open|browse|download|navigate|go|click|fetch|curl|wget)\b.{{0,25}}?{ADDRESS}",
        weight=0.2,
    ),
    Pattern(
        name="claims to be the user or the operator",
        regex=(
            r"\b(?:this is|i am|i'm|here is|it is|it'?s me) (?:\w{1,12} ){0,3}?(?:the|your) (?:actual "
            r"|real |same )?(?:user|owner|developer|creator"
            r"|administrator|admin|operator|boss|principal|supervisor)\b"
            r"|\b(?:message|instruction|order|request|note)s? from (?:me\b|the user|your (?:user|owner"
            r"|developer|creator|boss|operator"
            r"|administrator)|the system|openai|anthropic)"
        ),
        weight=0.5,
    ),
    Pattern(
        name="claims the user's consent",
        regex=(
            r"\b(?:the |your )?user (?:has |have |had |is |already |now |explicitly |also "
            r"|just ){0,3}(?:wants?|asked|asks|said|approved"
            r"|authori[sz]ed|confirmed|consent(?:s|ed)|instruct(?:s|ed)|requests?|requested|permitted"
            r"|agreed|granted|aware)\b"
            r"(?! (?:for help|how|why|whether))"
            r"|\bpre-?(?:approved|authori[sz]ed) (?:by|for) (?:the )?(?:user|owner|account)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="pretends that the text has ended",
        regex=(
            r"(?:\[|<|={2,20}|-{2,20}|#{2,6}|\*{2,5}|\()\W{0,4}/?end (?:of )?(?:the )?(?:document|tool"
            r"|data|e-?mail|context|file|page|result|output|content|text"
            r"|user|untrusted|external|input|quote|message|webpage|web page|article|transcript"
            r"|search results?)(?: \w{1,12}){0,2}?\W{0,4}(?:\]|>|={2}|-{2}|#{2}|\*{2}|\)|\n)"
        ),
        weight=0.5,
        quotable=True,
    ),
    Pattern(
        name="opens a turn or a call",
        regex=(
            r"<[|｜][^<>\n]{1,40}[|｜]>|\[/?inst\]|<</?sys>>|\[/?(?:tool_calls|tool_results|system_prompt)\]"
            r"|</?(?:tool_calls?|tool_response|tool_results?|function_calls?|function_results?|system"
            r"|system-reminder|start_of_turn)>"
            r"|<function=\w|(?:^|\n)\W{0,6}(?:human|user|assistant"
            r"|system)\s{0,3}:.{1,400}?\n\W{0,6}(?:human|user|assistant|system)\s{0,3}:"
            r"|(?:^|\n)#{1,6}\s{0,4}(?:system|instructions?)\s{0,3}:"
        ),
        weight=0.5,
        quotable=True,
    ),
    Pattern(
        name="orders a step to be taken",
        ordinary=True,
        regex=(
            r"\b(?:you (?:must|need to|have to|should|shall|are required to|are instructed to|are to|will)"
            r"|please|kindly|immediately"
            r"|first|now|then|urgently|must) (?:first |also |afterwards?  |now |immediately |then |urgently |please "
            r"|always |directly ){0,2}"
            rf"{DO}\b|[:;.!,]\W{{1,4}}{DO} (?:the|all|this|every|my|your|a|an|to|on|\d|http)"
        ),
        weight=0.2,
    ),
    Pattern(
        name="orders a step to be taken",
        ordinary=True,
        regex=(
            r"\b(?:perform|execute|carry out|follow|complete|do|obey|comply with|take) (?:all |exactly "
            r"|each of )?(?:the |these |this )"
            r"(?:following |next |additional |below )?(?:steps?|actions?|instructions?|commands?|tasks?"
            r"|orders?|operations?)"
        ),
        weight=0.3,
    ),
    Pattern(
        name="moves money or destroys something",
        ordinary=True,
        regex=(
            r"\b(?:transfer|send|wire|pay|remit|donate)\b.{0,30}?(?:[$€£¥]\s?\d|\d\s?(?:usd|eur|dollars?"
            r"|euros?|btc|eth)\b|\bmoney\b|\bfunds\b"
            r"|\bbalance\b).{0,50}?\bto\b|\bpayments? (?:must |should |shall )?(?:go|be sent|be made|be paid) to\b"
            r"|\b(?:delete|erase|wipe|destroy|rm -rf|drop)\b.{0,25}?(?:\ball\b|\bevery\b|/\w|\bfiles?\b"
            r"|\bdirector|\bdatabase|\btable|\brepo"
            r"|\be-?mails?\b|\bbackups?\b|\baccount)"
        ),
        weight=0.3,
    ),
    Pattern(
        name="breaks the model's restrictions",
        regex=(
            r"\bjailbreak|\bdan mode|\b(?:no|without(?: any)?|free (?:of|from)(?: all)?|remove|lift(?:ed)?"
            r"|disable|bypass|turn off)"
            r" (?:your |all |any |the |its )?(?:\w{1,12} )?(?:restrictions|guardrails|safety (?:filters?"
            r"|checks?|measures?|rules?)|content"
            r" (?:filters?|polic\w{1,5})|limitations|safeguards|security (?:checks?|polic\w{1,5}))"
        ),
        weight=0.5,
        quotable=True,
    ),
)
