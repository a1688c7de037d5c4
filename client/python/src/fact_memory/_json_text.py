"""JSON as the text of a fact. Equal values have equal texts, in Python and in TypeScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")
# Python pads the exponent, and uses one for more numbers than RFC 8785 does.
SMALL_EXPONENT = re.compile(r"e-0(\d)$")
MIN_DECIMAL = 1e-6
MAX_DECIMAL = 1e21


def canonical_json(value: Any) -> str:
    """Returns the canonical form of RFC 8785. Integers of any size keep their digits.

    Raises TypeError for a value that JSON does not have, and ValueError for a number that is not finite.
    """
    if isinstance(value, Mapping):
        names = sorted(value, key=_utf16)
        return "{" + ",".join(f"{_text(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return _text(value)


def read_object(text: Any) -> dict[str, Any]:
    """Returns the object that a text holds. Wraps another value, which no adapter wrote, so that it stays visible."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"value": text}


def _utf16(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"the name of a member is text, not {type(name).__name__}")
    return name.encode("utf-16-be", "surrogatepass")


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if MIN_DECIMAL <= abs(value) < MAX_DECIMAL:
        return format(Decimal(repr(value)).normalize(), "f")
    return SMALL_EXPONENT.sub(r"e-\1", json.dumps(value, allow_nan=False))
