"""Decides whether to repeat a failed request, and after which delay."""

from __future__ import annotations

import re

from .errors import FactMemoryError

FIRST_DELAY_S = 0.25
MAX_DELAY_S = 10.0
# If the node asks for a longer pause, the client raises the error, whose ``retry_after`` holds the pause.
MAX_RETRY_AFTER_S = 60

# A reverse proxy returns 502 and 504 while the node behind it restarts.
UNAVAILABLE = frozenset({502, 503, 504})

# POST requests that change nothing, so that they are safe to repeat.
READING_POSTS = frozenset(
    {
        "POST /v1/recall",
        "POST /v1/lint",
        "POST /v1/synthesis",
        "POST /v1/facts/{id}/verify-cid",
        "POST /v1/federation/capability-tokens/verify",
        "POST /v1/agents/{agent_id}/recall-instruction",
    }
)

# POST requests that the node executes once for each Idempotency-Key.
KEYED_POSTS = frozenset({"POST /v1/facts", "POST /v1/facts/batch"})


def is_repeatable(route: str, has_idempotency_key: bool) -> bool:
    """Returns whether a request may be repeated when the outcome of the first try is unknown."""
    return bool(re.match("(GET|PUT|DELETE) ", route)) or route in READING_POSTS or has_idempotency_key


def deserves_retry(error: FactMemoryError, repeatable: bool) -> bool:
    """Returns whether another try can succeed after this failure."""
    if (error.retry_after or 0) > MAX_RETRY_AFTER_S:
        return False
    # A rate limit refused the request before the node did anything.
    if error.status == 429 or error.code == "idempotency_in_progress":
        return True
    return repeatable and (error.status == 0 or error.status in UNAVAILABLE)


def delay_before(tries: int, retry_after: int | None, random: float) -> float:
    """Returns the seconds before another try. ``tries`` counts from 0, ``random`` is from 0 to less than 1."""
    back_off: float = min(FIRST_DELAY_S * 2**tries, MAX_DELAY_S)
    # Jitter spreads the retries of clients that were refused at the same time.
    return back_off * (0.5 + random / 2) if retry_after is None else retry_after + back_off * random
