"""Forms of the keys and tokens that services give out, each with a beginning or a shape of its own.

The forms are those that the services publish and that the rules of detect-secrets and gitleaks look for; why neither is
used as it is stands in `docs/decisions/0011-how-secrets-are-masked.md`. Every repetition is possessive or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import ascii_lowercase
from typing import Final


Hide = Callable[[str, str], str]
"""Makes the mask of a kind of secret for a value."""

_ALNUM: Final = r"[A-Za-z0-9]"
_WORD: Final = r"[\w\-]"

_FORMS: Final = {
    "aws": (
        r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[0-9A-Z]{16}\b",
        r"bedrock-api-key-[\w+/=\-]{20,400}",
    ),
    "google": (
        rf"AIza{_WORD}{{30,60}}",
        rf"ya29\.{_WORD}{{16,}}",
        rf"GOCSPX-{_WORD}{{20,60}}",
        rf"1//0{_WORD}{{35,200}}",
    ),
    "alibaba": (rf"LTAI{_ALNUM}{{12,24}}\b",),
    "github": (
        rf"gh[opsur]_{_ALNUM}{{16,300}}",
        r"github_pat_\w{20,300}",
    ),
    "gitlab": (
        rf"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-{_WORD}{{16,}}",
        rf"GR1348941{_WORD}{{16,}}",
    ),
    "bitbucket": (rf"ATBB{_ALNUM}{{28,40}}",),
    "atlassian": (rf"AT(?:ATT3|CTT3){_WORD}{{60,400}}(?:=[0-9A-F]{{8}})?",),
    "slack": (
        rf"xox[abeoprs](?:\.xox[bp])?-{_WORD}{{8,}}",
        rf"xapp-\d-{_WORD}{{10,}}",
        rf"xwfp-{_WORD}{{16,}}",
    ),
    "discord": (
        rf"M{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}",
        rf"N{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}",
        rf"O{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}",
    ),
    "stripe": (
        rf"sk_(?:live|test|prod)_{_ALNUM}{{16,}}",
        rf"rk_(?:live|test|prod)_{_ALNUM}{{16,}}",
        r"whsec_[\w+/=]{24,}",
    ),
    "square": (
        rf"EAAA{_WORD}{{55,70}}",
        rf"sq0(?:csp|atp|idp)-{_WORD}{{20,60}}",
    ),
    "paypal": (r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",),
    "shopify": (r"shp(?:at|ss|ca|pa|ua)_[0-9a-fA-F]{32}",),
    "openai": (rf"sk-(?={_WORD}{{0,80}}?(?:\d|[A-Za-z]{{18}})){_WORD}{{16,}}",),
    "groq": (
        rf"gsk_{_ALNUM}{{40,}}",
        rf"xai-{_ALNUM}{{60,}}",
    ),
    "replicate": (rf"r8_{_ALNUM}{{30,}}",),
    "perplexity": (rf"pplx-{_ALNUM}{{32,}}",),
    "huggingface": (
        rf"hf_{_ALNUM}{{20,}}",
        rf"api_org_{_ALNUM}{{20,}}",
    ),
    "langsmith": (
        r"lsv2_(?:pt|sk)_\w{16,300}",
        r"ls__\w{16,300}",
    ),
    "npm": (rf"npm_{_ALNUM}{{30,}}",),
    "pypi": (rf"pypi-AgE{_WORD}{{40,}}",),
    "rubygems": (r"rubygems_[0-9a-f]{48}",),
    "docker": (rf"dckr_(?:pat|oat)_{_WORD}{{20,}}",),
    "sendgrid": (rf"SG\.{_WORD}{{16,60}}\.{_WORD}{{16,100}}",),
    "mailgun": (r"key-[0-9a-f]{32}\b",),
    "brevo": (rf"xkeysib-[0-9a-f]{{64}}-{_ALNUM}{{16}}",),
    "twilio": (r"SK[0-9a-f]{32}\b",),
    "digitalocean": (r"do[opr]_v1_[0-9a-f]{64}",),
    "heroku": (rf"HRKU-{_WORD}{{36,100}}",),
    "fly": (
        rf"fo1_{_WORD}{{40,}}",
        r"fm[12][ar]?_[\w+/=\-]{60,}",
    ),
    "databricks": (r"dapi[0-9a-f]{32}(?:-\d)?\b",),
    "cloudflare": (r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,146}",),
    "vault": (rf"hv[sbr]\.{_WORD}{{24,300}}",),
    "doppler": (rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:\w{{1,32}}\.)?{_ALNUM}{{40,44}}",),
    "pulumi": (r"pul-[0-9a-f]{40}",),
    "newrelic": (rf"NR(?:AK|JS|AL|II|IQ)-{_WORD}{{19,40}}",),
    "grafana": (r"gl(?:sa|c)_[\w+/=]{32,200}",),
    "sentry": (r"sntry[su]_[\w+/=]{40,400}",),
    "dynatrace": (rf"dt0[a-z]\d\d\.{_ALNUM}{{24}}\.{_ALNUM}{{64}}",),
    "notion": (
        rf"ntn_{_ALNUM}{{40,60}}",
        rf"secret_{_ALNUM}{{43}}\b",
    ),
    "linear": (rf"lin_(?:api|oauth)_{_ALNUM}{{32,}}",),
    "airtable": (rf"pat{_ALNUM}{{14}}\.[0-9a-f]{{64}}",),
    "figma": (rf"fig[dpou]r?_{_WORD}{{36,}}",),
    "postman": (r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",),
    "asana": (
        r"1/\d{12,20}(?:/\d{12,20})?:[0-9a-f]{32}",
        r"2/\d{12,20}(?:/\d{12,20})?:[0-9a-f]{32}",
    ),
    "hubspot": (r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",),
    "artifactory": (
        rf"AKCp{_ALNUM}{{60,80}}",
        rf"cmVmd{_ALNUM}{{50,64}}",
    ),
    "onepassword": (
        r"ops_eyJ[\w+/=\-]{60,}",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){2,4}[A-Z0-9]{5}",
    ),
    "planetscale": (r"pscale_(?:tkn|oauth|pw)_[\w.=\-]{32,}",),
    "supabase": (
        r"sbp_[0-9a-f]{40}",
        rf"sb_secret_{_WORD}{{20,}}",
    ),
    "age": (r"AGE-SECRET-KEY-1[0-9A-Z]{58}",),
    "wallet": (
        r"xprv[1-9A-HJ-NP-Za-km-z]{100,112}",
        r"yprv[1-9A-HJ-NP-Za-km-z]{100,112}",
        r"zprv[1-9A-HJ-NP-Za-km-z]{100,112}",
    ),
}
"""What is hidden, by the service it belongs to. Each form begins with a letter or digit that stands for itself."""
_OTHER_SERVICE: Final = (
    rf"[a-z][a-z0-9]{{1,15}}_(?:live|prod|pat|sk|secret|api|oat)_(?={_ALNUM}{{0,60}}?\d){_ALNUM}{{20,}}"
)
"""A service that names itself, and then says in so many words what follows."""


def _by_first_letter() -> dict[str, re.Pattern[str]]:
    """Put the forms together that begin alike: whatever a word begins with, few have to be tried."""
    found: dict[str, list[str]] = {}
    for kind, forms in _FORMS.items():
        alike: dict[str, list[str]] = {}
        for form in forms:
            alike.setdefault(form[0], []).append(form)
        for first, several in alike.items():
            found.setdefault(first, []).append(f"(?P<{kind}>{'|'.join(several)})")
    for first in ascii_lowercase:
        found.setdefault(first, []).append(f"(?P<token>{_OTHER_SERVICE})")
    return {first: re.compile("(?a)(?:" + "|".join(several) + ")") for first, several in found.items()}


_SERVICES: Final = _by_first_letter()
_WITHIN: Final = (
    ("Q~", "azure", re.compile(rf"(?a)\b{_ALNUM}{{3}}\dQ~[\w.~\-]{{31,40}}")),
    ("atlasv1", "terraform", re.compile(rf"(?a)\b{_ALNUM}{{14}}\.atlasv1\.[\w=\-]{{60,80}}")),
    ("-us", "mailchimp", re.compile(r"(?a)\b[0-9a-f]{32}-us\d{1,2}\b")),
)
"""Forms that are told by what stands within them, which is looked for first."""
_LONG_WORD: Final = re.compile(r"(?a)[\w\-]{16,}+")
"""What every one of them has in it."""
_BEGINNING: Final = re.compile(r"(?a)\b[A-Za-z0-9](?=[\w/.\-])")
_FARTHEST: Final = 45
"""Characters of a form before its first long word, at most."""

_SHAPES: Final = re.compile(
    r"""(?xa)
      (?P<private_key> -----BEGIN\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?-----
          (?s:.*?) (?: -----END\ (?:(?!PRIVATE)[A-Z0-9]+\ )*+PRIVATE\ KEY(?:\ BLOCK)?----- | \Z ) )
    | (?P<jwt> (?: (?<! [\w\-] ) eyJ[\w\-]{8,}+ | \beyJ[\w\-]{8,500}+ ) \.[\w\-]{8,}+(?:\.[\w\-]*+)? )
    | (?P<webhook> https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/]+
        | https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/\d{5,25}/[\w\-]{20,}
        | https://[\w.\-]{1,100}\.webhook\.office\.com/webhookb2/[\w\-@/]{20,} )
    """
)
_PUTTY: Final = re.compile(r"(Private-Lines: *\d+[\r\n]+)([A-Za-z0-9+/=\r\n]+)")
_TELEGRAM: Final = re.compile(r"(?a)(?<![0-9])[0-9]{8,10}:[\w\-]{35}(?![\w\-])")
_SIGNED: Final = re.compile(
    r"(?ia)([?&;](?:sig|signature|(?:x-amz|x-goog)-(?:signature|security-token|credential)|hdnts|se?cret|otp)=)"
    r"([\w%+/=.~\-]{16,})"
)
"""What lets whoever has the link in, by the names that signed links use."""
_COMMAND: Final = re.compile(
    r"""(?a)((?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'$]{1,100}:)(?![$\[]|["'\s])([^\s"']{1,200})"""
)
"""The login of a command such as `curl -u NAME:PASSWORD`."""
_AWS_SECRET: Final = re.compile(r"(?<![A-Za-z0-9+/=])(?=[a-z0-9+/]{0,39}[A-Z])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
"""It has no beginning of its own, and is looked for only beside the id of such a key."""


def without_known(text: str, hide: Hide) -> str:
    """Return a text without the secrets that are known by their form alone."""
    if "PRIVATE" in text or "Private-" in text or "://" in text or "eyJ" in text:
        text = _SHAPES.sub(lambda found: hide(str(found.lastgroup).replace("_", "-"), found[0]), text)
        text = _PUTTY.sub(lambda found: found[1] + hide("private-key", found[2].strip()) + "\n", text)
        text = _SIGNED.sub(lambda found: found[1] + hide("signature", found[2]), text)
    if ":" in text:
        text = _COMMAND.sub(lambda found: found[1] + hide("password", found[2]), text)
    if not _LONG_WORD.search(text):
        return text
    if ":" in text:
        text = _TELEGRAM.sub(lambda found: hide("telegram", found[0]), text)
    for within, kind, form in _WITHIN:
        if within in text:
            text = form.sub(lambda found, kind=kind: hide(kind, found[0]), text)  # type: ignore[misc]
    text = _without_services(text, hide)
    return _AWS_SECRET.sub(lambda found: hide("aws", found[0]), text) if "[hidden:aws:" in text else text


def _without_services(text: str, hide: Hide) -> str:
    """Hide the keys of services, which are looked for around long words only: few texts have one."""
    parts: list[str] = []
    shown = looked = 0
    for word in _LONG_WORD.finditer(text):
        for begins in _BEGINNING.finditer(text, max(looked, word.start() - _FARTHEST), word.end()):
            forms = _SERVICES.get(begins[0])
            if forms and begins.start() >= shown and (found := forms.match(text, begins.start())):
                parts += text[shown : begins.start()], hide(str(found.lastgroup), found[0])
                shown = found.end()
        looked = word.end()
    return "".join([*parts, text[shown:]])
