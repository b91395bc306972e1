"""Follow one JSON value while it is written: what stands open of its innermost string, number or word."""

from dataclasses import dataclass, field


@dataclass
class Cursor:
    """A place in a JSON value under way; text is fed to it as it is written."""

    text: str = ""
    """All that was written."""
    value: str | None = None
    """What is there of the innermost string, number or word; None between values and within keys."""
    quoted: bool = False
    """Whether that value is a string."""
    _open: list[str] = field(default_factory=list)
    _at_key: bool = False
    _buffer: str = ""
    _escaped: bool = False

    def feed(self, text: str) -> None:
        """Move on over newly written text."""
        self.text += text
        for character in text:
            if self.quoted:
                self._in_quotes(character)
            else:
                self._outside(character)
        self.value = self._buffer if not self._at_key and (self.quoted or self._buffer) else None

    def _in_quotes(self, character: str) -> None:
        if character == '"' and not self._escaped:
            self.quoted, self._buffer = False, ""
            return
        self._escaped = character == "\\" and not self._escaped
        self._buffer += character

    def _outside(self, character: str) -> None:
        match character:
            case '"':
                self.quoted, self._buffer = True, ""
            case "{" | "[":
                self._open.append(character)
                self._at_key, self._buffer = character == "{", ""
            case "}" | "]":
                self._open = self._open[:-1]
                self._at_key, self._buffer = False, ""
            case ":":
                self._at_key, self._buffer = False, ""
            case ",":
                self._at_key, self._buffer = self._open[-1:] == ["{"], ""
            case _:
                self._buffer += character.strip()
