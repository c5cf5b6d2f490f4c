"""Messages between a worker and the trainer that are too rare to need shared memory."""

import json
import os
from typing import Any


class Control:
    """A socket to the trainer. A message is a JSON object and, where it has one, a picture."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, message: dict[str, Any], picture: bytes = b"") -> None:
        # The trainer refuses a text with lone surrogates, which the name of a file may have.
        text = json.dumps(message, ensure_ascii=False).encode(errors="replace")
        lengths = len(text).to_bytes(4, "little") + len(picture).to_bytes(4, "little")
        self._write(lengths + text + picture)

    def receive(self) -> dict[str, Any]:
        text_length = int.from_bytes(self._read(4), "little")
        self._read(4)  # the trainer sends no pictures
        message: dict[str, Any] = json.loads(self._read(text_length))
        return message

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = os.read(self._descriptor, count - len(data))
            if not piece:
                os._exit(1)  # the trainer is gone
            data += piece
        return data
