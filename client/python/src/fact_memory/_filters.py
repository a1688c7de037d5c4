"""How a LangGraph search filters items, and how a listing selects namespaces."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda value, bound: float(value) > float(bound),
    "$gte": lambda value, bound: float(value) >= float(bound),
    "$lt": lambda value, bound: float(value) < float(bound),
    "$lte": lambda value, bound: float(value) <= float(bound),
}


def fits(value: Any, wanted: Any) -> bool:
    """Returns whether a value fits a filter: an equal value, a part of an object, or comparisons.

    Raises ValueError for an unknown comparison.
    """
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, name, bound) for name, bound in wanted.items())
        return isinstance(value, Mapping) and all(fits(value.get(name), part) for name, part in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(fits, value, wanted))
    return bool(value == wanted)


def fits_path(namespace: Sequence[str], match: Literal["prefix", "suffix"], path: Sequence[str]) -> bool:
    """Returns whether a namespace begins or ends with a path, in which ``*`` stands for any label."""
    if len(path) > len(namespace):
        return False
    start = 0 if match == "prefix" else len(namespace) - len(path)
    return all(label in ("*", namespace[start + at]) for at, label in enumerate(path))


def _compares(value: Any, name: str, bound: Any) -> bool:
    if name not in COMPARISONS:
        raise ValueError(f"the filter has an unknown comparison: {name}")
    try:
        return bool(COMPARISONS[name](value, bound))
    except (TypeError, ValueError):
        # A value that is no number is neither more nor less than one.
        return False
