# Written by scripts/make_sync.py from the asynchronous client. Changes by hand are lost.
"""Subscriptions: webhooks, and streams of new events."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, cast

import time
from typing_extensions import TypeAlias, Unpack

from .._events import EventMessage, EventReader, StreamMark, parse_event
from .._requests import CallOptions, Outgoing
from .._retries import UNAVAILABLE, delay_before
from ..errors import ConnectionFailedError, FactMemoryError, NotFoundError
from ..types import Subscription
from .connection import Connection
from .pages import Pages

# The silence after which a connection counts as broken: three missed heartbeats of the node.
SILENCE_S = 45.0
RECONNECTS = 10
LAST_EVENT = "subscription_cancelled_access_revoked"
# Inside the class, ``list`` means its method.
SubscriptionList: TypeAlias = list[Subscription]


class Subscriptions:
    """The calls about subscriptions of the caller."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._call = connection.call

    def create(
        self, subscription: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> dict[str, Any]:
        """Creates a subscription. Needs a capability token with the verb ``subscribe``.

        Only this reply contains ``secret``.
        """
        reply = self._call("POST /v1/subscriptions", body=subscription, **options)
        return cast("dict[str, Any]", reply)

    def list(self, **options: Unpack[CallOptions]) -> SubscriptionList:
        """Returns the subscriptions of the caller."""
        reply = self._call("GET /v1/subscriptions", **options)
        return cast("SubscriptionList", reply["subscriptions"])

    def get(self, id: str, **options: Unpack[CallOptions]) -> Subscription:
        """Returns one subscription."""
        reply = self._call("GET /v1/subscriptions/{id}", params={"id": id}, **options)
        return cast("Subscription", reply)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Cancels a subscription."""
        self._call("DELETE /v1/subscriptions/{id}", params={"id": id}, **options)

    def rotate_secret(
        self, id: str, body: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> dict[str, Any]:
        """Replaces the secret of the subscription. Only this reply contains the new ``secret``."""
        route = "POST /v1/subscriptions/{id}/rotate-secret"
        reply = self._call(route, params={"id": id}, body=body or {}, **options)
        return cast("dict[str, Any]", reply)

    def replay(
        self, id: str, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> Pages[dict[str, Any]]:
        """Iterates over the events that the node still keeps, oldest first."""

        def get(cursor: str | None) -> Any:
            page = {**(query or {}), "cursor": cursor}
            return self._call("GET /v1/subscriptions/{id}/events", params={"id": id}, query=page, **options)

        return Pages(get, "events")

    def events(
        self, id: str, *, after: str | None = None, reconnects: int = RECONNECTS
    ) -> Iterator[dict[str, Any]]:
        """Yields new events, each at least once. Reconnects when the connection breaks.

        ``after`` is the id of the last handled event; without it the stream begins with new events. Ends when the
        subscription is cancelled. Raises the last error after ``reconnects`` failed connections in a row, and
        FactMemoryError with the code ``event_not_found`` if the node no longer has the event ``after``, so that
        events may be missing.
        """
        failures = 0
        was_open = False
        while True:
            try:
                is_new = True
                for message in self._messages(id, after):
                    if isinstance(message, StreamMark):
                        after = message.mark
                        continue
                    # The first comment confirms the connection, but does not prove that events follow.
                    if message is not None or not is_new:
                        failures = 0
                    is_new = False
                    was_open = True
                    if message is None:
                        continue
                    event = parse_event(message.data)
                    yield event
                    after = message.id
                    if event.get("event_type") == LAST_EVENT:
                        return
                if (self.get(id)).get("status") == "cancelled":
                    return
            except FactMemoryError as error:
                if was_open and isinstance(error, NotFoundError) and error.code == "lookup":
                    return
                if not _can_go_on(error) or failures >= reconnects:
                    raise
            failures += 1
            time.sleep(delay_before(min(failures, 6) - 1, None, random.random()))

    def _messages(self, id: str, after: str | None) -> Iterator[EventMessage | StreamMark | None]:
        headers = {"Accept": "text/event-stream", **({} if after is None else {"Last-Event-ID": after})}
        options: CallOptions = {"headers": headers, "timeout": SILENCE_S}
        outgoing = Outgoing("GET /v1/subscriptions/{id}/stream", {"id": id}, None, None, options)
        reader = EventReader()
        with self._connection.open(outgoing) as response:
            for piece in response.iter_bytes():
                for message in reader.feed(piece):
                    yield message


def _can_go_on(error: FactMemoryError) -> bool:
    """Returns whether to reconnect: after a broken connection, and when the node is busy or restarts."""
    return isinstance(error, ConnectionFailedError) or error.status in {429, *UNAVAILABLE}
