"""Streams of events, their reconnects, and the check of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

from fact_memory import FactClient, FactMemoryError, InvalidReplyError, WebhookError, verify_webhook
from fact_memory._events import MAX_EVENT_CHARACTERS, EventMessage, EventReader, StreamMark
from scripted_server import JSON, Script, scripted

STREAM = {"Content-Type": "text/event-stream"}
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef").decode()


def event(number: int, kind: str = "fact_asserted") -> bytes:
    return f"id: {number}\ndata: {json.dumps({'event_id': str(number), 'event_type': kind})}\n\n".encode()


def test_a_stream_gives_the_same_messages_in_any_pieces() -> None:
    stream = ": hello\r\n\r\nid: 1\r\nevent: a\r\ndata: one\r\ndata: two\r\n\r\ndata: øre\n\nid: 3\n\ndata: late".encode()
    for size in range(1, len(stream)):
        reader = EventReader()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        found = [message for piece in pieces for message in reader.feed(piece) if message is not None]
        assert found == [EventMessage("1", "a", "one\ntwo"), EventMessage("1", "message", "øre"), StreamMark("3")]


def test_an_endless_event_is_refused() -> None:
    reader = EventReader()
    with pytest.raises(InvalidReplyError):
        list(reader.feed(b"data: " + b"x" * (MAX_EVENT_CHARACTERS + 1)))


def test_a_broken_stream_resumes_after_the_last_event() -> None:
    active = (200, JSON, b'{"status":"active"}')
    last = event(3, "subscription_cancelled_access_revoked")
    script: Script = [(200, STREAM, b": hi\n\n" + event(1) + event(2)), active, (200, STREAM, last)]
    with scripted(script) as server, FactClient(server.url) as client:
        found = [each["event_id"] for each in client.subscriptions.events("s1")]
    assert found == ["1", "2", "3"]
    assert server.requests[-1][2]["last-event-id"] == "2"


def test_a_stream_that_breaks_before_its_first_event_resumes_at_its_mark() -> None:
    mark = "2026-03-02T09:00:00.000Z"
    opened = (200, STREAM, f": open\nid: {mark}\n\n".encode())
    active = (200, JSON, b'{"status":"active"}')
    last = (200, STREAM, event(1, "subscription_cancelled_access_revoked"))
    with scripted([opened, active, last]) as server, FactClient(server.url) as client:
        found = [each["event_id"] for each in client.subscriptions.events("s1")]
    assert found == ["1"]
    assert server.requests[-1][2]["last-event-id"] == mark


def test_a_stream_that_never_opens_raises_after_its_reconnects() -> None:
    for reply in ((503, JSON, b'{"code":"busy"}'), (502, {}, b"<html>bad gateway</html>")):
        with scripted([reply]) as server, FactClient(server.url, retries=0) as client:
            with pytest.raises(FactMemoryError):
                list(client.subscriptions.events("s1", reconnects=1))
        assert len(server.requests) == 2


def delivery(body: bytes, *, at: int = 1000) -> dict[str, str]:
    signed = b"msg_1." + str(at).encode() + b"." + body
    mac = base64.b64encode(hmac.new(b"0123456789abcdef", signed, hashlib.sha256).digest()).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(at), "Webhook-Signature": f"v1,AAAA v1,{mac}"}


def test_a_delivery_of_the_node_is_accepted() -> None:
    body = b'{"event_id":"e"}'
    other = "whsec_" + base64.b64encode(b"another secret").decode()
    assert verify_webhook(body, delivery(body), [other, SECRET], now=1100) == {"event_id": "e"}


@pytest.mark.parametrize(
    ("body", "headers", "now"),
    [
        (b'{"event_id":"f"}', delivery(b'{"event_id":"e"}'), 1000),
        (b"{}", delivery(b"{}"), 1301),
        (b"{}", delivery(b"{}"), 699),
        (b"{}", {**delivery(b"{}"), "Webhook-Signature": "v1,\udcff v2,x"}, 1000),
        (b"{}", {**delivery(b"{}"), "Webhook-Timestamp": "soon"}, 1000),
        (b"{}", {}, 1000),
        (b"no json", delivery(b"no json"), 1000),
    ],
)
def test_a_delivery_with_a_wrong_signature_or_time_is_refused(body: bytes, headers: dict[str, str], now: int) -> None:
    with pytest.raises(WebhookError):
        verify_webhook(body, headers, SECRET, now=now)
