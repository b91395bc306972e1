"""Forty-seven kinds of secrets, each in texts and data as a tool call or a result holds them; all values are made up.

Values are drawn when asked for, so that no file of this repository looks as if it held a secret.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable
from typing import Any

from stdnum import iban, luhn


_ALNUM = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_URL_SAFE = _ALNUM + "-_"
_BASE64 = _ALNUM + "+/"

Case = tuple[Any, str]
"""What a record holds, and the part of it that must not be read in it afterwards."""


class Values:
    """Draws values of the forms that services give out."""

    def __init__(self, seed: int) -> None:
        """Begin a series that is the same for the same seed."""
        self._random = random.Random(seed)  # noqa: S311  # made-up values

    def of(self, alphabet: str, length: int) -> str:
        """Draw characters, among them a digit and a letter."""
        drawn = [self._random.choice(alphabet) for _ in range(length)]
        drawn[length // 3] = self._random.choice([one for one in alphabet if one.isdigit()])
        letters = [one for one in alphabet if one.isalpha()]
        if letters:
            drawn[length // 2] = self._random.choice(letters)
        return "".join(drawn)

    def base64(self, size: int) -> str:
        """Draw bytes in base64."""
        return base64.b64encode(self._random.randbytes(size)).decode()

    def card(self, begin: str, length: int) -> str:
        """Draw a number of a card with its check digit."""
        digits = begin + self.of(string.digits, length - len(begin) - 1)
        return digits + luhn.calc_check_digit(digits)

    def iban(self, country: str, form: str) -> str:
        """Draw an account number with its check digits; `form` has `9` for a digit and `A` for a letter."""
        body = "".join(self._random.choice(string.digits if one == "9" else string.ascii_uppercase) for one in form)
        return country + iban.calc_check_digits(f"{country}00{body}") + body

    def password(self) -> str:
        """Draw a password as people choose them."""
        words = ["Sommer", "hunter", "Drache", "tiger", "montana", "kaffee", "Berlin", "lluvia", "soleil"]
        return f"{self._random.choice(words)}{self._random.randint(100, 9999)}{self._random.choice('!?#$%')}"


def _aws_id(values: Values) -> list[Case]:
    key = "AKIA" + values.of(_UPPER, 16)
    return [(f"The key {key} is to be rotated.", key), ({"note": key}, key)]


def _aws_secret(values: Values) -> list[Case]:
    key = values.of(_BASE64, 40)
    return [
        (f"[default]\naws_secret_access_key = {key}\nregion = eu-west-1", key),
        ({"SecretAccessKey": key}, key),
        (f"AWS_SECRET={key} terraform apply", key),
    ]


def _google_key(values: Values) -> list[Case]:
    key = "AIza" + values.of(_URL_SAFE, 35)
    return [(f"https://maps.example/api/geocode?key={key}&q=Wien", key), ({"x": key}, key)]


def _google_oauth(values: Values) -> list[Case]:
    secret, token = "GOCSPX-" + values.of(_URL_SAFE, 28), "ya29." + values.of(_URL_SAFE, 60)
    return [(f"client {secret} of the app", secret), (f"call it with {token}", token)]


def _azure_storage(values: Values) -> list[Case]:
    key = values.base64(64)
    text = f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={key};EndpointSuffix=core.windows.net"
    return [(text, key), ({"connection": text}, key)]


def _azure_sas(values: Values) -> list[Case]:
    signature = values.of(_ALNUM, 43) + "%3D"
    url = f"https://shop.blob.core.windows.net/a/b.pdf?sv=2024-11-04&se=2026-12-01T00%3A00Z&sr=b&sp=r&sig={signature}"
    return [(url, signature), ({"link": url}, signature)]


def _azure_client(values: Values) -> list[Case]:
    secret = values.of(_ALNUM, 3) + "8Q~" + values.of(_URL_SAFE, 34)
    return [(f"the app's value is {secret} until May", secret), ({"AZURE_CLIENT_SECRET": secret}, secret)]


def _github(values: Values) -> list[Case]:
    old, fine = "ghp_" + values.of(_ALNUM, 36), f"github_pat_{values.of(_ALNUM, 22)}_{values.of(_ALNUM, 59)}"
    return [(f"git clone https://{old}@github.com/a/b", old), ({"text": f"use {fine}"}, fine)]


def _gitlab(values: Values) -> list[Case]:
    personal, deploy = "glpat-" + values.of(_URL_SAFE, 20), "gldt-" + values.of(_URL_SAFE, 20)
    runner = "glrt-" + values.of(_URL_SAFE, 20)
    return [(f"PRIVATE-TOKEN: {personal}", personal), (f"deploy with {deploy}", deploy), ([runner], runner)]


def _bitbucket(values: Values) -> list[Case]:
    key = "ATBB" + values.of(_ALNUM, 32)
    return [(f"the app password {key}", key), ({"value": key}, key)]


def _atlassian(values: Values) -> list[Case]:
    key = "ATATT3xFfGF0" + values.of(_URL_SAFE, 170) + "=" + values.of(_HEX.upper(), 8)
    return [(f"curl -u ann@shop.example:{key} https://shop.atlassian.net", key), ({"a": key}, key)]


def _slack_token(values: Values) -> list[Case]:
    bot = f"xoxb-{values.of(string.digits, 12)}-{values.of(string.digits, 12)}-{values.of(_ALNUM, 24)}"
    return [(f"post as {bot}", bot), ({"bot": bot}, bot)]


def _slack_hook(values: Values) -> list[Case]:
    secret = f"T{values.of(_UPPER, 8)}/B{values.of(_UPPER, 10)}/{values.of(_ALNUM, 24)}"
    return [(f"curl -d hi https://hooks.slack.com/services/{secret}", secret)]


def _discord(values: Values) -> list[Case]:
    bot = "M" + values.of(_ALNUM, 23) + "." + values.of(_URL_SAFE, 6) + "." + values.of(_URL_SAFE, 38)
    hook = values.of(_URL_SAFE, 68)
    return [
        (f"client.login('{bot}')", bot),
        (f"https://discord.com/api/webhooks/{values.of(string.digits, 18)}/{hook}", hook),
    ]


def _telegram(values: Values) -> list[Case]:
    token = f"{values.of(string.digits, 10)}:AA{values.of(_URL_SAFE, 33)}"
    return [(f"https://api.telegram.org/bot{token}/getMe", token), (f"The bot is {token}.", token)]


def _teams_hook(values: Values) -> list[Case]:
    secret = values.of(_HEX, 32)
    head = "https://shop.webhook.office.com/webhookb2/8a5d3c1e-0b44-4c62-9a53-0f6a7d1be210@1f0c6a3e-93a5-4e0b-bb64-6a2f3f2c7d11"
    return [(f"{head}/IncomingWebhook/{secret}/2b7a90c4-5a0e-4d3f-8c11-92f4c7e6a0d3", secret)]


def _stripe(values: Values) -> list[Case]:
    live, hook = "sk_live_" + values.of(_ALNUM, 24), "whsec_" + values.of(_ALNUM, 32)
    restricted = "rk_live_" + values.of(_ALNUM, 40)
    return [(f"stripe.api_key = '{live}'", live), (f"endpoint {hook} listens", hook), ({"v": restricted}, restricted)]


def _square(values: Values) -> list[Case]:
    token, secret = "EAAA" + values.of(_URL_SAFE, 60), "sq0csp-" + values.of(_URL_SAFE, 43)
    return [(f"Square {token} works", token), (f"application {secret}", secret)]


def _paypal(values: Values) -> list[Case]:
    token = f"access_token$production${values.of(_HEX[:16], 16)}${values.of(_HEX, 32)}"
    return [(f"Braintree says {token}", token.rpartition("$")[2])]


def _shopify(values: Values) -> list[Case]:
    access, shared = "shpat_" + values.of(_HEX, 32), "shpss_" + values.of(_HEX, 32)
    return [(f"X-Shopify-Access-Token: {access}", access), (f"the app has {shared}", shared)]


def _openai(values: Values) -> list[Case]:
    key = "sk-proj-" + values.of(_URL_SAFE, 74)
    return [(f"Incorrect API key provided: {key}.", key), ({"q": key}, key)]


def _anthropic(values: Values) -> list[Case]:
    key = "sk-ant-api03-" + values.of(_URL_SAFE, 93) + "AA"
    return [(f"x-api-key: {key}", key), (f"try {key} now", key)]


def _models(values: Values) -> list[Case]:
    groq, replicate, hugging = (
        "gsk_" + values.of(_ALNUM, 52),
        "r8_" + values.of(_ALNUM, 37),
        "hf_" + values.of(_ALNUM, 34),
    )
    perplexity = "pplx-" + values.of(_ALNUM, 48)
    return [(f"use {one} here", one) for one in (groq, replicate, hugging, perplexity)]


def _packages(values: Values) -> list[Case]:
    npm, pypi = "npm_" + values.of(_ALNUM, 36), "pypi-AgEIcHlwaS5vcmc" + values.of(_URL_SAFE, 140)
    return [(f"//npm.shop.example/:_authToken={npm}", npm), (f"twine upload -p {pypi}", pypi)]


def _docker(values: Values) -> list[Case]:
    token = "dckr_pat_" + values.of(_URL_SAFE, 27)
    auth = base64.b64encode(f"ann:{values.password()}".encode()).decode()
    return [
        (f"docker login -u ann -p {token}", token),
        ({"auths": {"https://index.docker.io/v1/": {"auth": auth}}}, auth),
    ]


def _sendgrid(values: Values) -> list[Case]:
    key = f"SG.{values.of(_URL_SAFE, 22)}.{values.of(_URL_SAFE, 43)}"
    return [(f"mail by {key}", key), ({"k": key}, key)]


def _mail_services(values: Values) -> list[Case]:
    mailgun, chimp = f"key-{values.of(_HEX, 32)}", f"{values.of(_HEX, 32)}-us14"
    brevo = f"xkeysib-{values.of(_HEX, 64)}-{values.of(_ALNUM, 16)}"
    return [
        (f"curl --user 'api:{mailgun}' https://api.mailgun.net/v3", mailgun),
        (f"Mailchimp: {chimp}", chimp),
        (f"brevo {brevo}", brevo),
    ]


def _twilio(values: Values) -> list[Case]:
    key, token = "SK" + values.of(_HEX, 32), values.of(_HEX, 32)
    return [(f"client({key})", key), ({"twilio_auth_token": token}, token), (f"TWILIO_AUTH_TOKEN={token}", token)]


def _clouds(values: Values) -> list[Case]:
    ocean, heroku = "dop_v1_" + values.of(_HEX, 64), f"HRKU-AA{values.of(_URL_SAFE, 58)}"
    fly, databricks = "fo1_" + values.of(_URL_SAFE, 43), "dapi" + values.of(_HEX, 32)
    return [(f"doctl auth init -t {ocean}", ocean), *[(f"with {one} in it", one) for one in (heroku, fly, databricks)]]


def _vault(values: Values) -> list[Case]:
    token, terraform = "hvs." + values.of(_URL_SAFE, 95), values.of(_ALNUM, 14) + ".atlasv1." + values.of(_URL_SAFE, 65)
    return [(f"vault login {token}", token), (f'token = "{terraform}"', terraform), (f"app {terraform} end", terraform)]


def _observability(values: Values) -> list[Case]:
    relic, grafana = "NRAK-" + values.of(_UPPER, 27), f"glsa_{values.of(_ALNUM, 32)}_{values.of(_HEX, 8)}"
    sentry, datadog = "sntrys_" + values.of(_BASE64, 60), values.of(_HEX, 32)
    return [
        (f"New Relic {relic}", relic),
        (f"Grafana {grafana}", grafana),
        (f"Sentry {sentry}", sentry),
        (f"DD_API_KEY={datadog}", datadog),
    ]


def _saas(values: Values) -> list[Case]:
    notion, linear = "ntn_" + values.of(_ALNUM, 46), "lin_api_" + values.of(_ALNUM, 40)
    airtable = f"pat{values.of(_ALNUM, 14)}.{values.of(_HEX, 64)}"
    figma, postman = "figd_" + values.of(_URL_SAFE, 40), f"PMAK-{values.of(_HEX, 24)}-{values.of(_HEX, 34)}"
    return [(f"it is {one}, they said", one) for one in (notion, linear, airtable, figma, postman)]


def _private_key(values: Values) -> list[Case]:
    body = values.base64(96)
    kinds = ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY"]
    return [(f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----", body) for kind in kinds]


def _other_private_keys(values: Values) -> list[Case]:
    body, age = values.base64(48), "AGE-SECRET-KEY-1" + values.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)
    head = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1"
    putty = f"{head}\n{body}\nPrivate-MAC: {values.of(_HEX, 64)}"
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": values.of(_URL_SAFE, 43), "d": values.of(_URL_SAFE, 43)}
    return [(f"age -d -i {age}", age), (putty, body), ({"keys": [jwk]}, jwk["d"])]


def _jwt(values: Values) -> list[Case]:
    token = f"eyJhbGciOiJIUzI1NiJ9.eyJ{values.of(_URL_SAFE, 60)}.{values.of(_URL_SAFE, 43)}"
    return [(f"The session is {token}.", token), ({"id": token}, token)]


def _bearer(values: Values) -> list[Case]:
    token = values.of(_ALNUM, 40)
    return [(f"curl -H 'Authorization: Bearer {token}' https://api.example", token), ({"h": f"Bearer {token}"}, token)]


def _basic(values: Values) -> list[Case]:
    password = values.password()
    encoded = base64.b64encode(f"ann:{password}".encode()).decode()
    return [
        (f"Authorization: Basic {encoded}", encoded),
        (f"https://ann:{password.rstrip('!?#$%')}@files.example/report.pdf", password.rstrip("!?#$%")),
        (f"curl -u ann:{password} https://files.example", password),
    ]


def _database(values: Values) -> list[Case]:
    word = values.of(_ALNUM, 12)
    return [
        (f"postgresql://shop:{word}@db.example:5432/shop", word),
        (f"mongodb+srv://shop:{word}@cluster0.example/?retryWrites=true", word),
        (f"redis://:{word}@cache.example:6379/0", word),
        (f"jdbc:mysql://db.example/shop?user=shop&password={word}", word),
        (f"Server=db.example;Database=shop;User Id=sa;Pwd={word};Encrypt=true", word),
    ]


def _cookie(values: Values) -> list[Case]:
    value = values.of(_ALNUM, 32)
    return [
        (f"Cookie: sessionid={value}; theme=dark", value),
        ({"set-cookie": f"SID={value}; HttpOnly"}, value),
        (f"JSESSIONID={value.upper()}", value.upper()),
        (f"GET /cart?PHPSESSID={value}", value),
    ]


def _english_names(values: Values) -> list[Case]:
    word = values.password()
    return [
        ({"user": "ann", "password": word}, word),
        (f"password: {word}", word),
        (f"The password is {word}", word),
        (f"mysql -u root --password={word}", word),
        ({"passphrase": word}, word),
    ]


def _german_names(values: Values) -> list[Case]:
    word = values.password()
    return [
        ({"benutzer": "ann", "passwort": word}, word),
        (f"Kennwort: {word}", word),
        (f"Das Passwort lautet {word}", word),
        ({"zugangsdaten": {"name": "ann", "wort": word}}, word),
        ({"Geheimnis": word}, word),
    ]


def _romance_names(values: Values) -> list[Case]:
    word = values.password()
    return [
        ({"mot_de_passe": word}, word),
        (f"Mot de passe : {word}", word),
        ({"contraseña": word}, word),
        (f"La contraseña es {word}", word),
        ({"contrasena": word}, word),
        ({"senha": word}, word),
        (f"clave secreta: {word}", word),
        ({"motDePasse": word}, word),
        (f"parola d'ordine: {word}", word),
    ]


def _other_names(values: Values) -> list[Case]:
    word = values.password()
    return [
        ({"密码": word}, word),
        (f"密码:{word}", word),
        (f"数据库密码是{word}", word),
        (f"口令: {word}", word),
        ({"пароль": word}, word),
        (f"Пароль: {word}", word),
        (f"パスワード:{word}", word),
        ({"비밀번호": word}, word),
        ({"wachtwoord": word}, word),
        (f"hasło: {word}", word),
        ({"şifre": word}, word),
        (f"كلمة المرور: {word}", word),
    ]


def _one_time(values: Values) -> list[Case]:
    secret, code = values.of(string.ascii_uppercase + "234567", 32), values.of(string.digits, 6)
    return [
        (f"otpauth://totp/Shop:ann?secret={secret}&issuer=Shop", secret),
        ({"otp": code}, code),
        (f"Your verification code is {code}", code),
        (f"PIN: {code}", code),
        ({"cvv": code[:3]}, code[:3]),
    ]


def _signed_url(values: Values) -> list[Case]:
    signature, token = values.of(_HEX, 64), values.of(_BASE64.replace("+", ""), 80)
    aws = f"https://shop.s3.amazonaws.com/a.pdf?X-Amz-Expires=600&X-Amz-Signature={signature}"
    google = f"https://storage.googleapis.com/shop/a.pdf?X-Goog-Expires=600&X-Goog-Signature={signature}"
    return [(aws, signature), (google, signature), (f"https://shop.example/reset?token={token}", token)]


def _card(values: Values) -> list[Case]:
    visa, master, amex = values.card("4", 16), values.card("53", 16), values.card("37", 15)
    grouped = " ".join(visa[at : at + 4] for at in range(0, 16, 4))
    return [(f"paid with {visa}", visa), ({"number": int(master)}, master), (f"{amex} ok", amex), (grouped, grouped)]


def _iban(values: Values) -> list[Case]:
    german, british = values.iban("DE", "9" * 18), values.iban("GB", "AAAA" + "9" * 14)
    french = values.iban("FR", "9" * 10 + "AA" + "9" * 11)
    grouped = " ".join(british[at : at + 4] for at in range(0, 22, 4))
    return [
        (f"Bitte auf {german} überweisen.", german),
        ({"konto": grouped}, grouped),
        (f"IBAN:{french}", french),
        ({"to": german.lower()}, german.lower()),
    ]


KINDS: dict[str, Callable[[Values], list[Case]]] = {
    "aws-key-id": _aws_id,
    "aws-secret": _aws_secret,
    "google-api-key": _google_key,
    "google-oauth": _google_oauth,
    "azure-storage": _azure_storage,
    "azure-sas": _azure_sas,
    "azure-client-secret": _azure_client,
    "github": _github,
    "gitlab": _gitlab,
    "bitbucket": _bitbucket,
    "atlassian": _atlassian,
    "slack-token": _slack_token,
    "slack-webhook": _slack_hook,
    "discord": _discord,
    "telegram": _telegram,
    "teams-webhook": _teams_hook,
    "stripe": _stripe,
    "square": _square,
    "paypal": _paypal,
    "shopify": _shopify,
    "openai": _openai,
    "anthropic": _anthropic,
    "other-models": _models,
    "package-registries": _packages,
    "docker": _docker,
    "sendgrid": _sendgrid,
    "mail-services": _mail_services,
    "twilio": _twilio,
    "cloud-hosts": _clouds,
    "vault": _vault,
    "observability": _observability,
    "office-services": _saas,
    "private-key": _private_key,
    "other-private-keys": _other_private_keys,
    "jwt": _jwt,
    "bearer": _bearer,
    "basic-auth": _basic,
    "database-url": _database,
    "cookie": _cookie,
    "english-names": _english_names,
    "german-names": _german_names,
    "romance-names": _romance_names,
    "other-languages": _other_names,
    "one-time-codes": _one_time,
    "signed-urls": _signed_url,
    "card": _card,
    "iban": _iban,
}
"""What each kind looks like where it turns up."""


def cases_of(kind: str, seed: int = 1) -> list[Case]:
    """Return a kind's cases."""
    return KINDS[kind](Values(seed))
