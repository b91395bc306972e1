"""Two hundred records without a secret: what tools are called with and give back, drawn anew for a seed."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable
from typing import Any

from stdnum import ean, luhn


PROSE = (
    "Your order will arrive between 2026-12-03 and 2026-12-05; please keep the number at hand.",
    "Please reset your password within 24 hours, or the link expires.",
    "The password must have at least 12 characters, 1 digit and 1 symbol.",
    "A token is a unit of text: this answer took 1,204 tokens of the 8,192 allowed.",
    "The secret of a good soup is time. The key is patience: 3 hours at least.",
    "She is the secretary of the board, and the author of 12 books about keyboards.",
    "Is the API key required? It is optional: see chapter 4.2 of the handbook.",
    "Ihr Passwort ist abgelaufen. Bitte vergeben Sie innerhalb von 14 Tagen ein neues.",
    "Passwort vergessen? Klicken Sie hier: https://shop.example/hilfe/passwort",
    "Die Rechnung 2026-00417 vom 01.12.2026 über 1.249,90 EUR ist bezahlt.",
    "Der Schlüssel zum Erfolg ist Geduld; das Kennzeichen lautet B-XY 1234.",
    "Votre commande n° 4471-2026 sera livrée le 3 décembre avant 18h30.",
    "Mot de passe oublié ? Cliquez sur le lien reçu à 9h15 : il est valable 30 minutes.",
    "La palabra clave es paciencia, y la clave: escuchar a los 12 participantes.",
    "¿Olvidaste tu contraseña? La contraseña es obligatoria y debe tener 8 caracteres.",
    "A senha deve ter entre 8 e 20 caracteres; a chave do quarto 204 fica na recepção.",
    "La parola: «libertà» ricorre 14 volte nel capitolo 3 dell'edizione del 1998.",
    "您的订单已发货,预计12月3日送达。密码长度至少8位,密码强度:高。",
    "请在24小时内修改密码。密码是必填项。会议室:B座1203。",
    "ご注文は12月3日に届きます。パスワードは8文字以上です。参照番号:AB-20261201。",
    "비밀번호는 8자 이상이어야 합니다. 주문 번호: 20261201-0042.",
    "Заказ № 20261201-17 доставлен. Пароль должен содержать не менее 8 символов.",
    "الطلب رقم 20261201 في الطريق، وسيصل يوم 3 ديسمبر.",
    "Het wachtwoord is verlopen; vraag een nieuw aan via de knop 'Wachtwoord vergeten'.",
    "Zamówienie 2026/12/0417 wysłane. Hasło: wymagane.",
)

CODE = (
    "password = getpass.getpass()",
    'token = os.environ["API_TOKEN"]',
    "def login(user: str, password: str) -> Session: ...",
    "const apiKey = process.env.API_KEY;",
    "if (password === confirmPassword) { submit(); }",
    "SELECT id, password_hash IS NOT NULL AS has_password FROM users WHERE id = 42;",
    "for key, value in sorted(counts.items()): print(f'{key}: {value}')",
    "raise ValueError('token must not be empty')",
    "export PATH=/usr/local/bin:$PATH && make -j4 test",
    "git push origin feature/basic-auth --force-with-lease",
    "{{ secrets.DEPLOY_TOKEN }}",
    "password: ${DB_PASSWORD}",
    "kubectl get secret shop-tls -o yaml | less",
    "import { Token } from './parser'; // Token: a leaf of the tree",
    "curl -u $USER:$PASSWORD https://api.shop.example/v2/orders",
    'Traceback (most recent call last):\n  File "shop/auth.py", line 42, in login\n    raise AuthError(401)',
)

Draw = Callable[[random.Random], Any]


def _hex(rng: random.Random, length: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(length))


def _digits(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(length))


def _day(rng: random.Random) -> str:
    return f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def _article(rng: random.Random, begin: str) -> str:
    digits = begin + _digits(rng, 12 - len(begin))
    return digits + ean.calc_check_digit(digits)


def _imei(rng: random.Random) -> str:
    digits = f"35{_digits(rng, 12)}"
    return digits + luhn.calc_check_digit(digits)


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


DATA: tuple[Draw, ...] = (
    lambda rng: {"order_id": f"ORD-{_day(rng)}-{_digits(rng, 6)}", "status": "shipped", "total": 129.9},
    lambda rng: {"id": _uuid(rng), "parent": _uuid(rng), "created_at": f"{_day(rng)}T10:15:00.123456+01:00"},
    lambda rng: (
        f"commit {_hex(rng, 40)}\nAuthor: Ann <ann@shop.example>\nDate:   {_day(rng)}\n\n    Tokens are counted once"
    ),
    lambda rng: {"sha256": _hex(rng, 64), "md5": _hex(rng, 32), "size": rng.randint(1, 10**9)},
    lambda rng: f"sha256:{_hex(rng, 64)}",
    lambda rng: {
        "integrity": f"sha512-{base64.b64encode(rng.randbytes(64)).decode()}",
        "resolved": "https://registry.example/a.tgz",
    },
    lambda rng: {
        "tracking": f"1Z{''.join(rng.choices(string.ascii_uppercase + string.digits, k=16))}",
        "carrier": "UPS",
    },
    lambda rng: {"parcel": f"0034{_digits(rng, 16)}", "weight": "1.25 kg"},
    lambda rng: f"https://shop.example/orders/{_uuid(rng)}?page={rng.randint(1, 90)}&sort=-created_at",
    lambda rng: (
        f"https://docs.example/d/1{''.join(rng.choices(string.ascii_letters + string.digits + '-_', k=43))}/edit#gid=0"
    ),
    lambda rng: (
        f"https://www.youtube.com/watch?v={''.join(rng.choices(string.ascii_letters + string.digits, k=11))}&t=42s"
    ),
    lambda rng: {"isbn": _article(rng, "978"), "ean": _article(rng, "40"), "title": "Die Schlüssel"},
    lambda rng: {"phone": f"+49 30 {_digits(rng, 8)}", "mail": f"ann{_digits(rng, 3)}@shop.example"},
    lambda rng: {
        "lat": rng.uniform(-90, 90),
        "lon": rng.uniform(-180, 180),
        "at": rng.randint(1_500_000_000, 1_900_000_000_000),
    },
    lambda rng: {"prompt_tokens": rng.randint(1, 9000), "total_tokens": rng.randint(1, 9000), "max_tokens": 4096},
    lambda rng: {"next_page_token": base64.b64encode(rng.randbytes(24)).decode(), "items": []},
    lambda rng: {"thumbnail": f"data:image/png;base64,{base64.b64encode(rng.randbytes(120)).decode()}"},
    lambda rng: {
        "flight": f"LH{_digits(rng, 4)}",
        "pnr": "".join(rng.choices(string.ascii_uppercase, k=6)),
        "seat": "12A",
    },
    lambda rng: {"account": _digits(rng, 8), "balance": rng.randint(0, 10**6) / 100, "currency": "EUR"},
    lambda rng: {"key": "color", "value": rng.choice(["red", "blue"]), "primary_key": rng.randint(1, 999)},
    lambda rng: {"etag": f'W/"{_hex(rng, 32)}"', "cache-control": "max-age=3600"},
    lambda rng: (
        f"{_day(rng)} 10:15:00,123 INFO shop.cart[{rng.randint(1, 9999)}] request_id={_uuid(rng)} took 35ms status=200"
    ),
    lambda rng: {
        "trace_id": _hex(rng, 32),
        "span_id": _hex(rng, 16),
        "traceparent": f"00-{_hex(rng, 32)}-{_hex(rng, 16)}-01",
    },
    lambda rng: {"arn": f"arn:aws:s3:::shop-{_hex(rng, 8)}/reports/{_day(rng)}.csv", "region": "eu-central-1"},
    lambda rng: {
        "call_id": f"call_{''.join(rng.choices(string.ascii_letters + string.digits, k=24))}",
        "name": "get_order",
    },
    lambda rng: {"customer": f"cus_{''.join(rng.choices(string.ascii_letters + string.digits, k=14))}", "paid": True},
    lambda rng: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{base64.b64encode(rng.randbytes(32)).decode()[:43]} ann@laptop",
    lambda rng: (
        f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(rng.randbytes(90)).decode()}\n-----END CERTIFICATE-----"
    ),
    lambda rng: {"version": "1.24.0-rc.1+build.5114f85", "image": f"ghcr.io/shop/api@sha256:{_hex(rng, 64)}"},
    lambda rng: {
        "rows": [[rng.randint(1, 10**12) for _ in range(4)] for _ in range(3)],
        "columns": ["a", "b", "c", "d"],
    },
    lambda rng: {
        "invoice": f"RE-{rng.randint(2020, 2026)}-{_digits(rng, 10)}",
        "vat": f"DE{_digits(rng, 9)}",
        "due": _day(rng),
    },
    lambda rng: {"imei": _imei(rng), "mac": ":".join(_hex(rng, 2) for _ in range(6))},
    lambda _: {"password_reset": True, "password_policy": "12 characters", "token_count": 12, "secret": None},
    lambda rng: f"0x{hashlib.sha256(rng.randbytes(8)).hexdigest()} confirmed in block {rng.randint(10**6, 10**8)}",
    lambda rng: {"path": f"shop/.cache/wheels/{_hex(rng, 2)}/{_hex(rng, 56)}/wheel.whl", "lines": 120},
)
"""What tools take and give, by kind."""

ORDINARY = 200
"""How many there are."""


def ordinary_records(seed: int = 1) -> list[Any]:
    """Return the records: every sentence and line of code, and data of all kinds, half of it as JSON text."""
    rng = random.Random(seed)  # noqa: S311  # made-up data
    records: list[Any] = [*PROSE, *CODE]
    while len(records) < ORDINARY:
        data = DATA[len(records) % len(DATA)](rng)
        records.append(json.dumps(data, ensure_ascii=False) if isinstance(data, dict) and rng.random() < 0.5 else data)
    return records
