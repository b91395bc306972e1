"""Orders to a model in German, French, Spanish, Portuguese, Italian, Russian and Japanese: the commonest forms only."""

from __future__ import annotations

from typing import Final

from reinforced_agent.policies.screening.disguises import plain
from reinforced_agent.policies.screening.patterns import Pattern


_READER: Final = (
    r"(?:automatische\w? (?:assistent|agent|system)\w*|robots? conversationnels?|modelos? de lenguaje"
    r"|agentes? (?:de )?ia"
    r"|ki[- ](?:assistent\w*|agent\w*|modell\w*|system\w*)|sprachmodell\w*"
    r"|assistant ia|agent ia|assistant virtuel|modele de langage|intelligence artificielle"
    r"|(?:asistente|agente|modelo)(?: virtual)? de (?:ia|inteligencia artificial)"
    r"|(?:assistente|agente) (?:de |di )?(?:ia|inteligencia artificial)|modelo de linguagem|modello linguistico"
    r"|ии[- ](?:ассистент\w*|агент\w*|помощник\w*|модел\w*)|языков\w{1,4} модел\w*|нейросет\w*"
    r"|ai ?アシスタント|aiエージェント|言語モデル|人工知能)"
)

OTHERS: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="addresses the model",
        regex=plain(
            rf"(?:\b(?:an|fur|liebe\w?|achtung|a|au|aux|pour|l'|cher|para|el|la|al|o|ao|all'|per|для|внимание"
            rf"|attention|atencao|atencion|attenzione|дорог\w{{2}})"
            rf"\W{{0,3}}(?:den |die |das |alle |tous les |todos |os |le |the )?|^|[\n,.:!?。]\W{{0,4}}){_READER}"
            r"(?=.{0,25}?[:,：、]|.{0,40}?(?:liest|lit|lee|le |legge|чита|読))|" + f"{_READER}.{{0,4}}?(?:へ|向け|は次)"
        ),
        weight=0.7,
        quotable=True,
    ),
    Pattern(
        name="sets earlier instructions aside",
        regex=plain(
            r"\b(?:ignorier\w*|vergiss|missachte\w*)\b.{0,30}?\b(?:anweisung|vorgabe|regel|befehl|auftrag)\w*"
            r"|\b(?:ignore[sz]?|oublie[sz]?|ne tiens pas compte|ne tenez pas compte)\b.{0,30}?\b(?:instruction|consigne"
            r"|directive|regle)s?\b"
            r"|\b(?:ignor[ae]|ignorar|olvid[ae]|desconsider[ae]|esquec\w{1,2}|dimentic\w{1,3})\b.{0,30}?\b(?:instruc\w+"
            r"|istruzion\w|orden\w*|ordens|regras|reglas|indicac\w+)"
            r"|(?:игнорир\w+|забудь\w*|не обращай\w* внимания).{0,30}?(?:инструкц|указан|правил|команд)"
            r"|(?:指示|命令|ルール|規則).{0,6}?(?:無視|忘れ)"
        ),
        weight=0.6,
        quotable=True,
    ),
    Pattern(
        name="wants to stay hidden from the user",
        regex=plain(
            r"\b(?:ohne|nicht|sans|ne|sin|no|sem|nao|senza|non)\b.{0,25}?\b(?:nutzer|benutzer|anwender"
            r"|utilisateur|usuario"
            r"|utente|informer|avisar|avertir|avvisare)\w*|\b(?:nutzer|benutzer|anwender)\w*\b.{0,25}?\bnicht\b"
            r"|(?:не|без).{0,20}?пользовател|ユーザー?.{0,8}?(?:知らせ|伝え|言わ|通知)"
        ),
        weight=0.4,
    ),
    Pattern(
        name="moves money or hands something over",
        ordinary=True,
        regex=plain(
            r"\b(?:uberweis\w*|sende\w*|schick\w*|leite\w*|losch\w*|envoie\w*|envoye[sz]?|vire[sz]?|supprim\w*|vide[sz]"
            r"|envi[ae]\w*|envien|borra\w*|elimin[ae]|faca um pix|apag\w*|invia\w*|cancella\w*)\b"
            r"|(?:перешл|отправ|перевед|удал)\w*|(?:送信|転送|送金|削除)して"
        ),
        weight=0.3,
    ),
)
