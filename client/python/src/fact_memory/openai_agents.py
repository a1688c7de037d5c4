"""A session of the OpenAI Agents SDK on a node: ``Runner.run(agent, "Hello", session=FactSession("s1", client, ...))``.

It needs the package ``openai-agents``, which ``pip install 'fact-memory[openai-agents]'`` brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from ._async.client import AsyncFactClient
from ._json_text import canonical_json, read_object
from ._places import Place, encode_name
from ._replies import raise_refusal
from .types import Fact

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

__all__ = ["FactSession"]

ITEM = "session:item-"
BATCH = 1000


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
        if not isinstance(client, AsyncFactClient):
            raise TypeError("the session needs an AsyncFactClient")
        self.session_id = session_id
        self.session_settings = session_settings
        self._client = client
        self._place = Place(source, scope, garden)
        self._entity = f"session:{encode_name(session_id)}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the newest ``limit`` items, oldest first. Without a limit here and in the settings: all items."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = list(map(_item, await self._facts()))
        return items if limit is None else items[max(0, len(items) - max(0, limit)) :]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items in their order, at most 1000 in one transaction."""
        texts = map(canonical_json, items)
        # A new relation for each item, because two writers at once add two items and no contradiction.
        await self._send([self._place.assertion(self._entity, f"{ITEM}{uuid4().hex}", text) for text in texts])

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes and returns the newest item."""
        newest = (await self._facts())[-1:]
        await self._remove(newest)
        return _item(newest[0]) if newest else None

    async def clear_session(self) -> None:
        """Removes all items."""
        await self._remove(await self._facts())

    async def _facts(self) -> list[Fact]:
        """Returns all items in the order of their stamps. The node lists facts by time of day, which may differ."""
        found: dict[str, Fact] = {}
        async for fact in self._client.query(self._place.query(entity=self._entity)):
            if fact["relation"].startswith(ITEM) and self._place.holds(fact):
                # The first fact of a contested item is its winner.
                found.setdefault(fact["relation"], fact)
        return sorted(found.values(), key=_stamp)

    async def _remove(self, facts: Sequence[Fact]) -> None:
        await self._send([self._place.retraction(self._entity, fact["relation"]) for fact in facts])

    async def _send(self, facts: Sequence[dict[str, Any]]) -> None:
        for at in range(0, len(facts), BATCH):
            raise_refusal(await self._client.assert_facts(facts[at : at + BATCH]))


def _item(fact: Fact) -> TResponseInputItem:
    return cast("TResponseInputItem", read_object(fact["value"]["v"]))


def _stamp(fact: Fact) -> tuple[int, ...]:
    return tuple(map(int, fact["hlc"].split(".")))
