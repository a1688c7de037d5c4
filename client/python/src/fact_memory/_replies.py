"""Reads the body of a reply, or the error that the reply stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import FactMemoryError, InvalidReplyError, error_kind
from .types import BatchReply

# Larger than any page of a node. Longer replies are read as streams.
MAX_REPLY_BYTES = 64 * 2**20
MAX_PROBLEM_BYTES = 2**20
JSON_TYPE = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;|$)", re.IGNORECASE)

# Routes for programs. All others may return a page for people.
PROGRAM_ROUTE = re.compile(r"[A-Z]+ /(?:v1/|healthz$|readyz$|\.well-known/)")


@dataclass(frozen=True)
class Reply:
    """A reply with its status and headers. ``data`` is the result of ``call``."""

    status: int
    headers: Mapping[str, str]
    data: Any


def read_body(status: int, headers: Mapping[str, str], content: bytes) -> Any:
    """Returns the JSON of a reply, its text, or None without a body."""
    if status == 204 or not content:
        return None
    text = content.decode("utf-8", "replace")
    if not JSON_TYPE.match(headers.get("content-type", "")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise invalid_reply(status, headers, "the reply is not JSON, although its content type is") from None


def refuse_page(status: int, headers: Mapping[str, str], route: str) -> None:
    """Raises for a web page in reply to a route that has none, because then the url is not that of a node."""
    if PROGRAM_ROUTE.match(route) and headers.get("content-type", "").lower().startswith("text/html"):
        raise invalid_reply(status, headers, "the reply is a web page: the url is not the address of a node")


def read_problem(status: int, headers: Mapping[str, str], content: bytes) -> FactMemoryError:
    """Returns the error for a reply whose status is not 2xx."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    problem: Mapping[str, Any] = body if isinstance(body, dict) else {}
    return problem_error(status, problem, headers)


def problem_error(status: int, problem: Mapping[str, Any], headers: Mapping[str, str]) -> FactMemoryError:
    """Returns the error for a problem document, of a reply or of one fact in a batch."""
    code, detail, errors = problem.get("code"), problem.get("detail"), problem.get("errors")
    request_id = problem.get("request_id")
    wait = headers.get("retry-after", "")
    return error_kind(status)(
        status=status,
        code=code if isinstance(code, str) else "http_error",
        detail=detail if isinstance(detail, str) else f"the server returned {status} without saying why",
        errors=[each for each in errors if _is_member(each)] if isinstance(errors, list) else (),
        request_id=request_id if isinstance(request_id, str) else headers.get("x-request-id"),
        retry_after=int(wait) if re.fullmatch("[0-9]{1,9}", wait) else None,
        body=problem or None,
    )


def invalid_reply(status: int, headers: Mapping[str, str], detail: str) -> InvalidReplyError:
    """Returns the error for a reply that the protocol does not allow."""
    return InvalidReplyError(
        status=status, code="invalid_reply", detail=detail, request_id=headers.get("x-request-id")
    )


def raise_refusal(reply: BatchReply) -> None:
    """Raises the error of the first fact that the node refused, if there is one."""
    for result in reply["results"]:
        if "error" in result:
            raise problem_error(result["status"], result["error"], {})


def _is_member(value: Any) -> bool:
    return isinstance(value, dict) and "path" in value and "message" in value
