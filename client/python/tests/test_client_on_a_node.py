"""The client against a node of this repository."""

from __future__ import annotations

from datetime import datetime, timezone

import anyio
import pytest

from conftest import ROOT, Node
from fact_memory import (
    AsyncFactClient,
    AuthenticationError,
    ConflictError,
    FactClient,
    FactMemoryError,
    NotFoundError,
)


def test_a_fact_is_asserted_read_and_retracted(client: FactClient) -> None:
    fact = client.assert_fact("user:ada", "memory:city", "Oslo")
    assert client.fact(fact["id"])["value"]["v"] == "Oslo"
    client.retract("user:ada", "memory:city")
    assert client.recall(entity="user:ada")["facts"] == []


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        ("text", "string", "text"),
        (2.5, "number", 2.5),
        (True, "boolean", True),
        (None, "null", None),
        (datetime(2026, 5, 3, 12, tzinfo=timezone.utc), "datetime", "2026-05-03T12:00:00.000Z"),
        ({"type": "ref", "v": "user:bo"}, "ref", "user:bo"),
    ],
)
def test_a_short_value_gets_its_type(client: FactClient, value: object, kind: str, stored: object) -> None:
    fact = client.assert_fact("list:types", f"memory:{kind}", value)  # type: ignore[arg-type]
    assert (fact["value"]["type"], fact["value"]["v"]) == (kind, stored)


def test_the_default_scopes_are_those_of_the_page(client: FactClient) -> None:
    page = (ROOT / "docs" / "concepts" / "scopes-and-rights.md").read_text(encoding="utf-8")
    assert "\n| Python client | `company` | all scopes of the key |\n" in page
    assert client.assert_fact("user:finn", "memory:city", "Bergen")["scope"] == "company"
    for scope in ("local", "team", "public"):
        client.assert_fact("user:finn", "memory:city", "Bergen", scope=scope)
    found = client.recall(entity="user:finn", relation="memory:city")["facts"]
    assert {each["fact"]["scope"] for each in found} == {"local", "team", "company", "public"}
    assert client.card("user:finn")["scope"] == "company"


def test_a_batch_gives_each_fact_its_own_result(client: FactClient) -> None:
    good = {"entity": "list:batch", "relation": "memory:a", "value": 1}
    reply = client.assert_facts([good, {**good, "relation": "with space"}])
    assert (reply["accepted"], reply["rejected"]) == (1, 1)


def test_a_list_is_read_page_by_page(client: FactClient) -> None:
    client.assert_facts({"entity": "list:pages", "relation": f"memory:n{n}", "value": n} for n in range(7))
    facts = client.query({"entity": "list:pages", "limit": 3})
    assert {fact["value"]["v"] for fact in facts} == set(range(7))
    assert [len(page["facts"]) for page in facts.pages()] == [3, 3, 1]
    assert len(facts.take(4)) == 4


def test_a_contradiction_is_listed_and_settled(client: FactClient) -> None:
    first = client.assert_fact("user:cleo", "memory:role", "CEO")
    second = client.assert_fact("user:cleo", "memory:role", "CTO", source="agent:other")
    assert second["contradicted"]
    conflict = next(each for each in client.conflicts() if each["fact_a"]["entity"] == "user:cleo")
    client.resolve(conflict["conflict_id"], {"winning_fact_id": first["id"]})
    with pytest.raises(ConflictError):
        client.resolve(conflict["conflict_id"], {"winning_fact_id": first["id"]})
    reply = client.recall("role of cleo")
    assert [each["fact"]["value"]["v"] for each in reply["facts"]] == ["CEO"]


def test_a_fact_replaces_another_one_that_is_still_live(client: FactClient) -> None:
    first = client.assert_fact("user:dora", "memory:role", "CEO")
    second = client.assert_fact("user:dora", "memory:role", "CTO", replaces=[first["id"]])
    assert not second["contradicted"]
    with pytest.raises(ConflictError) as late:
        client.assert_fact("user:dora", "memory:role", "CFO", replaces=[first["id"]])
    assert late.value.body is not None and late.value.body["live_fact_ids"] == [second["id"]]


def test_each_refusal_raises_the_error_of_its_status(client: FactClient, node: Node) -> None:
    with pytest.raises(NotFoundError) as missing:
        client.fact("unknown")
    assert (missing.value.status, missing.value.code) == (404, "lookup")
    with pytest.raises(FactMemoryError) as refused:
        client.assert_fact("user:ada", "memory:city", "Oslo", confidence=7)
    assert refused.value.status == 422
    assert [member["path"] for member in refused.value.errors] == ["body.confidence"]
    with FactClient(node.url, key="wrong") as stranger, pytest.raises(AuthenticationError) as unknown:
        stranger.me()
    assert "wrong" not in repr(unknown.value.__dict__)


def test_any_route_can_be_called_by_its_name(client: FactClient) -> None:
    assert client.call("GET /.well-known/svc")["version"]
    reply = client.send("GET /v1/facts", query={"limit": 1})
    assert reply.status == 200
    assert "x-total-count" in reply.headers
    with client.open("GET /v1/facts", query={"limit": 1}) as response:
        assert b"".join(response.iter_bytes()).startswith(b'{"facts"')


def test_gardens_are_made_listed_and_removed(client: FactClient) -> None:
    garden = client.gardens.create({"slug": "kitchen", "name": "Kitchen", "scope": "team"})
    client.gardens.add_member("kitchen", "user:ada")
    client.gardens.set_role("kitchen", "user:ada", "writer")
    roles = {member["entity_uri"]: member["role"] for member in client.gardens.members("kitchen")}
    assert roles["user:ada"] == "writer"
    client.gardens.remove_member("kitchen", "user:ada")
    assert garden["id"] in [each["id"] for each in client.gardens.list()]
    client.gardens.remove("kitchen")
    with pytest.raises(NotFoundError):
        client.gardens.get("kitchen")


def test_a_job_is_followed_to_its_end(client: FactClient) -> None:
    states: list[str] = []
    job = client.follow_job(client.call("POST /v1/backups"), lambda state: states.append(state["status"]))
    assert job["status"] == "done"
    assert states[-1] == "done"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_asynchronous_client_has_the_same_methods(node: Node, backend: str) -> None:
    async def run() -> None:
        async with AsyncFactClient(node.url, key=node.key, source=f"agent:{backend}") as client:
            fact = await client.assert_fact(f"user:{backend}", "memory:city", "Bergen")
            assert [each["id"] async for each in client.query({"entity": f"user:{backend}"})] == [fact["id"]]
            assert (await client.recall(entity=f"user:{backend}"))["facts"]
            with pytest.raises(NotFoundError):
                await client.gardens.get("unknown")

    anyio.run(run, backend=backend)
