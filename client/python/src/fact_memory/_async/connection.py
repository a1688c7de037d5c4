"""Sends requests to one node, and retries them if that can help."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
from typing_extensions import Unpack

from .._replies import (
    MAX_PROBLEM_BYTES,
    MAX_REPLY_BYTES,
    Reply,
    invalid_reply,
    read_body,
    read_problem,
    refuse_page,
)
from .._requests import CallOptions, Outgoing, Request, build_request
from .._retries import delay_before, deserves_retry, is_repeatable
from .._settings import Settings
from ..errors import ConnectionFailedError, FactMemoryError


class AsyncConnection:
    """Sends its key only to its node. Follows no redirects and keeps no cookies."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient | None) -> None:
        self._settings = settings
        self._is_own = http is None
        self._http = http or httpx.AsyncClient(limits=httpx.Limits(max_connections=100))

    async def close(self) -> None:
        """Closes the connections, unless the caller passed the HTTP client."""
        if self._is_own:
            await self._http.aclose()

    async def call(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Calls a route and returns the body of its reply."""
        return (await self.send(Outgoing(route, params, query, body, options))).data

    async def send(self, outgoing: Outgoing) -> Reply:
        """Sends a request. Raises FactMemoryError for any status but 2xx, after the last try."""
        request = build_request(outgoing, self._settings)
        repeatable = is_repeatable(outgoing.route, "Idempotency-Key".lower() in _lowered(request.headers))
        retries = outgoing.options.get("retries", self._settings.retries)
        tries = 0
        while True:
            try:
                return await self._try(request, self._timeout(outgoing))
            except FactMemoryError as error:
                if tries >= retries or not deserves_retry(error, repeatable):
                    raise
                delay = delay_before(tries, error.retry_after, random.random())
            await anyio.sleep(delay)
            tries += 1

    @asynccontextmanager
    async def open(self, outgoing: Outgoing) -> AsyncIterator[httpx.Response]:
        """Opens a reply whose body the caller reads. Raises FactMemoryError for any status but 2xx. Retries nothing."""
        request = build_request(outgoing, self._settings)
        async with self._exchange(request, self._timeout(outgoing)) as response:
            yield response

    async def _try(self, request: Request, timeout: float | None) -> Reply:
        async with self._exchange(request, timeout) as response:
            content = await _read(response, self._settings.url, MAX_REPLY_BYTES, timeout)
            data = read_body(response.status_code, response.headers, content)
            return Reply(response.status_code, response.headers, data)

    @asynccontextmanager
    async def _exchange(self, request: Request, timeout: float | None) -> AsyncIterator[httpx.Response]:
        sent = self._http.stream(
            request.method,
            request.address,
            headers=request.headers,
            content=request.content,
            timeout=timeout,
            follow_redirects=False,
        )
        try:
            async with sent as response:
                self._http.cookies.clear()
                if not response.is_success:
                    content = await _read(response, self._settings.url, MAX_PROBLEM_BYTES, timeout)
                    raise read_problem(response.status_code, response.headers, content)
                refuse_page(response.status_code, response.headers, request.route)
                yield response
        except httpx.TimeoutException:
            raise _timed_out(self._settings.url, timeout) from None
        except (httpx.RequestError, httpx.InvalidURL, httpx.StreamError) as error:
            detail = f"the node at {self._settings.url} could not be reached: {type(error).__name__}"
            raise ConnectionFailedError(status=0, code="connection", detail=detail) from None

    def _timeout(self, outgoing: Outgoing) -> float | None:
        return outgoing.options.get("timeout", self._settings.timeout)


async def _read(response: httpx.Response, url: str, max_bytes: int, timeout: float | None) -> bytes:
    """Reads a whole body. The timeout covers the whole reply, so that a slow trickle of bytes ends too."""
    deadline = None if timeout is None else time.monotonic() + timeout
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > max_bytes:
            detail = f'the reply is longer than {max_bytes} bytes; read it with "open" as a stream'
            raise invalid_reply(response.status_code, response.headers, detail)
        if deadline is not None and time.monotonic() > deadline:
            raise _timed_out(url, timeout)
    return bytes(content)


def _timed_out(url: str, timeout: float | None) -> ConnectionFailedError:
    return ConnectionFailedError(status=0, code="timeout", detail=f"no reply came from {url} within {timeout} s")


def _lowered(headers: Mapping[str, str]) -> set[str]:
    return {name.lower() for name in headers}
