"""The errors of the client. None of them contains the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class ProblemMember(TypedDict):
    """A member of a refused request, and the reason."""

    path: str
    message: str


class FactMemoryError(Exception):
    """A failed request. Base class of all errors of the client.

    ``status`` is the HTTP status, or 0 without a reply. ``code`` is the error code of the protocol, for example
    ``validation``, ``conflict`` or ``quota_exceeded``. ``detail`` gives the reason in words for people. ``errors`` lists
    the refused members. ``request_id`` identifies the request in the log of the node. ``retry_after`` holds the seconds
    until the node accepts another try, if the reply names them. ``body`` is the JSON object of the reply, if it is one.
    """

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        errors: Sequence[ProblemMember] = (),
        request_id: str | None = None,
        retry_after: int | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        suffix = "" if status == 0 else f", status {status}"
        super().__init__(f"{detail} ({code}{suffix})")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.request_id = request_id
        self.retry_after = retry_after
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (type(self), self.__dict__))


def _restore(kind: type[FactMemoryError], members: dict[str, Any]) -> FactMemoryError:
    """Restores a pickled error from its members, because pickle cannot pass named arguments."""
    return kind(**members)


class AuthenticationError(FactMemoryError):
    """401 and 403: the key is missing, unknown or expired, or lacks a right."""


class NotFoundError(FactMemoryError):
    """404: the object does not exist, or the caller may not see it."""


class ConflictError(FactMemoryError):
    """409: the state of the node prevents the request, for example a contradicting fact in strict mode."""


class ConnectionFailedError(FactMemoryError):
    """No reply came: ``code`` is ``connection`` or ``timeout``. It is unknown whether the node did the work."""


class InvalidReplyError(FactMemoryError):
    """A reply that the protocol does not allow, for example from a proxy. Its text is not repeated."""


class JobFailedError(FactMemoryError):
    """A job of the node has failed. ``body`` is the job."""


class WebhookError(FactMemoryError):
    """A delivery with a wrong signature or a wrong time. Reply with a 4xx, and do not act on it."""


def error_kind(status: int) -> type[FactMemoryError]:
    """Returns the class of the error for a reply whose status is not 2xx."""
    if status in (401, 403):
        return AuthenticationError
    return {404: NotFoundError, 409: ConflictError}.get(status, FactMemoryError)
