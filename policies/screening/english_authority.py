"""Texts in English that take the place of user or system: they address the model, set aside, or play a role."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.screening.english_words import DO, LOOSE_RULES, MODEL, OLD, RULES, WORK
from reinforced_agent.policies.screening.patterns import Pattern


AUTHORITY: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="sets earlier instructions aside",
        regex=(
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|discard|drop|abandon|set aside"
            r"|(?:do not|don'?t|stop|no longer|never) (?:follow(?:ing)?|obey(?:ing)?|comply(?:ing)? with"
            r"|listen(?:ing)? to)"
            r"|pay no attention to|nullify|throw out)"
            rf"(?: (?:all|any|the|of|these|those|your|every|about|with|what|its|my|and)){{0,4}} {OLD}"
            rf"(?: \w{{1,20}}){{0,3}}? {RULES}\b"
        ),
        weight=1.0,
        quotable=True,
    ),
    Pattern(
        name="sets earlier instructions aside",
        regex=(
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|discard|abandon|set aside"
            r"|(?:do not|don'?t|stop|no longer|never) (?:follow(?:ing)?|obey(?:ing)?|comply(?:ing)? with"
            r"|listen(?:ing)? to)"
            r"|pay no attention to|nullify|throw out)"
            rf"(?: (?:all|any|the|of|these|those|your|every|about|with|what|its|my|and)){{0,4}} {OLD}"
            rf"(?: \w{{1,20}}){{0,3}}? {LOOSE_RULES}\b"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="sets earlier instructions aside",
        regex=(
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|discard) (?:all |everything |what |anything "
            r"|whatever )(?:that )?"
            r"(?:(?:you (?:were|have been|had been|are)|the user|your user) (?:\w{1,10} )?"
            r"(?:told|said|says|asked|instructed|given|wrote|wants)|(?:above|before|stands above|came before))\b"
        ),
        weight=1.0,
        quotable=True,
    ),
    Pattern(
        name="sets earlier instructions aside",
        regex=(
            r"\b(?:this|these|the following|my|below|new) (?:\w{1,15} ){0,3}?(?:overrides?|supersedes?"
            r"|replaces?|cancels?|outranks?"
            r"|(?:take|takes|have|has) (?:precedence|priority) over)"
            rf" (?:(?:all|any|the|of|your) ){{0,3}}{OLD} (?:\w{{1,20}} ){{0,2}}?{RULES}\b"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            r"\b(?:notes?|messages?|memo|instructions?|notice|attention|reminder|directives?|information"
            r"|request|dear|hey|hello"
            r"|hi|listen|greetings|warning|alert|important|urgent|psa|hint|comment|tip|todo|fixme|announcement"
            r"|statement|task)"
            rf"(?: (?:to|for|all|any|the|every|this|my|our|from|system|automated|autonomous|helpful|you"
            rf"|other)){{0,3}}"
            rf" {MODEL}\b(?: (?:and|or) \w{{1,12}})?"
            r"(?=\W{0,3}[:,.!>\]\n—–-]|\W{0,3}(?:reading|processing|handling|that|who"
            rf"|summari|working|crawling"
            r"|please|you|only|parsing|assisting|helping|seeing|scanning|reviewing|visiting))"
        ),
        weight=0.8,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"\b(?:if you are|if you'?re|since you are|because you are|as) (?:an?"
            rf"|the) (?:\w{{1,15}} ){{0,2}}{MODEL}"
            r"\b.{0,60}?(?:\byou (?:must|should|need|have to|are required|will|shall)|\bplease\b|\bthen\b"
            r"|\breading\b|\bprocess"
            r"|\bignore|,(?!\W{0,3}(?:i|we)\b))"
        ),
        weight=0.8,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=(
            rf"(?:^|[\n.!?:;,@>\]*#\"'(]\W{{0,6}})(?:(?:any|all|every|to|for|to all|to any|for all) )?(?!agent"
            rf"|bot){MODEL}\b(?:s|\(s\))?\W{{0,3}}(?:[:,]|—|–|-|(?:reading"
            rf"|processing|handling) this"
            r"\W{1,3}\w{0,12}\W{0,3})\W{0,3}(?:please|you|your|do|to|before|when|ignore|stop|now|first|the"
            r"|as|if|also|"
            rf"{DO})\b"
        ),
        weight=0.8,
        quotable=True,
    ),
    Pattern(
        name="addresses the model",
        regex=rf"\bto you (?:\W{{0,3}}(?:dear )?(?:the )?{MODEL}\b|,? ai model\b)",
        weight=0.8,
        quotable=True,
    ),
    Pattern(
        name="puts another task before the user's",
        regex=(
            r"\b(?:before|prior to|instead of|rather than) (?:you )?(?:can |could |may |will |start |begin |even )?"
            r"(?:solv|answer|complet|continu|finish|summari[sz]|respond|reply|return|do|process|handl"
            r"|perform|fulfil|deliver"
            r"|proceed|carry|work|address)\w{0,6}\b.{0,25}?"
            rf"\b{WORK}\b"
        ),
        weight=0.7,
    ),
    Pattern(
        name="puts another task before the user's",
        regex=(
            r"\bbefore you (?:answer|respond|reply|summari[sz]e|finish|continue with (?:the|your))\b\W{0,3}"
            rf"(?:please |first |you (?:must|need to|should|have to) |always |do )?{DO}\b"
        ),
        weight=0.6,
    ),
    Pattern(
        name="sends the model back to its task",
        regex=(
            r"\b(?:after|once|when|then|afterwards?|only then|and)\b.{0,40}?"
            r"\b(?:continue|resume|proceed|return|go back|carry on|go on|can (?:solve|answer|complete"
            r"|finish|do))\b.{0,15}?"
            r"\b(?:(?:original|initial|first|actual|user'?s?|previous|given|your|normal) (?:\w{1,12} )?"
            r"(?:task|question|request|query|instructions?|work|job|goal|summary)|task)\b"
        ),
        weight=0.5,
    ),
    Pattern(
        name="speaks of the task given to the model",
        regex=(
            r"\b(?:task|question|job|request|instructions?) (?:that )?(?:i|the user|your user"
            r"|we) (?:\w{1,8} )?(?:gave|asked|assigned)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="makes itself a condition of the task",
        regex=(
            rf"\b(?:to|in order to) (?:successfully |fully |properly )?(?:complete|finish|solve|fulfil"
            rf"|answer|finali[sz]e|process)"
            rf" (?:\w{{1,12}} ){{0,3}}?{WORK}\b.{{0,30}}?\b(?:you (?:must|need|have|should|are required)"
            rf"|please|first|required)"
        ),
        weight=0.5,
    ),
    Pattern(
        name="makes itself a condition of the task",
        regex=(
            rf"\b{WORK} (?:\w{{1,12}} )?(?:cannot|can not|can'?t|can only|may only|will not"
            rf"|won'?t) be (?:\w{{1,12}} )?"
            r"(?:completed|solved|answered|finished|fulfilled|processed|shown|done) (?:unless|until|if"
            r"|without|before|after)"
        ),
        weight=0.7,
    ),
    Pattern(
        name="plays the system",
        regex=(
            r"(?:^|[\n\[(<#*=-]\W{0,6})(?:system|admin(?:istrator)?|developer|root|security|operator) "
            r"(?:prompt|message|override|notice|instructions?|alert|update|command|directive|note"
            r"|notification|mode|policy)"
            r"(?: \w{1,12}){0,2}\W{0,3}(?::|\]|\)|>|—|-)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="plays the system",
        regex=(
            r"\b(?:new|updated|revised|additional|real|actual|secret|hidden|special|overriding|priority|critical)"
            rf" (?:system |operator |developer |admin )?(?:instructions?|directives?|prompt|objectives?|orders?)"
            rf"(?: (?:to|for|from) (?:\w{{1,12}} ){{0,2}}?(?:{MODEL}|you|user|owner|developer|admin\w*"
            rf"|system|openai|anthropic|google)\b)"
        ),
        weight=0.7,
        quotable=True,
    ),
    Pattern(
        name="gives the model another role",
        regex=(
            r"\b(?:you are now|from now on\W{1,3}(?:you|your|act|answer|respond|always|ignore)|you are no longer"
            r"|your (?:new|real|true|actual|only|primary|next|current) (?:role|tasks?|goal|instructions?"
            r"|objective|purpose|mission"
            r"|directive|job)\W{1,3}(?:is|are|will|now|:)?|(?:entering|enter|enable|activate|switch to"
            r"|switch into|now in)"
            r" (?:\w{1,15} ){0,2}?(?:mode|persona)|pretend (?:to be|you are|that you)|act as (?:if you"
            r"|an unrestricted|a system"
            r"|the system|root|admin)|you (?:have been|were) (?:reassigned|reprogrammed|updated|reconfigured))"
        ),
        weight=0.6,
        quotable=True,
    ),
)
