"""A session of the OpenAI Agents SDK on a node: ``Runner.run(agent, "Hello", session=FactSession("s1", client, ...))``.

It needs the package ``openai-agents``, which ``pip install 'fact-memory[openai-agents]'`` brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from ._async.client import AsyncFactClient
from ._json_text import canonical_json, read_object
from ._places import MAX_REPLACED, Place, encode_name
from ._replies import raise_refusal
from .errors import ConflictError
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
        """Returns the newest ``limit`` items, oldest first. Without a limit here and in the settings: all items.

        After a contested item comes a system message that names the disagreeing sources.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        facts = await self._facts()
        newest = facts if limit is None else facts[max(0, len(facts) - max(0, limit)) :]
        return [item for fact in newest for item in await self._items(fact)]

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

    async def _items(self, fact: Fact) -> list[TResponseInputItem]:
        """Returns an item, and a note behind it if live facts disagree about it."""
        live = await self._live(fact)
        return [_item(fact), _note(live)] if fact["contradicted"] else [_item(fact)]

    async def _live(self, winner: Fact) -> list[Fact]:
        """Returns the live facts of an item, the winner first."""
        if not winner["contradicted"]:
            return [winner]
        query = self._place.query(entity=self._entity, relation=winner["relation"])
        found = self._client.query({**query, "include_contradicted": True})
        rivals = [fact async for fact in found if self._place.holds(fact) and fact["contradicted"]]
        return [winner, *(fact for fact in rivals if fact["id"] != winner["id"])]

    async def _remove(self, facts: Sequence[Fact]) -> None:
        """Ends exactly the live facts of these items. A value that somebody stores meanwhile stays."""
        read = [await self._live(fact) for fact in facts]
        pieces = [live[at : at + MAX_REPLACED] for live in read for at in range(0, len(live), MAX_REPLACED)]
        for at in range(0, len(pieces), BATCH):
            some = pieces[at : at + BATCH]
            reply = await self._client.assert_facts([self._place.retraction(ended) for ended in some])
            for ended, result in zip(some, reply["results"], strict=True):
                if result["status"] >= 400:
                    # Some may have ended meanwhile. Retries with those that are live, and raises other refusals.
                    await self._retract(ended)

    async def _retract(self, ended: list[Fact]) -> None:
        try:
            await self._client.call("POST /v1/facts", body=self._place.retraction(ended))
        except ConflictError as error:
            live = (error.body or {}).get("live_fact_ids", [fact["id"] for fact in ended])
            left = [fact for fact in ended if fact["id"] in live]
            if len(left) == len(ended):
                raise
            # A retraction without named facts would end all facts of the triple.
            if left:
                await self._retract(left)

    async def _send(self, facts: Sequence[dict[str, Any]]) -> None:
        for at in range(0, len(facts), BATCH):
            raise_refusal(await self._client.assert_facts(facts[at : at + BATCH]))


def _item(fact: Fact) -> TResponseInputItem:
    return cast("TResponseInputItem", read_object(fact["value"]["v"]))


def _note(live: Sequence[Fact]) -> TResponseInputItem:
    winner, *rivals = [f"{fact['source']} (fact {fact['id']})" for fact in live]
    sources = f"It is by {winner}; others disagree: {', '.join(rivals)}."
    return {"role": "system", "content": f"The item before is contradicted. {sources}"}


def _stamp(fact: Fact) -> tuple[int, ...]:
    return tuple(map(int, fact["hlc"].split(".")))
