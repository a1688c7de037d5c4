"""The client of one node."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import anyio
import httpx
from typing_extensions import Self, Unpack

from .._replies import Reply
from .._requests import CallOptions, Outgoing
from .._settings import read_settings
from .._values import RETRACTED, WRITTEN_SCOPE, ValueInput, assertion_body, present, typed_value
from ..errors import JobFailedError
from ..types import (
    BatchReply,
    Card,
    Conflict,
    Fact,
    HistoryEvents,
    Identity,
    Job,
    NeighborPageNeighbors,
    Provenance,
    RecallReply,
    Resolution,
)
from .connection import AsyncConnection
from .gardens import AsyncGardens
from .pages import AsyncPages
from .subscriptions import AsyncSubscriptions

# The default parameters that the protocol recommends for a recall, but in all scopes.
RECALL_DEFAULTS = {
    "scope": "global",
    "token_budget": 4000,
    "depth": 2,
    "min_confidence": 0.1,
    "include_neighbors": True,
    "limit": 100,
}
FIRST_LOOK_S = 0.2
MAX_LOOK_S = 5.0


class AsyncFactClient:
    """A client of one node. Use it as a context manager, or call ``close()``.

    Every method raises FactMemoryError for a refusal. It repeats a failed request if that is safe and can help.
    Without arguments the client takes address and key from ``SVC_URL`` and ``SVC_API_KEY``. The key of the environment
    is never sent to an address that a program gives. ``timeout`` limits each try, in seconds.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        source: str | None = None,
        session: str | None = None,
        timeout: float | None = 30.0,
        retries: int = 2,
        service_name: str = "svc",
        http: httpx.AsyncClient | None = None,
    ) -> None:
        settings = read_settings(url, key, session, service_name, timeout, retries)
        self._connection = AsyncConnection(settings, http)
        self._source = source
        self.gardens = AsyncGardens(self._connection)
        self.subscriptions = AsyncSubscriptions(self._connection)

    async def close(self) -> None:
        """Closes the connections to the node."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def call(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Calls a route by its name and returns its body: ``call("GET /v1/facts/{id}", params={"id": id})``.

        JSON becomes a value, other text stays text, an empty body is None. A body that is text is sent as lines of JSON.
        """
        return await self._connection.call(route, params=params, query=query, body=body, **options)

    async def send(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[CallOptions],
    ) -> Reply:
        """Calls a route as ``call`` does, and returns status and headers too."""
        return await self._connection.send(Outgoing(route, params, query, body, options))

    @asynccontextmanager
    async def open(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[CallOptions],
    ) -> AsyncIterator[httpx.Response]:
        """Opens a reply with its body unread, for streams and long exports. Raises for any status but 2xx."""
        async with self._connection.open(Outgoing(route, params, query, body, options)) as response:
            yield response

    async def assert_fact(
        self,
        entity: str,
        relation: str,
        value: ValueInput,
        *,
        source: str | None = None,
        confidence: float | None = None,
        scope: str | None = None,
        valid_until: datetime | str | None = None,
        timestamp: datetime | str | None = None,
        garden_id: str | None = None,
        derived_from: Iterable[str] | None = None,
        replaces: Iterable[str] | None = None,
        reason: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Fact:
        """Stores a fact, with scope ``company`` and confidence 1 by default.

        Repeating a fact that still holds returns the existing one. ``replaces`` names facts of the same entity and
        relation that this one ends. Raises ConflictError with ``live_fact_ids`` in its body if one of them is over.
        ``reason`` says why, and is kept beside the fact.
        """
        members = {
            "entity": entity,
            "relation": relation,
            "source": source,
            "confidence": confidence,
            "scope": scope,
            "valid_until": valid_until,
            "timestamp": timestamp,
            "garden_id": garden_id,
            "derived_from": None if derived_from is None else list(derived_from),
            "replaces": None if replaces is None else list(replaces),
            "reason": reason,
        }
        body = assertion_body({**members, "value": value}, self._source)
        return cast("Fact", await self.call("POST /v1/facts", body=body, **options))

    async def assert_facts(
        self, facts: Iterable[Mapping[str, Any]], **options: Unpack[CallOptions]
    ) -> BatchReply:
        """Stores at most 1000 facts at once; each has its own result in ``results``."""
        body = [assertion_body(fact, self._source) for fact in facts]
        return cast("BatchReply", await self.call("POST /v1/facts/batch", body=body, **options))

    async def retract(
        self,
        entity: str,
        relation: str,
        *,
        source: str | None = None,
        scope: str | None = None,
        garden_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Fact:
        """Ends all facts of an entity and relation in one scope and garden, whatever their values."""
        members = {"entity": entity, "relation": relation, "source": source, "scope": scope, "garden_id": garden_id}
        body = assertion_body({**members, "confidence": 0, "value": RETRACTED}, self._source)
        return cast("Fact", await self.call("POST /v1/facts", body=body, **options))

    def query(
        self, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> AsyncPages[Fact]:
        """Iterates over facts, newest first: ``client.query({"entity": "user:alice"})``."""
        return self._list("GET /v1/facts", "facts", query, options)

    async def fact(self, id: str, *, fields: str | None = None, **options: Unpack[CallOptions]) -> Fact:
        """Returns one fact, by its id or content id; with ``fields``, those members of it."""
        query = present({"fields": fields})
        return cast("Fact", await self.call("GET /v1/facts/{id}", params={"id": id}, query=query, **options))

    async def provenance(
        self, id: str, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> Provenance:
        """Returns the facts from which a fact was derived."""
        route = "GET /v1/facts/{id}/provenance"
        return cast("Provenance", await self.call(route, params={"id": id}, query=query, **options))

    def history(
        self, entity_uri: str, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> AsyncPages[HistoryEvents]:
        """Iterates over the facts about an entity in the order in which they were recorded."""
        params = {"entity_uri": entity_uri}
        return self._list("GET /v1/history/{entity_uri}", "events", query, options, params=params)

    async def recall(
        self, query: str | None = None, *, options: CallOptions | None = None, **members: Any
    ) -> RecallReply:
        """Recalls the facts that matter to a question, within a budget of tokens.

        The members are those of the body, such as ``entity``, ``scope``, ``token_budget`` or ``fields``. A recall needs
        ``query`` or ``entity``. By default it looks in all scopes of the key.
        """
        body = {**RECALL_DEFAULTS, **present({"query": query, **members})}
        return cast("RecallReply", await self.call("POST /v1/recall", body=body, **(options or {})))

    async def card(
        self, entity_uri: str, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> Card:
        """Returns a summary of the facts about an entity in one scope: ``company`` by default."""
        params = {"entity_uri": entity_uri}
        in_scope = {"scope": WRITTEN_SCOPE, **(query or {})}
        reply = await self.call("GET /v1/cards/{entity_uri}", params=params, query=in_scope, **options)
        return cast("Card", reply)

    def neighbors(
        self, query: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> AsyncPages[NeighborPageNeighbors]:
        """Iterates over the neighbours of one or several entities, nearest first."""
        return self._list("GET /v1/graph/neighbors", "neighbors", query, options, cursor="next_cursor")

    def conflicts(
        self, query: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> AsyncPages[Conflict]:
        """Iterates over contradictions that the caller can see, newest first; the open ones by default."""
        return self._list("GET /v1/conflicts", "conflicts", query, options)

    async def resolve(
        self, conflict_id: str, resolution: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> Resolution:
        """Resolves a contradiction by ``winning_fact_id`` or ``new_value``.

        Raises ConflictError for a resolved one.
        """
        body = dict(resolution)
        if "new_value" in body:
            body["new_value"] = typed_value(body["new_value"])
        reply = await self.call("POST /v1/conflicts/{id}/resolve", params={"id": conflict_id}, body=body, **options)
        return cast("Resolution", reply)

    async def me(self, **options: Unpack[CallOptions]) -> Identity:
        """Returns the owner of the key and its rights."""
        return cast("Identity", await self.call("GET /v1/me", **options))

    async def health(self, **options: Unpack[CallOptions]) -> dict[str, Any]:
        """Returns the health of the node. Raises FactMemoryError if the node cannot serve. Needs no key."""
        return cast("dict[str, Any]", await self.call("GET /healthz", **options))

    async def follow_job(
        self, job: str | Mapping[str, Any], on_progress: Callable[[Job], None] | None = None
    ) -> Job:
        """Waits until a job is done, and returns it with its result. Raises JobFailedError when it has failed.

        Takes the id of a job or a reply that names one. ``on_progress`` is called with each state of the job.
        """
        job_id = job if isinstance(job, str) else str(job["job_id"])
        look = FIRST_LOOK_S
        while True:
            state = cast("Job", await self.call("GET /v1/jobs/{id}", params={"id": job_id}))
            if on_progress is not None:
                on_progress(state)
            if state["status"] == "done":
                return state
            if state["status"] == "failed":
                reason = state.get("error") or "the node gives no reason"
                detail = f"the job has failed: {reason}"
                raise JobFailedError(status=200, code="job_failed", detail=detail, body=state)
            await anyio.sleep(look)
            look = min(look * 1.5, MAX_LOOK_S)

    def _list(
        self,
        route: str,
        items: str,
        query: Mapping[str, Any] | None,
        options: CallOptions,
        *,
        params: Mapping[str, str] | None = None,
        cursor: str = "cursor",
    ) -> AsyncPages[Any]:
        async def get(position: str | None) -> Any:
            page = present({**(query or {}), "cursor": position}) if position else query
            return await self.call(route, params=params, query=page, **options)

        return AsyncPages(get, items, cursor)
