"""Brings messages to their receivers and the answers back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Message = npt.NDArray[np.uint8]
# Brings a message to a receiver, and calls back with the answer, or None if it was lost.
Send = Callable[[str, Message, Callable[[Message | None], None]], None]

_SLICE_SECONDS = 0.2


class Mailbox(Protocol):
    """The messages of one part."""

    def take(self, seconds: float) -> tuple[str, Message, int] | None: ...
    def answer(self, ticket: int, message: Message | None) -> None: ...


class Carrier:
    """A thread that takes a part's messages out and hands the answers in. Never waits for one."""

    def __init__(self, mailbox: Mailbox, send: Send) -> None:
        self._mailbox = mailbox
        self._send = send
        threading.Thread(target=self._run, name="carrier", daemon=True).start()

    def _run(self) -> None:
        while True:
            outgoing = self._mailbox.take(_SLICE_SECONDS)
            if outgoing is None:
                continue
            receiver, message, ticket = outgoing

            def answer(reply: Message | None, ticket: int = ticket) -> None:
                self._mailbox.answer(ticket, reply)

            try:
                self._send(receiver, message, answer)
            except Exception:  # the receiver is gone, or Ray is ending
                answer(None)


def when_done(reference: Any, on_answer: Callable[[Message | None], None]) -> None:
    """Calls back with the value of a Ray reference; with None if there is none, or an empty one."""

    def finished(future: Any) -> None:
        try:
            value = future.result()
        except Exception:
            value = None
        on_answer(value if value is not None and len(value) > 0 else None)

    reference.future().add_done_callback(finished)


class Publications:
    """Brings the newest parameters to each actor, one message at a time.

    An actor that is slow, pending or stopped delays no other one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        self._newest: Any = None
        self._under_way: set[Any] = set()  # handles of actors

    def publish(self, reference: Any, actors: dict[int, Any]) -> None:
        with self._lock:
            self._number += 1
            self._newest = reference
            idle = [actor for actor in actors.values() if actor not in self._under_way]
            self._under_way.update(idle)
            number = self._number
        for actor in idle:
            self._send(actor, reference, number)

    def _send(self, actor: Any, reference: Any, number: int) -> None:
        when_done(
            actor.parameters.remote(reference), lambda answer: self._sent(actor, number, answer)
        )

    def _sent(self, actor: Any, number: int, answer: Message | None) -> None:
        with self._lock:
            newest, newer = self._newest, self._number
            if answer is None or newer == number:  # a lost actor hears the next publication
                self._under_way.discard(actor)
                return
        self._send(actor, newest, newer)
