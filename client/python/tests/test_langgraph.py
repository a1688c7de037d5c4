"""The LangGraph store on a node, compared with the store of LangGraph that keeps its items in memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, TypedDict
from uuid import uuid4

import anyio
import httpx
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchOp
from langgraph.store.memory import InMemoryStore

from conftest import Node
from fact_memory import AsyncFactClient, FactClient, FactMemoryError
from fact_memory.langgraph import FactItem, LangGraphStore

LABELS = ("users", "Users", "docs", "ø b", "x/y", "a:b", "%2e", "*x")
KEYS = ("k", "K", "key 2", "ключ", "a/b.c", "")
VALUES = (0, 1, 2.5, -3, True, None, "tea", "Tea", ["tea", 2], {"deep": {"er": 1}}, 1e-7, 2**60, "\ud800\x00")
BATCHES = 40
ROLE = {"type": "text", "v": '{"role":"CTO"}'}


@pytest.fixture
def garden(client: FactClient) -> str:
    """A garden of the test alone, so that it finds only its own items."""
    slug = f"test-{uuid4()}"
    client.gardens.create({"slug": slug, "name": "Test", "scope": "company"})
    return slug


@pytest.fixture
def store(client: FactClient, garden: str) -> LangGraphStore:
    return LangGraphStore(client, source="agent:tests", garden=garden)


class History:
    """Chooses operations by a seed."""

    def __init__(self, seed: int) -> None:
        self._choose = random.Random(seed)

    def batch(self) -> list[Op]:
        """Returns operations, listings first, because in the reference another read makes a namespace."""
        ops = [self._operation() for _ in range(self._choose.randint(1, 4))]
        return sorted(ops, key=lambda op: not isinstance(op, ListNamespacesOp))

    def _operation(self) -> Op:
        kind = self._choose.choice([self._put, self._put, self._put, self._delete, self._get, self._search, self._list])
        return kind()

    def _namespace(self, fewest: int = 1) -> tuple[str, ...]:
        return tuple(self._choose.choices(LABELS, k=self._choose.randint(fewest, 3)))

    def _key(self) -> str:
        return self._choose.choice(KEYS)

    def _value(self) -> dict[str, Any]:
        return {name: self._choose.choice(VALUES) for name in self._choose.sample(["a", "b", "ü", "$x"], k=2)}

    def _put(self) -> Op:
        return PutOp(self._namespace(), self._key(), self._value())

    def _delete(self) -> Op:
        return PutOp(self._namespace(), self._key(), None)

    def _get(self) -> Op:
        return GetOp(self._namespace(), self._key())

    def _search(self) -> Op:
        filters = [
            None,
            {"a": self._choose.choice(VALUES)},
            {"a": {"$ne": "tea"}, "b": {"$eq": self._choose.choice(VALUES)}},
            {"b": {"deep": {"er": {"$eq": 1}}}},
            {"a": ["tea", {"$ne": 1}]},
        ]
        return SearchOp(self._namespace(0)[:2], self._choose.choice(filters), limit=1000)

    def _list(self) -> Op:
        matches = [
            MatchCondition("prefix", ("*", "docs")),
            MatchCondition("suffix", ("users", "*")),
            MatchCondition("prefix", self._namespace()[:1]),
        ]
        wanted = tuple(self._choose.sample(matches, k=self._choose.randint(0, 2)))
        return ListNamespacesOp(wanted, self._choose.choice([None, 1, 2]), limit=1000)


def plain(result: Result) -> object:
    """Returns a result without times, in an order that both stores share."""
    if isinstance(result, Item):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted((plain(item) for item in result), key=repr)
    return result


@pytest.mark.parametrize("seed", range(3))
def test_histories_give_the_results_of_the_store_in_memory(seed: int, store: LangGraphStore) -> None:
    history, reference = History(seed), InMemoryStore()
    for _ in range(BATCHES):
        ops = history.batch()
        # The reference keeps the name of a namespace after its last item.
        for namespace in [name for name, items in reference._data.items() if not items]:
            del reference._data[namespace]
        expected = [plain(result) for result in reference.batch(ops)]
        found = store.batch(ops) if seed % 2 else anyio.run(store.abatch, ops)
        assert [plain(result) for result in found] == expected, ops


def test_a_search_gives_pages_newest_first(store: LangGraphStore) -> None:
    for number in range(5):
        store.put(("docs", str(number % 2)), str(number), {"number": number})
    pages = [store.search(("docs",), limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [item.value["number"] for page in pages for item in page] == [4, 3, 2, 1, 0]


def test_a_search_by_meaning_gives_the_best_items_first(store: LangGraphStore) -> None:
    store.put(("drinks", "ada"), "hot", {"text": "Ada drinks green tea in the morning", "hot": True})
    store.put(("drinks", "bo"), "cold", {"text": "Bo likes cold apple juice", "hot": False})
    store.put(("other",), "hot", {"text": "green tea"})
    found = store.search(("drinks",), query="Who drinks green tea?")
    assert [(item.namespace, item.key) for item in found][:1] == [(("drinks", "ada"), "hot")]
    assert {item.namespace[0] for item in found} == {"drinks"}
    assert found[0].score is not None and found[0].score > 0
    assert [item.key for item in store.search(("drinks",), query="tea or juice", filter={"hot": False})] == ["cold"]


def test_equal_values_of_several_keys_are_all_found(store: LangGraphStore) -> None:
    for key in "abc":
        store.put(("copies",), key, {"text": "the same words in each of these items"})
    found = store.search(("copies",), query="same words")
    assert sorted(item.key for item in found) == ["a", "b", "c"]


def test_a_contested_key_says_so_in_its_item(store: LangGraphStore, client: FactClient, garden: str) -> None:
    store.put(("users",), "ada", {"role": "CEO"})
    rival = LangGraphStore(client, source="agent:rival", garden=garden)
    client.assert_fact("langgraph:users/ada", "langgraph:item", ROLE, source="agent:rival", garden_id=garden)
    found: list[Item | None] = [
        store.get(("users",), "ada"),
        *store.search(("users",)),
        *store.search(("users",), query="role"),
    ]
    assert len(found) == 3
    for item in found:
        assert isinstance(item, FactItem)
        assert [(each["source"], each["value"]) for each in item.contradictions] == [
            ("agent:rival", {"role": "CTO"}),
            ("agent:tests", {"role": "CEO"}),
        ]
        assert item.value == {"role": "CTO"}
        assert item.dict()["contradictions"] == item.contradictions
    rival.put(("users",), "ada", {"role": "CFO"})
    settled = store.get(("users",), "ada")
    assert isinstance(settled, FactItem) and settled.contradictions == []
    assert "contradictions" not in settled.dict()


@pytest.mark.parametrize("meanwhile", ["asserted", "put"])
def test_a_value_that_somebody_stores_meanwhile_stays_and_contradicts(
    meanwhile: str, store: LangGraphStore, client: FactClient, node: Node, garden: str
) -> None:
    store.put(("users",), "ada", {"role": "CEO"})
    interruptions: list[Callable[[], object]] = [
        lambda: store.put(("users",), "ada", {"role": "CTO"})
        if meanwhile == "put"
        else client.assert_fact("langgraph:users/ada", "langgraph:item", ROLE, source="agent:rival", garden_id=garden)
    ]

    def interrupt(request: httpx.Request) -> None:
        if request.method == "POST" and interruptions:
            interruptions.pop()()

    with httpx.Client(event_hooks={"request": [interrupt]}) as http, FactClient(node.url, key=node.key, http=http) as slow:
        LangGraphStore(slow, source="agent:slow", garden=garden).put(("users",), "ada", {"role": "CFO"})
    item = store.get(("users",), "ada")
    assert isinstance(item, FactItem)
    assert sorted(each["value"]["role"] for each in item.contradictions) == ["CFO", "CTO"]


def test_a_delete_ends_the_values_that_it_has_read(
    store: LangGraphStore, client: FactClient, node: Node, garden: str
) -> None:
    entity = "langgraph:users/ada"
    store.put(("users",), "ada", {"role": "CEO"})
    rivals: list[Callable[[], object]] = [
        lambda: client.assert_fact(entity, "langgraph:item", ROLE, source="agent:rival", garden_id=garden)
    ]

    def interrupt(request: httpx.Request) -> None:
        if request.method == "POST" and rivals:
            rivals.pop()()

    with httpx.Client(event_hooks={"request": [interrupt]}) as http, FactClient(node.url, key=node.key, http=http) as slow:
        LangGraphStore(slow, source="agent:slow", garden=garden).delete(("users",), "ada")
    item = store.get(("users",), "ada")
    assert item is not None and item.value == {"role": "CTO"}


def test_an_item_survives_the_serializer_of_checkpoints(store: LangGraphStore, client: FactClient, garden: str) -> None:
    store.put(("users",), "ada", {"role": "CEO"})
    client.assert_fact("langgraph:users/ada", "langgraph:item", "CTO", garden_id=garden)
    item = store.get(("users",), "ada")
    assert isinstance(item, FactItem) and item.contradictions
    serializer = JsonPlusSerializer(allowed_msgpack_modules=[("fact_memory._items", "FactItem")])
    again = serializer.loads_typed(serializer.dumps_typed(item))
    assert again == item and again.contradictions == item.contradictions


def test_facts_of_the_documented_form_are_read_and_written(
    client: FactClient, store: LangGraphStore, garden: str
) -> None:
    form = {"relation": "langgraph:item", "source": "agent:typescript", "scope": "company", "garden_id": garden}
    entity = "langgraph:users/%41da/%c3%bc%201"
    value = {"type": "text", "v": '{"dark":true,"size":1}'}
    typed = {"type": "string", "v": "typed by a person"}
    other = {**form, "entity": "langgraph:Users/", "value": typed}
    client.assert_facts([{**form, "entity": entity, "value": value}, other])
    item = store.get(("users", "Ada"), "ü 1")
    assert item is not None and item.value == {"dark": True, "size": 1}
    found = {(each.namespace, each.key): each.value for each in store.search(())}
    assert found[("users",), ""] == {"value": "typed by a person"}
    store.put(("users", "Ada"), "ü 1", {"size": 1.0, "dark": True, "Ä": [1e21, 1e-6, None]})
    fact = client.query({"entity": entity, "garden_id": garden}).take(1)[0]
    assert (fact["relation"], fact["scope"], fact["source"]) == ("langgraph:item", "company", "agent:tests")
    assert (fact["value"]["type"], fact["value"]["v"]) == ("text", '{"dark":true,"size":1,"Ä":[1e+21,0.000001,null]}')


def test_a_repeated_put_stores_no_fact_and_a_delete_ends_the_key(
    store: LangGraphStore, client: FactClient, garden: str
) -> None:
    for _ in range(2):
        store.put(("users",), "ada", {"role": "CEO"})
        store.delete(("users",), "bo")
    assert client.call("GET /v1/facts", query={"garden_id": garden})["total"] == 1
    store.delete(("users",), "ada")
    assert store.get(("users",), "ada") is None
    assert store.search(()) == [] and store.list_namespaces() == []


def test_places_and_tenants_are_apart(client: FactClient, node: Node, tenant_key: str, store: LangGraphStore) -> None:
    with FactClient(node.url, key=tenant_key) as other:
        places = {
            "garden": store,
            "company": LangGraphStore(client, source="agent:tests"),
            "team": LangGraphStore(client, source="agent:tests", scope="team"),
            "tenant": LangGraphStore(other, source="agent:tests"),
        }
        for name, place in places.items():
            place.put(("places",), "k", {"in": name})
        for name, place in places.items():
            assert [item.value for item in place.search(("places",))] == [{"in": name}]
            assert [item.value for item in place.search(("places",), query=" ".join(places))] == [{"in": name}]


def test_a_refused_value_leaves_the_older_one(store: LangGraphStore) -> None:
    store.put(("users",), "ada", {"role": "CEO"})
    with pytest.raises(TypeError):
        store.batch([PutOp(("users",), "bo", {"role": "CTO"}), PutOp(("users",), "ada", {"role": object()})])
    with pytest.raises(ValueError):
        store.put(("users",), "ada", "CTO")  # type: ignore[arg-type]
    with pytest.raises(FactMemoryError) as refused:
        store.put(("users",), "ada", {"role": "x" * 2**20})
    assert refused.value.status == 413
    item = store.get(("users",), "ada")
    assert item is not None and item.value == {"role": "CEO"}
    with pytest.raises(NotImplementedError):
        store.put(("users",), "ada", {}, ttl=1)
    with pytest.raises(ValueError, match="comparison"):
        store.search(("users",), filter={"role": {"$like": "C"}})


def test_a_client_of_the_other_kind_is_refused(node: Node) -> None:
    with pytest.raises(TypeError, match="FactClient"):
        LangGraphStore(AsyncFactClient(node.url), source="agent:tests")  # type: ignore[arg-type]


class State(TypedDict):
    """The state of the graph."""

    said: str
    known: list[str]


def test_a_graph_remembers_across_threads(store: LangGraphStore) -> None:
    async def remember(state: State, runtime: Runtime[None]) -> Mapping[str, Any]:
        assert runtime.store is not None
        await runtime.store.aput(("memories", "ada"), str(uuid4()), {"text": state["said"]})
        found = await runtime.store.asearch(("memories", "ada"), query=state["said"])
        return {"known": [item.value["text"] for item in found]}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    compiled = graph.compile(store=store)

    async def run() -> list[str]:
        await compiled.ainvoke({"said": "I like green tea", "known": []})
        return list((await compiled.ainvoke({"said": "Which tea do I like?", "known": []}))["known"])

    assert "I like green tea" in anyio.run(run)
