"""A session of the OpenAI Agents SDK on a node: ``Runner.run(agent, "Hello", session=FactSession("s1", client, ...))``.

It needs the package ``openai-agents``, which ``pip install 'fact-memory[openai-agents]'`` brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from ._async.client import AsyncFactClient
from ._json_text import canonical_json, read_object
from ._places import Place, encode_name
from ._replies import raise_refusal
from ._values import read_instant
from .types import Fact

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

__all__ = ["FactSession"]

ITEM = "session:item-"
BATCH = 1000
# Clocks of processes that write one session may differ by so much.
CLOCK_SKEW = timedelta(minutes=1)


class FactSession:
    """Keeps each item of a conversation as one fact about the session.

    The key of the client chooses the tenant, and ``scope`` and ``garden`` the place. Items that are removed stay in the
    history of the node.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        client: AsyncFactClient,
        *,
        source: str,
        scope: str = "company",
        garden: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._client = client
        self._place = Place(source, scope, garden)
        self._entity = f"session:{encode_name(session_id)}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the newest ``limit`` items, oldest first. Without a limit here and in the settings: all items."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return list(map(_item, await self._newest(limit)))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items in their order, at most 1000 in one transaction."""
        texts = map(canonical_json, items)
        await self._send([self._place.assertion(self._entity, f"{ITEM}{uuid4()}", text) for text in texts])

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes and returns the newest item."""
        facts = await self._newest(1)
        await self._remove(facts)
        return _item(facts[0]) if facts else None

    async def clear_session(self) -> None:
        """Removes all items."""
        await self._remove(await self._newest(None))

    async def _newest(self, limit: int | None) -> list[Fact]:
        """Returns facts in the order of their stamps. The node lists them by time of day, which nearly agrees."""
        if limit is not None and limit <= 0:
            return []
        found: list[Fact] = []
        seen: set[str] = set()
        async for fact in self._client.query(self._place.query(entity=self._entity)):
            relation = fact["relation"]
            if limit is not None and len(found) >= limit and _at(found[limit - 1]) - _at(fact) > CLOCK_SKEW:
                break
            # The first fact of a contested item is its winner.
            if relation.startswith(ITEM) and relation not in seen and self._place.holds(fact):
                seen.add(relation)
                found.append(fact)
        return sorted(found, key=_stamp)[-(limit or 0) :]

    async def _remove(self, facts: Sequence[Fact]) -> None:
        await self._send([self._place.retraction(self._entity, fact["relation"]) for fact in facts])

    async def _send(self, facts: Sequence[dict[str, Any]]) -> None:
        for at in range(0, len(facts), BATCH):
            raise_refusal(await self._client.assert_facts(facts[at : at + BATCH]))


def _item(fact: Fact) -> TResponseInputItem:
    return cast("TResponseInputItem", read_object(fact["value"]["v"]))


def _at(fact: Fact) -> datetime:
    return read_instant(fact["timestamp"])


def _stamp(fact: Fact) -> tuple[int, ...]:
    return tuple(map(int, fact["hlc"].split(".")))
