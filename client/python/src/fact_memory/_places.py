"""Where adapters of frameworks keep their facts, and how they spell names in entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ._values import RETRACTED, present
from .types import Fact

# A fact of confidence 0 is a retraction.
ABOVE_RETRACTIONS = 1e-9
PAGE = 500
# The number of facts that one fact may end by name.
MAX_REPLACED = 100
ESCAPED = re.compile(rb"[^a-z0-9._~-]")


@dataclass(frozen=True)
class Place:
    """Where an adapter keeps its facts: in a garden, or outside all gardens, of one scope."""

    source: str
    scope: str
    garden: str | None

    def query(self, **members: Any) -> dict[str, Any]:
        """Returns the query for live facts of this place."""
        place = {"scope": self.scope, "garden_id": self.garden, "min_confidence": ABOVE_RETRACTIONS, "limit": PAGE}
        return present({**members, **place})

    def assertion(self, entity: str, relation: str, text: str) -> dict[str, Any]:
        """Returns an assertion in this place whose value is a text of any length."""
        value = {"type": "text", "v": text}
        members = {"entity": entity, "relation": relation, "value": value, "source": self.source}
        return present({**members, "scope": self.scope, "garden_id": self.garden})

    def retraction(self, ended: Sequence[Fact]) -> dict[str, Any]:
        """Returns a retraction of exactly these facts of one triple, at most ``MAX_REPLACED``."""
        fact = self.assertion(ended[0]["entity"], ended[0]["relation"], "")
        return {**fact, "value": RETRACTED, "confidence": 0, "replaces": [one["id"] for one in ended]}

    def holds(self, fact: Fact) -> bool:
        """Returns whether a fact lies in this place. A query without a garden also finds facts in gardens."""
        return fact["scope"] == self.scope and (self.garden is not None or fact["garden_id"] is None)

    @property
    def recall_scope(self) -> str:
        """The place as a recall names it: an id or slug of a garden needs a prefix there."""
        if self.garden is None or ":" in self.garden:
            return self.garden or self.scope
        return f"garden:{self.garden}"


def encode_name(name: str) -> str:
    """Spells a name as part of an entity.

    The node compares entities without case, so capitals are escaped too, with digits in lower case.
    """
    return ESCAPED.sub(lambda byte: b"%%%02x" % ord(byte[0]), name.encode()).decode("ascii")


def decode_name(name: str) -> str:
    """Returns the name that ``encode_name`` has spelled."""
    return unquote(name)
