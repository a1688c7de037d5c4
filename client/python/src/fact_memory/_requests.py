"""Builds the request of a call: its address, headers and body."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import quote, urlencode

from ._retries import KEYED_POSTS
from ._settings import Settings


class CallOptions(TypedDict, total=False):
    """Settings of one call, in place of those of the client.

    ``timeout`` limits each try, in seconds; None sets no limit. ``retries`` counts the further tries.
    ``idempotency_key`` identifies a repeated request; the client makes one for routes that take it. ``session`` names
    the session of a fact. ``capability`` is a capability token as JSON text. ``headers`` are further headers.
    """

    timeout: float | None
    retries: int
    idempotency_key: str
    session: str
    capability: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Outgoing:
    """One request, described by its route with placeholders, for example ``GET /v1/facts/{id}``."""

    route: str
    params: Mapping[str, str] | None
    query: Mapping[str, Any] | None
    body: Any
    options: CallOptions


@dataclass(frozen=True)
class Request:
    """One request, ready to be sent."""

    route: str
    method: str
    address: str
    headers: Mapping[str, str]
    content: bytes | None


def build_request(outgoing: Outgoing, settings: Settings) -> Request:
    """Returns the request.

    Raises ValueError for no route, a missing parameter and a body that is no JSON, and TypeError for an unknown option.
    """
    for name in sorted(outgoing.options.keys() - CallOptions.__annotations__.keys()):
        # Ignored, a member of a query such as ``entity`` would ask for everything.
        raise TypeError(f'unknown option "{name}"; the members of a query are one mapping')
    method, _, path = outgoing.route.partition(" ")
    if not method.isalpha() or not path.startswith("/"):
        raise ValueError('a route is a method and a path, such as "GET /v1/facts"')
    if path == "/.well-known/svc":
        path = f"/.well-known/{settings.service_name}"
    address = settings.url + fill_path(path, outgoing.params or {}) + spell_query(outgoing.query or {})
    return Request(outgoing.route, method, address, _headers(outgoing, settings), _content(outgoing.body))


def fill_path(path: str, params: Mapping[str, str]) -> str:
    """Returns the path with its parameters in place, each percent-encoded as a single segment."""

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        value = params.get(name)
        if not isinstance(value, str) or value == "":
            raise ValueError(f'{path} needs the parameter "{name}"')
        # Every parser of addresses treats these as steps through the path, in any encoding.
        if value in (".", ".."):
            raise ValueError(f'the parameter "{name}" cannot be sent in a path')
        return quote(_well_formed(value, name), safe="")

    return re.sub(r"\{(\w+)\}", fill, path)


def spell_query(query: Mapping[str, Any]) -> str:
    """Returns ``?a=1&b=2``, or nothing. A list becomes one parameter per item, a mapping JSON; None is left out.

    A list without values becomes an empty value: without its parameter the request would ask for everything.
    """
    pairs = [
        (name, _spell(value, name))
        for name, given in query.items()
        for value in (_present(given) or [""] if isinstance(given, (list, tuple)) else _present([given]))
    ]
    return f"?{urlencode(pairs)}" if pairs else ""


def _present(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _spell(value: Any, name: str) -> str:
    if isinstance(value, (bool, Mapping)):
        return json.dumps(value)
    return _well_formed(str(value), name)


def _well_formed(text: str, name: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f'the parameter "{name}" is not well-formed text') from None
    return text


def _content(body: Any) -> bytes | None:
    if body is None:
        return None
    if isinstance(body, (bytes, str)):
        return body if isinstance(body, bytes) else body.encode()
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"the body cannot be sent as JSON: {error}") from None


def _headers(outgoing: Outgoing, settings: Settings) -> Mapping[str, str]:
    options = outgoing.options
    name = settings.service_name[0].upper() + settings.service_name[1:]
    keyed = secrets.token_hex(16) if outgoing.route in KEYED_POSTS else None
    media = "application/x-ndjson" if isinstance(outgoing.body, (bytes, str)) else "application/json"
    headers = {
        "Accept": "application/json",
        "Content-Type": None if outgoing.body is None else media,
        "Authorization": None if settings.key is None else f"Bearer {settings.key}",
        "Idempotency-Key": options.get("idempotency_key", keyed),
        f"{name}-Session": options.get("session", settings.session),
        f"X-{name}-Capability": options.get("capability"),
    }
    given = {name.lower(): value for name, value in options.get("headers", {}).items()}
    kept = {name: value for name, value in headers.items() if value is not None and name.lower() not in given}
    return {**kept, **given}
