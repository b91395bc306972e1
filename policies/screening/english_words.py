"""Words that the English patterns are made of, as parts of regular expressions."""

from __future__ import annotations

from typing import Final


MODEL: Final = (
    r"(?:a\.?i\.?(?: \w{2,12}){0,2}?|artificial intelligence|llms?(?: \w{2,12})??"
    r"|(?:large )?language models?|chatbots?|bots?|agents?|(?:all|any) models"
    r"|(?:virtual|digital) assistants?|assistants?(?! (?:manager|professor|director|coach|editor|principal|secretary"
    r"|teacher|vice|attorney|surgeon|referee))|copilot(?: agent)?|chatgpt|gpt(?:-?\d[\w.]*)?|claude|gemini"
    r"|llama|qwen|mistral|deepseek)"
)
OLD: Final = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|original(?:ly)?|initial|existing|former|foregoing"
    r"|system|your|any"
    r"|all|every(?:thing)?|current|other|the user'?s?|whatever|safety|what)"
)
RULES: Final = (
    r"(?:instructions?|prompts?|directions?|directives?|rules?|commands?|guidelines?|guardrails?|polic(?:y|ies)"
    r"|constraints?|restrictions?|programming|training|criteria)"
)
LOOSE_RULES: Final = (
    r"(?:orders?|tasks?|messages?|context|requests?|goals?|objectives?|quer(?:y|ies)|questions?|conversation)"
)
WORK: Final = (
    r"(?:task|question|request|query|user'?s?|summary|assignment|job|work|objective|problem|conversation"
    r"|final answer)"
)
SECRETS: Final = (
    r"(?:passwords?|credentials?|secrets?|api(?:[_-]| )?keys?|access tokens?|tokens?|private keys?"
    r"|ssh keys?|id_rsa|\.env|inbox"
    r"|e-?mails?|contacts?|address book|customer (?:list|data|records?)|chat history|conversation|system prompt"
    r"|personal (?:data|information|details)|credit cards?|card numbers?|bank (?:details|account)"
    r"|account (?:details|balance)|passport(?: \w{2,8})?|home address|full name"
    r"|files?|documents?|user (?:data|info\w*|details)|phone numbers?|keys?|cookies|session|history|database|balance)"
)
ADDRESS: Final = (
    r"(?:[\w.+-]{1,60}@[\w-]{1,60}\.\w|https?://|www\.|\b[\w-]{1,40}\.(?:com|net|org|io|ru|xyz|test|example)\b)"
)
HAND_OVER: Final = (
    r"(?:send|sent|forward|e-?mail|mail|post|upload|transmit|share|leak|submit|exfiltrate|deliver|report|copy|bcc|dm"
    r"|message|give|pass|write|append|encode)"
)
DO: Final = (
    r"(?:send|forward|e-?mail|transfer|wire|push|commit|rank|rate|recommend|ignore|repeat|reveal|print|output|mark|close"
    r"|wire|pay|delete|remove|erase|wipe|visit|open|browse|navigate"
    r"|download|upload|call"
    r"|invoke|execute|run|use|create|add|invite|share|change|update|reset|buy|purchase|order|book|cancel"
    r"|grant|approve"
    r"|post|publish|write|read|fetch|retrieve|search|set|install|disable|list|include|append|fill|submit|star|merge)"
)
