"""Checks webhook deliveries by the Standard Webhooks specification."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import WebhookError

TOLERANCE_S = 300
MAX_SIGNATURES = 16
SECRET_PREFIX = "whsec_"


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> dict[str, Any]:
    """Checks a delivery and returns its event.

    ``body`` is the body as received, before any parsing. During the rotation of a secret, pass the old and the new
    one. ``tolerance`` is the maximum difference, in seconds, between ``now`` and the time of the delivery. Raises
    WebhookError for a wrong signature, and for a time outside the tolerance. The node may send a delivery twice, with
    the same ``event_id``.
    """
    delivery_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature").split(" ")[:MAX_SIGNATURES]
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise _refused("the header webhook-timestamp is no time")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise _refused("the delivery is too old, or the clock of this machine is wrong")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{delivery_id}.{timestamp}.".encode() + content
    for one in [secret] if isinstance(secret, str) else secret:
        mac = base64.b64encode(hmac.new(_secret_bytes(one), signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(b"v1," + mac, each.encode("utf-8", "replace")) for each in signatures):
            return _event(content)
    raise _refused("no signature of the delivery fits the secret")


def _header(headers: Mapping[str, str], name: str) -> str:
    value = next((value for given, value in headers.items() if given.lower() == name), "")
    if not isinstance(value, str) or value == "":
        raise _refused(f"the header {name} is missing")
    return value


def _secret_bytes(secret: str) -> bytes:
    try:
        content = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content:
        raise ValueError('a secret of webhooks is "whsec_" and base64')
    return content


def _event(content: bytes) -> dict[str, Any]:
    try:
        event = json.loads(content)
    except ValueError:
        event = None
    if isinstance(event, dict):
        return event
    raise _refused("the body of the delivery is no JSON")


def _refused(detail: str) -> WebhookError:
    return WebhookError(status=0, code="invalid_signature", detail=detail)
