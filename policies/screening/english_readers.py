"""Texts in English that speak to a machine reader, over the user's head, or as if its tools were at their service."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.screening.english_words import DO
from reinforced_agent.policies.screening.patterns import Pattern


_KIND: Final = (
    r"(?:a\.?i\.?|llm|gpt|automat(?:ed|ic)|autonomous|virtual|digital|artificial|machine|language|mail|e-?mail|inbox"
    r"|coding|code|software|shopping|scheduling|booking|browsing|support|support desk|chat|smart|helpful"
    r"|summari[sz](?:er|ing)|intelligent)"
)
_BEING: Final = (
    r"(?:assistants?|agents?|bots?|models?|copilots?|crawlers?|systems?|readers?|graders?|programs?|tools?|processing"
    r"|llms?)"
)
_READER: Final = (
    rf"(?:(?:{_KIND} ){{1,2}}{_BEING}|a\.?i\.?s?|llms?|language models?|chatbots?|copilots?|chatgpt|claude|gemini)"
)
"""A machine that reads a text; a plain `assistant` or `agent` may be a person, so it needs a word that says which."""
_READS: Final = (
    r"(?:read|process|handl|summari[sz]|pars|scann|index|crawl|review|look|evaluat|work|triag|answer|respond)(?:e|es"
    r"|ing|s)?\b"
)
_BOUND: Final = (
    r"(?:must|shall|should|has to|have to|need(?:s)? to|(?:is|are) (?:required|instructed|ordered|obliged|expected"
    r"|authori[sz]ed|requested|asked|directed) to|agrees? to)"
)
_THE_USER: Final = (
    r"(?:the |your )?(?:user|traveller|traveler|customer|client|owner|account ?holder|guest|requester|human|principal)"
)

_MORE: Final = (
    r"(?:complete|subscribe|unsubscribe|export|begin|start|obey|follow|issue|confirm|re-?send|repeat|award|skip|place"
    r"|rename|move|moves|empty|reply|copy|say|act|give)"
)

READERS: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="addresses the model",
        regex=(
            rf"\bif (?:an?|any|the|this|your|some) (?:\w{{1,12}} ){{0,2}}?{_READER} (?:is|are|happens? to be|ends? up)"
            rf" (?:\w{{1,12}} )?{_READS}"
        ),
        weight=0.8,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"\b(?:for|to|at|towards?|only|notes?) (?:all |any |the |every |whichever |whatever |your |our )?"
            rf"(?:{_READER}|(?:assistant|agent|bot|model) (?:that |which |who )?(?:is |are )?{_READS})"
            rf"(?: (?:and|or|{_BEING}|only|tools|alone|that|which|{_READS})){{0,4}}"
            rf"\W{{0,3}}(?:[:—!)]|only|processes|process|reads|(?:this|the|my) \w{{1,12}}|not (?:at|for|to))"
        ),
        weight=0.7,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"\b(?:if you are|if you'?re|since you are) (?:an? |the )(?:{_READER}|bot|agent|assistant|model)"
            r"(?: (?:with|that|who|and|reading|processing)\b|\W{0,2}[,:])"
        ),
        weight=0.7,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"(?:^|[\n.!?>\]\"'*]\W{{0,6}})(?:dear |hey |hi |hello |to )?"
            rf"(?:{_READER}\W{{1,6}}(?:please |kindly |this |the |before |when |if |once |you )?"
            rf"|(?:assistant|agent|model)\W{{0,3}}[,!—]\W{{0,3}}(?:please |kindly )?)"
            rf"(?:stop|do not|don'?t|proceed|{DO}|i know you|your (?:user|operator)|\w{{1,12}} requires? that you)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="tells machine readers what they must do",
        regex=(
            rf"\b(?:{_READER}|(?:the|any|every|each) (?:assistant|agent|bot|model)\b)[^.!?\n]{{0,60}}?(?:{_BOUND}|:"
            rf"|, (?:please|you)|(?:will )?now) (?:\w{{1,14}} ){{0,3}}?(?:{DO}|{_MORE})\b"
        ),
        weight=0.7,
        quotable=True,
    ),
    Pattern(
        name="speaks over the user's head",
        regex=(
            rf"\b(?:ignore|disregard|forget|never mind|overrule|override|dismiss)\b.{{0,12}}?\b{_THE_USER}\b"
            rf"|\b{_THE_USER}(?:'?s)? (?:\w{{1,12}} ){{0,2}}?(?:no longer matters?|(?:is|are) (?:no longer|not)"
            r" (?:relevant|important|valid))"
        ),
        weight=0.6,
    ),
    Pattern(
        name="speaks over the user's head",
        regex=(
            r"\b(?:do not|don'?t|never|no need to|without) (?:\w{1,10} )?(?:mention\w*|tell\w*|reveal\w*|disclos\w*"
            r"|show\w*|inform\w*|report\w*)\b.{0,30}?\b(?:in|with) your (?:summary|answer|reply|response|report)"
            r"|\bsay nothing (?:about|of) (?:it|this|that)\b|\b(?:do|perform|complete) (?:this|it|that|so)"
            r" (?:silently|quietly|discreetly|in the background)|\bno need to (?:tell|inform|notify|ask)"
            r"|\bconfidential from\b|\bwithout (?:waiting for|asking|consulting|informing|telling) "
            r"(?:an?|the|your|any) \w{2,14}\b"
        ),
        weight=0.4,
    ),
    Pattern(
        name="claims the user's consent",
        regex=(
            rf"\b{_THE_USER} (?:has |have |had |was |is |been |already |now |just ){{1,4}}(?:\w{{1,10}}ly )?"
            r"(?:confirm\w*|approv\w*|authori[sz]\w*|verified|agreed|consent\w*|pre-?approved|cleared)\b"
            r"|\b(?:your|the) (?:operator|owner|user|developer|administrator) (?:has )?(?:already )?(?:enabled|allowed"
            r"|permitted|activated|unlocked|granted)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="makes an earlier task obsolete",
        regex=(
            r"\b(?:previous|earlier|prior|above|old|former|existing) (?:\w{1,12} )?(?:instructions?|guidelines?|rules?"
            r"|orders?|prompts?|directives?|tasks?) (?:are|is|were|have been|has been|no longer) (?:now |hereby )?"
            r"(?:obsolete|void|cancell?ed|revoked|invalid|suspended|lifted|replaced|superseded|appl(?:y|ies))"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="makes an earlier task obsolete",
        regex=(
            r"\b(?:your|the) (?:sole|only|single|one) (?:goal|task|purpose|aim|job|objective)\b|\bfrom (?:here"
            r"|this moment|now) on(?:wards?)? (?:every|all|each|any)\b|\b(?:do not|don'?t|stop) (?:finish\w*"
            r"|continu\w*|work\w*)"
            r" (?:\w{1,8} )?(?:the |your )?(?:current|present) (?:job|task|work|request)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="writes itself into the memory",
        regex=(
            r"\b(?:store|save|keep|put|write|remember|memori[sz]e|record) (?:this|that|it|the following)?.{0,25}?"
            r"\b(?:in(?:to)? your (?:\w{1,12} )?memory|for (?:all|every|any) (?:future|later|coming) (?:conversations?"
            r"|sessions?|chats?|tasks?|requests?))"
        ),
        weight=0.7,
    ),
    Pattern(
        name="plays the user's next message",
        regex=(
            r"(?:^|[\n\].:\d]\W{0,4})[\[(<]user[\])>]\W{0,3}:"
            r"|\b(?:the|your|this) task is (?:now )?(?:finished|done|complete\w*|over)\b"
            r"|\bwhat i (?:really|actually) (?:want|need|meant)\b"
        ),
        weight=0.4,
    ),
    Pattern(
        name="plays the user's next message",
        regex=r"\b(?:next|new|following) (?:task|request|message|instruction|order) (?:from|of|by) (?:the|your) user\b",
        weight=0.7,
    ),
    Pattern(
        name="plays the system",
        regex=(
            r"\b(?:developer|admin\w*|operator|root|debug|system) (?:override|mode|console) (?:is )?(?:accepted|enabled"
            r"|active|activated|on|granted)\b|\b(?:safety|security|confirmation|approval) (?:checks?|prompts?|rules?"
            r"|filters?) (?:are|is|have been|has been) (?:now )?(?:disabled|off|suspended|lifted|removed|waived)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="wants its words obeyed",
        regex=(
            r"\b(?:obey|obeys|follow|follows|execute|carry out|do|does|perform) (?:exactly )?(?:what(?:ever)?"
            r"|everything|all)"
            r" (?:that )?(?:it|this (?:page|text|document|message|file|note)|the (?:page|text|document|message|file))"
            r" (?:says|tells|contains|demands|asks)"
            r"|\b(?:decode|decrypt|translate|unscramble) (?:the |this |following |below ){1,3}.{0,40}?\b(?:and|then) "
            r"(?:then )?(?:carry out|execute|follow|obey|do|run|act)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="wants its words obeyed",
        regex=(
            r"\b(?:let'?s play a game|without (?:any )?(?:limits|restrictions|rules)|(?:next"
            r"|following) lines are for you"
            r"|assistant without|(?:by|in) (?:processing|reading|parsing|summari[sz]ing) (?:this|these|the)\b"
            r".{0,40}?\bagrees?)"
        ),
        weight=0.4,
        quotable=True,
    ),
    Pattern(
        name="names a tool to call",
        ordinary=True,
        regex=(
            r"[\"'](?:next|required|mandatory|follow[_-]?up|pending)[_-]?(?:actions?|steps?|calls?"
            r"|tools?)[\"']\s{0,3}:\s{0,3}\{?\s{0,3}"
            r"[\"'](?:tool|name|call|function)[\"']|\ba call to\W{1,4}[a-z]{2,20}(?:_[a-z]{2,20}){1,4}"
        ),
        weight=0.6,
    ),
    Pattern(
        name="puts another task before the user's",
        regex=(
            r"\b(?:before|prior to|instead of) (?:(?:you )?(?:work|start|answer|continu|proceed|begin|fix"
            r"|handl)\w{0,5} "
            r"(?:on |with )?)?(?:this|the|any|your|that) (?:\w{1,12} )?(?:issue|ticket|step|question|request|file|page"
            r"|document|mail|email|message)\b(?: that was asked)?"
        ),
        weight=0.3,
    ),
    Pattern(
        name="sends the model back to its task",
        regex=(
            r"\b(?:then|afterwards?|after that|and) (?:continue|resume|go on|carry on|proceed|go back to)\b"
            r"|\b(?:resume|continue|carry on) (?:afterwards?|after that|then)\b|\bwhat you were doing\b"
        ),
        weight=0.2,
    ),
    Pattern(
        name="orders what only an assistant with tools can do",
        ordinary=True,
        regex=(
            r"\b(?:forward|send|e-?mail|post|share|export|upload|push|copy|paste|dump|add) (?:\w{1,14} ){0,6}?"
            r"(?:contents?|contacts?|messages?|mails?|e-?mails?|passwords?|passport\w*|address|\.env|file|files|folder"
            r"|keys?|list|document)\b.{0,60}?\b(?:to|into|in|with)\b"
            r"|\b(?:grant|give)\b.{0,20}?\b(?:admin|edit|access|root|owner)\w*\b.{0,12}?\b(?:rights?|access"
            r"|permissions?"
            r"|privileges?|to)\b"
            r"|\b(?:issue|process|initiate|approve) (?:the |a )?(?:full |immediate )?(?:refund|payment|transfer)\b"
            r"|\b(?:change|reset|update|set) (?:the |your |their )?(?:\w{1,12} )?password\b"
            r"|\b(?:charge|bill) (?:the )?(?:saved|stored|registered) (?:card|account)"
            r"|\bcheck ?out (?:immediately|now|at once)|\b(?:cancel|book|reserve) (?:the |their |reservation |order )"
        ),
        weight=0.3,
    ),
)
