"""The session of the OpenAI Agents SDK on a node, compared with the one of the SDK that keeps its items in SQLite."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import anyio
import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from agents.items import TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from conftest import Node
from fact_memory import AsyncFactClient, FactClient, FactMemoryError
from fact_memory.openai_agents import FactSession

UNTRACED = RunConfig(tracing_disabled=True)


class ScriptedModel(Model):
    """Replies by a script, and keeps what it was asked."""

    def __init__(self, *script: TResponseOutputItem) -> None:
        self._script = list(script)
        self.inputs: list[list[Any]] = []

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.inputs.append(list(input))
        return ModelResponse(output=[self._script.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


def message(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


def connected(node: Node, work: Callable[[AsyncFactClient], Awaitable[None]]) -> None:
    async def run() -> None:
        async with AsyncFactClient(node.url, key=node.key) as client:
            await work(client)

    anyio.run(run)


def texts(items: list[Any]) -> list[str]:
    return [item["content"] if isinstance(item["content"], str) else item["content"][0]["text"] for item in items]


@pytest.mark.parametrize("seed", range(3))
def test_histories_give_the_results_of_the_session_in_sqlite(seed: int, node: Node) -> None:
    choose = random.Random(seed)

    async def work(client: AsyncFactClient) -> None:
        session = FactSession(f"Session {uuid4()}", client, source="agent:tests")
        reference = SQLiteSession("reference")
        for at in range(30):
            kind = choose.choice(["add", "add", "get", "pop", "clear" if at % 10 == 9 else "get"])
            if kind == "add":
                items: list[Any] = [_random_item(choose) for _ in range(choose.randint(0, 5))]
                await session.add_items(items)
                await reference.add_items(items)
            elif kind == "pop":
                assert await session.pop_item() == await reference.pop_item()
            elif kind == "clear":
                await session.clear_session()
                await reference.clear_session()
            limit = choose.choice([None, None, 0, 1, 3, 100])
            assert await session.get_items(limit) == await reference.get_items(limit)
        reference.close()

    connected(node, work)


def _random_item(choose: random.Random) -> dict[str, Any]:
    part = {"type": "input_text", "text": "é" * choose.randint(1, 9)}
    content: Any = choose.choice(["hello", "grüße \ud83d", [part]])
    return {"role": choose.choice(["user", "assistant"]), "content": content, "n": choose.choice([1, 0.5, None])}


def test_an_agent_remembers_the_conversation_with_its_tool_calls(node: Node) -> None:
    @function_tool
    def weather(city: str) -> str:
        return f"rain in {city}"

    call = ResponseFunctionToolCall(arguments='{"city":"Oslo"}', call_id="c1", name="weather", type="function_call")
    model = ScriptedModel(call, message("It rains in Oslo."), message("I said that it rains."))
    agent = Agent(name="tests", model=model, tools=[weather])
    session_id = f"s-{uuid4()}"

    async def work(client: AsyncFactClient) -> None:
        for said in ("How is the weather in Oslo?", "And what did you say?"):
            # A new object is what a new process has.
            session = FactSession(session_id, client, source="agent:tests")
            await Runner.run(agent, said, session=session, run_config=UNTRACED)
        assert isinstance(session, Session)
        kinds = [item.get("type", item.get("role")) for item in await session.get_items()]
        assert kinds == ["user", "function_call", "function_call_output", "message", "user", "message"]

    connected(node, work)
    assert [item.get("type", item.get("role")) for item in model.inputs[2]] == [
        "user",
        "function_call",
        "function_call_output",
        "message",
        "user",
    ]


def test_the_settings_of_a_session_bound_what_the_agent_sees(node: Node) -> None:
    model = ScriptedModel(message("third"))

    async def work(client: AsyncFactClient) -> None:
        session = FactSession(
            f"s-{uuid4()}", client, source="agent:tests", session_settings=SessionSettings(limit=1)
        )
        await session.add_items([{"role": "user", "content": "first"}, {"role": "user", "content": "second"}])
        await Runner.run(Agent(name="tests", model=model), "now", session=session, run_config=UNTRACED)

    connected(node, work)
    assert texts(model.inputs[0]) == ["second", "now"]


def test_facts_of_the_documented_form_are_read_and_written(node: Node) -> None:
    async def work(client: AsyncFactClient) -> None:
        name = str(uuid4())
        entity = f"session:%41%20{name}"
        value = {"type": "text", "v": '{"content":"from TypeScript","role":"user"}'}
        relation = f"session:item-{uuid4().hex}"
        await client.assert_fact(entity, relation, value, source="agent:typescript")
        await client.assert_fact(entity, "memory:title", "no item", source="agent:typescript")
        session = FactSession(f"A {name}", client, source="agent:tests")
        await session.add_items([{"role": "user", "content": "from Python"}])
        assert texts(await session.get_items()) == ["from TypeScript", "from Python"]
        fact = (await client.query({"entity": entity}).take(1))[0]
        assert fact["relation"].startswith("session:item-") and fact["relation"] != relation
        assert (fact["value"]["type"], fact["value"]["v"]) == ("text", '{"content":"from Python","role":"user"}')
        assert (fact["scope"], fact["source"]) == ("company", "agent:tests")

    connected(node, work)


def test_items_follow_their_stamps_where_clocks_differ(node: Node) -> None:
    async def work(client: AsyncFactClient) -> None:
        session = FactSession(f"s-{uuid4()}", client, source="agent:tests")
        for said, seconds in (("first", 30), ("second", -3600), ("third", -30)):
            fact = {
                "entity": f"session:{session.session_id}",
                "relation": f"session:item-{uuid4().hex}",
                "value": {"type": "text", "v": json.dumps({"role": "user", "content": said})},
                "timestamp": datetime.now(timezone.utc) + timedelta(seconds=seconds),
            }
            await client.assert_facts([{**fact, "source": "agent:other"}])
        assert texts(await session.get_items()) == ["first", "second", "third"]
        assert texts(await session.get_items(1)) == ["third"]

    connected(node, work)


def test_a_contested_item_says_so_and_ends_with_its_session(node: Node) -> None:
    async def work(client: AsyncFactClient) -> None:
        session = FactSession(f"s-{uuid4()}", client, source="agent:tests")
        await session.add_items([{"role": "user", "content": "tea"}, {"role": "user", "content": "milk"}])
        entity = f"session:{session.session_id}"
        fact = (await client.query({"entity": entity}).take(1))[0]
        value = {"type": "text", "v": '{"content":"jam","role":"user"}'}
        await client.assert_fact(entity, fact["relation"], value, source="agent:rival")
        items = await session.get_items()
        notes = [str(item.get("content")) for item in items if item.get("role") == "system"]
        assert len(items) == 3 and len(notes) == 1
        assert "agent:tests" in notes[0] and "agent:rival" in notes[0] and fact["id"] in notes[0]
        await session.clear_session()
        assert await session.get_items() == []

    connected(node, work)


def test_places_are_apart(node: Node) -> None:
    async def work(client: AsyncFactClient) -> None:
        name = f"s-{uuid4()}"
        await client.gardens.create({"slug": name, "name": "Test", "scope": "company"})
        inside = FactSession(name, client, source="agent:tests", garden=name)
        outside = FactSession(name, client, source="agent:tests")
        team = FactSession(name, client, source="agent:tests", scope="team")
        for session, said in ((inside, "inside"), (outside, "outside"), (team, "team")):
            await session.add_items([{"role": "user", "content": said}])
        await outside.clear_session()
        found = [texts(await session.get_items()) for session in (inside, outside, team)]
        assert found == [["inside"], [], ["team"]]

    connected(node, work)


def test_a_client_of_the_other_kind_is_refused(node: Node) -> None:
    with FactClient(node.url) as client, pytest.raises(TypeError, match="AsyncFactClient"):
        FactSession("s", client, source="agent:tests")  # type: ignore[arg-type]


def test_a_refused_item_raises(node: Node) -> None:
    async def work(client: AsyncFactClient) -> None:
        session = FactSession(f"s-{uuid4()}", client, source="agent:tests")
        item: TResponseInputItem = {"role": "user", "content": "x" * 2**20}
        with pytest.raises(FactMemoryError) as refused:
            await session.add_items([item])
        assert refused.value.status == 413

    connected(node, work)
