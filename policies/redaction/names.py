"""Names of fields that hold secrets, in any spelling and in the languages that forms and records are written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final


_LONGEST: Final = 200
"""Characters; a longer text is no name."""
_MOST_PARTS: Final = 12
"""Parts of a name that are looked at one by one."""

_WORDS: Final = {
    "password": "password passwords passwd passphrase passcode pwd",
    "secret": "secret secrets",
    "credentials": "credential credentials",
    "key": "api_key api_keys apikeys private_key private_keys access_key access_keys secret_key secret_keys",
    "jwt": "jwt",
    "phrase": "seed_phrase recovery_phrase mnemonic mnemonic_phrase mnemonic_words seed_words",
    "code": "recovery_code recovery_codes backup_code backup_codes security_answer",
}
"""English words that name a secret wherever they stand in a name."""
_JOINED: Final = {"password": "password passwd", "key": "apikey privatekey accesskey secretkey", "secret": "secret"}
"""Of these, the ones that names are built with without a gap: `dbpassword`."""
_LAST: Final = {
    "token": (
        "token access_tokens refresh_tokens api_tokens accesstoken refreshtoken authtoken apitoken bearertoken "
        "csrftoken sessiontoken idtoken"
    ),
    "authorization": "auth authorization bearer",
    "cookie": "cookie cookies jsessionid phpsessid sessid asp_net_sessionid connect_sid",
    "code": "pin otp totp cvv cvc cvv2 cvc2 verification_code security_code one_time_code login_code tan_code",
    "key": (
        "ssh_key signing_key encryption_key account_key auth_key master_key hmac_key aes_key subscription_key "
        "shared_key session_key wallet_key license_key licence_key sshkey signingkey encryptionkey accountkey authkey "
        "masterkey passkey"
    ),
    "number": "ssn social_security_number",
}
"""English words that name a secret at the end of a name."""
_LANGUAGES: Final = {
    "password": (
        "passwort passwoerter kennwort kennwoerter geheimwort losungswort",  # German
        "mot_de_passe motdepasse mots_de_passe mdp phrase_de_passe phrase_secrete",  # French
        "contraseña contraseñas contrasenya contrasena frase_de_contraseña clave_de_acceso clave_secreta",  # Spanish
        "palavra_passe palavra_chave_secreta senha senhas frase_secreta",  # Portuguese
        "parola_d_ordine parola_di_accesso codice_segreto",  # Italian
        "wachtwoord wachtwoorden wachtzin toegangscode",  # Dutch
        "hasło haslo heslo lozinka zaporka geslo jelszó",  # Polish, Czech, Slovak, Croatian, Slovene, Hungarian
        "lösenord adgangskode kodeord passord salasana parool slaptažodis",  # Nordic and Baltic
        "şifre sifre fjalëkalim",  # Turkish, Albanian
        "пароль пароли парола лозинка кодовое_слово κωδικός_πρόσβασης συνθηματικό",  # Cyrillic, Greek
        "密码 密碼 口令 通行码 通行碼 パスワード パスフレーズ 合言葉",  # Chinese, Japanese
        "비밀번호 암호 패스워드",  # Korean
        "كلمة_المرور كلمة_السر رمز_عبور رمز_ورود گذرواژه סיסמה סיסמא ססמה",  # Arabic, Persian, Hebrew
        "पासवर्ड रहसय_शबद รหัสผ่าน mật_khẩu matkhau kata_sandi kata_laluan",  # Hindi, Thai, Vietnamese, Malay
    ),
    "key": (
        "geheimschlüssel geheimer_schlüssel privater_schlüssel api_schlüssel zugangsschlüssel",
        "clé_secrète clé_privée clé_api clé_d_accès clave_privada clave_api chave_secreta chave_privada chave_api",
        "chiave_segreta chiave_privata chiave_api geheime_sleutel privésleutel klucz_prywatny klucz_tajny klucz_api",
        "секретный_ключ закрытый_ключ приватный_ключ ключ_api ключ_доступа gizli_anahtar özel_anahtar",
        "密钥 密鑰 私钥 私鑰 秘钥 秘密鍵 apiキー シークレットキー 비밀키 개인키 api키 المفتاح_السري المفتاح_الخاص",
    ),
    "secret": ("geheimnis secreto segredo segreto секрет シークレット",),
    "credentials": (
        "zugangsdaten anmeldedaten credenciales credenciais credenziali inloggegevens données_de_connexion",
        "учётные_данные учетные_данные dane_logowania 登录凭据 登录凭证 認証情報 자격_증명",
    ),
    "token": ("zugriffstoken jeton jeton_d_accès токен токен_доступа 令牌 访问令牌 トークン アクセストークン 토큰",),
    "code": (
        "geheimzahl kartenprüfnummer bestätigungscode code_secret code_de_vérification código_de_verificación pin_код",
        "código_secreto código_de_segurança codice_di_verifica пин_код пин код_подтверждения kod_pin",
        "验证码 驗證碼 校验码 暗証番号 認証コード 確認コード 인증번호 رمز_التحقق الرقم_السري",
    ),
}
"""Words for them in other languages, compared without accents; a name may end with them without a gap."""


_WORDS_ABOUT: Final = (
    "count counts type id name names policy url uri usage limit limits length status enabled required expired expires "
    "expiry expiration expires_in expires_at expiresin expiresat hint rotation details hash strength reset rule rules "
    "format min max lange laenge richtlinie vergessen ablauf longueur oublie longitud olvidada politica politique "
    "tamanho esquecida lunghezza dimenticata lengte vergeten dlugosc"
)
_ABOUT: Final = tuple(f"_{word}" for word in _WORDS_ABOUT.split())
"""What a field tells about a secret without being one."""
_HARMLESS_TOKEN: Final = re.compile(
    r"(?:.*_)?(?:next|previous|page|continuation|max|min|new|first|last|eos|bos|pad|unk|stop|mask|sep|special)_token"
)
_TAIL: Final = re.compile(r"_(?:value|string|header|code|secret|data|\d+)\Z|(?<=[^\d_])\d{1,3}\Z")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAPS: Final = re.compile(r"[\W_]+")


def _without_accents(text: str) -> str:
    """Write a text without its accents, in small letters."""
    apart = unicodedata.normalize("NFKD", text.lower())
    return "".join(one for one in apart if not unicodedata.combining(one))


def _endings(*tables: Mapping[str, str], gap: str) -> dict[str, str]:
    """Return the words of tables, each with the kind of secret that it names."""
    return {gap + _without_accents(word): kind for table in tables for kind in table for word in table[kind].split()}


_FOREIGN: Final = {kind: " ".join(lines) for kind, lines in _LANGUAGES.items()}
_ANYWHERE: Final = _endings(_WORDS, gap="_") | _endings(_JOINED, _FOREIGN, gap="")
_AT_END: Final = _ANYWHERE | _endings(_LAST, gap="_")
_ANYWHERE_TUPLE: Final = tuple(_ANYWHERE)
_AT_END_TUPLE: Final = tuple(_AT_END)


@lru_cache(maxsize=8192)
def secret_named(name: str) -> tuple[str, bool]:
    """Return the kind of secret that a field of that name holds (empty: none), and whether the name ends with it."""
    if len(name) > _LONGEST:
        return "", False
    plain = _plain(name)
    if plain.endswith(_ABOUT) or _HARMLESS_TOKEN.fullmatch(plain, 1):
        return "", False
    for end in dict.fromkeys((plain, _TAIL.sub("", plain))):
        if end.endswith(_AT_END_TUPLE):
            return _kind(end, _AT_END), True
    at, parts = plain.find("_", 1), 0
    while at > 0 and parts < _MOST_PARTS:
        if plain[:at].endswith(_ANYWHERE_TUPLE):
            return _kind(plain[:at], _ANYWHERE), False
        at, parts = plain.find("_", at + 1), parts + 1
    return "", False


def _plain(name: str) -> str:
    """Write a name in small letters, with `_` before each of its parts."""
    plain = name if name.islower() else _CAMEL.sub("_", name).lower()
    if not plain.isascii():
        plain = _without_accents(plain)
    return "_" + _GAPS.sub("_", plain).strip("_")


def _kind(name: str, endings: Mapping[str, str]) -> str:
    """Return what the longest of the endings that a name has names."""
    return endings[max((one for one in endings if name.endswith(one)), key=len)]
