"""Parses Server-Sent Events by the HTML standard, and the subscription events in them."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import InvalidReplyError

# Longer than any event of a node: the largest text, with each character escaped.
MAX_EVENT_CHARACTERS = 8 * 2**20


@dataclass(frozen=True)
class EventMessage:
    """One message of a stream. ``id`` is the value for Last-Event-ID, and empty if the stream gave none."""

    id: str
    event: str
    data: str


@dataclass(frozen=True)
class StreamMark:
    """A position without a message, from which a stream can be continued."""

    mark: str


class EventReader:
    """Parses a stream piece by piece. ``feed`` yields each message and mark that is complete, and None for a comment."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._ended_with_return = False
        self._id = ""
        self._event = ""
        self._data: list[str] = []
        self._length = 0
        self._is_marked = False

    def feed(self, piece: bytes) -> Iterator[EventMessage | StreamMark | None]:
        """Yields the messages and marks that end in this piece. Stores an unfinished message until the next piece."""
        text = self._decoder.decode(piece)
        if self._ended_with_return and text.startswith("\n"):
            text = text[1:]
            self._ended_with_return = False
        if text == "":
            return
        self._ended_with_return = text.endswith("\r")
        *lines, self._rest = re.split("\r\n|\n|\r", self._rest + text)
        self._check(len(self._rest))
        for line in lines:
            if line.startswith(":"):
                yield None
            elif line == "":
                yield from self._message()
            else:
                self._member(line)

    def _message(self) -> Iterator[EventMessage | StreamMark]:
        if self._data:
            yield EventMessage(self._id, self._event or "message", "\n".join(self._data))
        elif self._is_marked and self._id:
            yield StreamMark(self._id)
        self._event, self._data, self._length, self._is_marked = "", [], 0, False

    def _member(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id" and "\0" not in value:
            self._id = value
            self._is_marked = True
        elif name == "event":
            self._event = value
        elif name == "data":
            self._length += len(value)
            self._check(self._length)
            self._data.append(value)

    @staticmethod
    def _check(length: int) -> None:
        if length > MAX_EVENT_CHARACTERS:
            raise InvalidReplyError(
                status=200, code="invalid_reply", detail="an event of the stream is too long"
            )


def parse_event(text: str) -> dict[str, Any]:
    """Returns the event of a subscription. Raises InvalidReplyError for text that is no JSON object."""
    try:
        event = json.loads(text)
    except ValueError:
        event = None
    if isinstance(event, dict):
        return event
    raise InvalidReplyError(status=200, code="invalid_reply", detail="an event of the stream is no JSON")
