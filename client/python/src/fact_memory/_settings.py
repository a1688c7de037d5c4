"""The settings of a client, with their defaults."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8765"
MAX_RETRIES = 20


@dataclass(frozen=True)
class Settings:
    """Settings of every request. ``url`` has no trailing slash. ``timeout`` is in seconds; None sets no limit."""

    url: str
    key: str | None
    session: str | None
    service_name: str
    timeout: float | None
    retries: int

    def __repr__(self) -> str:
        return f"Settings(url={self.url!r})"


def read_settings(
    url: str | None, key: str | None, session: str | None, service_name: str, timeout: float | None, retries: int
) -> Settings:
    """Checks the settings. Raises ValueError for an invalid one; the message never repeats the key or the address."""
    if not re.fullmatch("[a-z][a-z0-9-]{0,31}", service_name):
        raise ValueError('"service_name" is no name of a service')
    if timeout is not None and not timeout > 0:
        raise ValueError('"timeout" must be more than 0, or None for no limit')
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= MAX_RETRIES:
        raise ValueError(f'"retries" must be a whole number from 0 to {MAX_RETRIES}')
    address, known = _read_address(url, key)
    return Settings(_base_url(address), _checked_key(known), session, service_name, timeout, retries)


def _read_address(url: str | None, key: str | None) -> tuple[str, str | None]:
    """Returns address and key. The key of the environment is sent only to the address of the environment."""
    if url is not None:
        return url, key
    return os.environ.get("SVC_URL") or DEFAULT_URL, key or os.environ.get("SVC_API_KEY") or None


def _checked_key(key: str | None) -> str | None:
    """Checks that a header can contain the key, because the error of the transport would repeat it."""
    trimmed = None if key is None else key.strip()
    if trimmed is None or re.fullmatch("[\x21-\x7e]+", trimmed):
        return trimmed
    raise ValueError('"key" must be visible ASCII characters')


def _base_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the url of the node must be an absolute address such as http://127.0.0.1:8765")
    if parts.username is not None or parts.password is not None:
        raise ValueError('the url must not hold credentials; pass the key as "key"')
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise ValueError("the url must not have a query or a fragment")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
