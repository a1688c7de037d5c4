"""A LangGraph store on a node: ``builder.compile(store=LangGraphStore(client, source="agent:me"))``.

It needs the package ``langgraph``, which ``pip install 'fact-memory[langgraph]'`` brings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import anyio.to_thread
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from ._filters import fits, fits_path
from ._items import SCHEME, Contradiction, FactItem, address_of, entity_of, item_of, prefix_of, value_of
from ._json_text import canonical_json
from ._places import MAX_REPLACED, Place
from ._sync.client import FactClient
from .errors import ConflictError
from .types import Fact

__all__ = ["Contradiction", "FactItem", "LangGraphStore"]

RELATION = "langgraph:item"
# A recall with the highest limits of a node.
WHOLE_RECALL: Mapping[str, Any] = {
    "depth": 0,
    "lambda_mmr": 1,
    "min_confidence": 0,
    "limit": 500,
    "token_budget": 200_000,
}


class LangGraphStore(BaseStore):
    """Keeps each item as one fact. The key of the client chooses the tenant, and ``scope`` and ``garden`` the place.

    A ``put`` ends the older value, which stays in the history of the node. A key for which live facts differ has
    ``contradictions`` in its item. The asynchronous methods wait for the client in a thread.
    """

    __slots__ = ("_client", "_place")

    def __init__(
        self, client: FactClient, *, source: str, scope: str = "company", garden: str | None = None
    ) -> None:
        if not isinstance(client, FactClient):
            raise TypeError("the store needs a FactClient, for its asynchronous methods too")
        self._client = client
        self._place = Place(source, scope, garden)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see the state before the writes of the batch. Of several writes of a key the last one counts."""
        results: list[Result] = []
        writes: dict[str, str | None] = {}
        for op in ops:
            if isinstance(op, PutOp):
                writes[entity_of(op.namespace, op.key)] = None if op.value is None else canonical_json(dict(op.value))
            results.append(self._read(op))
        for entity, text in writes.items():
            self._write(entity, text)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Does the same as ``batch``."""
        return await anyio.to_thread.run_sync(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            live = self._live(entity_of(op.namespace, op.key))
            return item_of(live) if live else None
        if isinstance(op, SearchOp):
            return list(self._search(op))
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def _write(self, entity: str, text: str | None) -> None:
        """Stores a value in place of all live ones, or ends them. A key that has it alone, from this source, stays."""
        live = self._live(entity)
        if [(fact["source"], fact["value"]["v"]) for fact in live] == [(self._place.source, text)]:
            return
        if text is not None:
            self._replace(self._place.assertion(entity, RELATION, text), [fact["id"] for fact in live])
        elif live:
            retraction = self._place.retraction(live[:1])
            for at in range(0, len(live), MAX_REPLACED):
                self._replace(retraction, [fact["id"] for fact in live[at : at + MAX_REPLACED]])

    def _replace(self, fact: dict[str, Any], ended: list[str]) -> None:
        """Stores a fact that ends others. A value that somebody stored meanwhile stays, and contradicts this one."""
        try:
            self._client.call("POST /v1/facts", body={**fact, "replaces": ended[:MAX_REPLACED]})
        except ConflictError as error:
            live = (error.body or {}).get("live_fact_ids", ended)
            left = [id for id in ended if id in live]
            if left == ended:
                raise
            # A retraction without named facts would end all facts of the triple.
            if left or fact.get("confidence") != 0:
                self._replace(fact, left)

    def _live(self, entity: str) -> list[Fact]:
        """Returns the live facts of a key, the winner first."""
        query = self._place.query(entity=entity, relation=RELATION)
        found = [fact for fact in self._client.query(query) if self._place.holds(fact)]
        if not found or not found[0]["contradicted"]:
            return found
        rivals = self._client.query({**query, "include_contradicted": True})
        others = [fact for fact in rivals if self._place.holds(fact) and fact["contradicted"]]
        return [found[0], *(fact for fact in others if fact["id"] != found[0]["id"])]

    def _search(self, op: SearchOp) -> Iterator[SearchItem]:
        prefix = prefix_of(op.namespace_prefix)
        found = self._recalled(op.query, prefix) if op.query else self._listed(prefix)
        fitting = ((fact, score) for fact, score in found if _fits(fact, op.filter or {}))
        for fact, score in islice(fitting, op.offset, op.offset + op.limit):
            rivals = self._live(fact["entity"]) if fact["contradicted"] else []
            yield item_of(rivals or [fact], score)

    def _listed(self, prefix: str) -> Iterator[tuple[Fact, None]]:
        """Finds the winner of each key below a prefix, newest first."""
        seen = set()
        for fact in self._client.query(self._place.query(relation=RELATION)):
            entity = fact["entity"].lower()
            if entity.startswith(prefix) and entity not in seen and self._place.holds(fact):
                seen.add(entity)
                yield fact, None

    def _recalled(self, query: str, prefix: str) -> Iterator[tuple[Fact, float]]:
        """Finds the winner of each key that fits a question, best first."""
        seen = set()
        place: dict[str, Any] = {"scope": self._place.recall_scope, "relation": RELATION, "entities": [f"{prefix}*"]}
        reply = self._client.recall(query, **WHOLE_RECALL, **place, include_contradicted=True)
        for hit in reply["facts"]:
            # Equal values under several keys come as one fact that names the others.
            others = (self._client.fact(id) for id in hit.get("also_ids", ()))
            for fact in (hit["fact"], *others):
                entity = fact["entity"].lower()
                if entity in seen or not self._place.holds(fact):
                    continue
                seen.add(entity)
                live = self._live(entity) if fact["contradicted"] else [fact]
                yield from ((winner, hit["score"]) for winner in live[:1])

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        spaces = {address_of(fact["entity"])[0] for fact, _ in self._listed(SCHEME)}
        matching = {
            space[: op.max_depth]
            for space in spaces
            if all(fits_path(space, match.match_type, match.path) for match in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]


def _fits(fact: Fact, filter: Mapping[str, Any]) -> bool:
    value = value_of(fact)
    return all(fits(value.get(name), wanted) for name, wanted in filter.items())
