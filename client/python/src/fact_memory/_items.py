"""How facts become items of a LangGraph store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from langgraph.store.base import SearchItem

from ._json_text import read_object
from ._places import decode_name, encode_name
from ._values import read_instant
from .types import Fact

SCHEME = "langgraph:"


class Contradiction(TypedDict):
    """One of several live values of a key, and who says so."""

    value: dict[str, Any]
    source: str
    confidence: float
    at: str
    fact_id: str


class FactItem(SearchItem):
    """An item of the store.

    ``contradictions`` lists all live values of a contested key, its own first. It is empty for any other key.
    """

    __slots__ = ("contradictions",)

    def __init__(self, *, contradictions: Sequence[Contradiction] = (), **members: Any) -> None:
        super().__init__(**members)
        self.contradictions = list(contradictions)

    def dict(self) -> dict[str, Any]:
        """Returns the item as JSON. ``contradictions`` is absent where there are none."""
        members: dict[str, Any] = super().dict()
        return {**members, "contradictions": self.contradictions} if self.contradictions else members


def item_of(live: Sequence[Fact], score: float | None = None) -> FactItem:
    """Returns the item of a key from its live facts, the winner first."""
    winner = live[0]
    namespace, key = address_of(winner["entity"])
    at = read_instant(winner["timestamp"])
    return FactItem(
        namespace=namespace,
        key=key,
        value=value_of(winner),
        created_at=at,
        updated_at=at,
        score=score,
        contradictions=[contradiction_of(fact) for fact in live] if winner["contradicted"] else (),
    )


def contradiction_of(fact: Fact) -> Contradiction:
    return {
        "value": value_of(fact),
        "source": fact["source"],
        "confidence": fact["confidence"],
        "at": fact["timestamp"],
        "fact_id": fact["id"],
    }


def value_of(fact: Fact) -> dict[str, Any]:
    return read_object(fact["value"]["v"])


def prefix_of(namespace: Sequence[str]) -> str:
    return SCHEME + "".join(f"{encode_name(label)}/" for label in namespace)


def entity_of(namespace: Sequence[str], key: str) -> str:
    return prefix_of(namespace) + encode_name(key)


def address_of(entity: str) -> tuple[tuple[str, ...], str]:
    """Returns namespace and key. The node compares entities without case, so people may have typed capitals."""
    *namespace, key = entity.lower().removeprefix(SCHEME).split("/")
    return tuple(map(decode_name, namespace)), decode_name(key)
