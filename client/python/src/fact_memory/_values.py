"""Converts values and assertions to the form of the protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Union

from typing_extensions import TypeAlias

ValueInput: TypeAlias = Union[str, int, float, bool, None, datetime, Mapping[str, Any]]
"""A value, or its short form: text, a number, a boolean, None, or a time with its zone."""

# The scope of an assertion that names none.
WRITTEN_SCOPE = "company"

# The value of a retraction. It has no effect, because a confidence of 0 ends facts with any value.
RETRACTED = {"type": "string", "v": "retracted"}
INSTANT = re.compile(r"(.{17})(\d\d)(?:\.(\d+))?(Z|.{6})")


def typed_value(value: ValueInput) -> Mapping[str, Any]:
    """Returns a value with its type. Raises ValueError for a time without a zone, TypeError for another type."""
    if value is None:
        return {"type": "null", "v": None}
    if isinstance(value, bool):
        return {"type": "boolean", "v": value}
    if isinstance(value, str):
        return {"type": "string", "v": value}
    if isinstance(value, (int, float)):
        return {"type": "number", "v": value}
    if isinstance(value, datetime):
        return {"type": "datetime", "v": instant(value)}
    if isinstance(value, Mapping):
        return value
    raise TypeError(f"a value is text, a number, a boolean, None, a time or a mapping, not {type(value).__name__}")


def instant(value: datetime) -> str:
    """Returns a time as RFC 3339 in UTC, with milliseconds."""
    if value.tzinfo is None:
        raise ValueError("the time has no zone, such as datetime.now(timezone.utc) has")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_instant(text: str) -> datetime:
    """Returns a time of a reply. Python 3.10 reads neither ``Z`` nor nine digits, and no Python reads a leap second."""
    found = INSTANT.fullmatch(text.upper())
    if found is None:
        raise ValueError("the time is no RFC 3339 date-time")
    minute, second, fraction, zone = found.groups()
    whole = datetime.fromisoformat(f"{minute}{min(second, '59')}{'+00:00' if zone == 'Z' else zone}")
    return whole.replace(microsecond=int(f"{fraction or '':0<6}"[:6]))


def assertion_body(fact: Mapping[str, Any], source: str | None) -> dict[str, Any]:
    """Returns the body of an assertion, with the defaults of the protocol for clients."""
    given = {name: _spelled(value) for name, value in present(fact).items() if name != "value"}
    defaults = present({"source": source, "confidence": 1, "scope": WRITTEN_SCOPE})
    if "value" not in fact:
        raise ValueError("an assertion needs a value; None stands for null")
    return {**defaults, **given, "value": typed_value(fact["value"])}


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves out members without a value, so that they do not replace a default."""
    return {name: value for name, value in members.items() if value is not None}


def _spelled(value: Any) -> Any:
    return instant(value) if isinstance(value, datetime) else value
