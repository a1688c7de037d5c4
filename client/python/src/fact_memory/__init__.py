"""The client of a fact-memory node: typed, traceable facts that agents and people share.

``FactClient`` blocks, ``AsyncFactClient`` does not. Both have the same methods.
"""

from ._async.client import AsyncFactClient
from ._async.pages import AsyncPages
from ._events import EventMessage
from ._replies import Reply
from ._requests import CallOptions
from ._sync.client import FactClient
from ._sync.pages import Pages
from ._values import ValueInput
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    FactMemoryError,
    InvalidReplyError,
    JobFailedError,
    NotFoundError,
    ProblemMember,
    WebhookError,
)
from .webhooks import verify_webhook

__all__ = [
    "AsyncFactClient",
    "AsyncPages",
    "AuthenticationError",
    "CallOptions",
    "ConflictError",
    "ConnectionFailedError",
    "EventMessage",
    "FactClient",
    "FactMemoryError",
    "InvalidReplyError",
    "JobFailedError",
    "NotFoundError",
    "Pages",
    "ProblemMember",
    "Reply",
    "ValueInput",
    "WebhookError",
    "verify_webhook",
]
