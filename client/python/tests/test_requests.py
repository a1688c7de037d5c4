"""Addresses, retries, limits and errors, against a server that follows a script."""

from __future__ import annotations

import json
import pickle

import pytest

from fact_memory import ConnectionFailedError, FactClient, FactMemoryError, InvalidReplyError
from fact_memory._retries import delay_before
from scripted_server import JSON, Script, scripted

BUSY = (503, {**JSON, "Retry-After": "0"}, b'{"code":"busy","detail":"busy"}')
FACT = (201, JSON, b'{"id":"f1"}')


def test_a_retry_after_a_busy_reply_has_the_same_idempotency_key() -> None:
    with scripted([BUSY, BUSY, FACT]) as server, FactClient(server.url, source="a:b") as client:
        assert client.assert_fact("a:b", "c:d", 1)["id"] == "f1"
    keys = {headers["idempotency-key"] for _, _, headers, _ in server.requests}
    assert (len(server.requests), len(keys)) == (3, 1)


@pytest.mark.parametrize(
    ("reply", "route", "tries"),
    [
        (BUSY, "POST /v1/gardens", 1),
        (BUSY, "GET /v1/gardens", 3),
        ((502, {}, b"<html>bad gateway</html>"), "POST /v1/gardens", 1),
        ((502, {}, b"<html>bad gateway</html>"), "GET /v1/gardens", 3),
        ((504, {}, b""), "GET /v1/gardens", 3),
        ((429, {**JSON, "Retry-After": "0"}, b"{}"), "POST /v1/gardens", 3),
        ((429, {**JSON, "Retry-After": "3600"}, b"{}"), "POST /v1/gardens", 1),
        ((500, JSON, b"{}"), "GET /v1/gardens", 1),
    ],
)
def test_only_safe_requests_are_repeated(reply: tuple[int, dict[str, str], bytes], route: str, tries: int) -> None:
    with scripted([reply]) as server, FactClient(server.url) as client, pytest.raises(FactMemoryError):
        client.call(route, body={} if route.startswith("POST") else None)
    assert len(server.requests) == tries


def test_the_pause_between_tries_grows_and_is_bounded() -> None:
    assert [delay_before(tries, None, 0.0) for tries in (0, 1, 20)] == [0.125, 0.25, 5.0]
    assert delay_before(0, 7, 0.0) == 7.0


def test_an_unreachable_node_raises_an_error_without_the_key() -> None:
    with FactClient("http://127.0.0.1:1", key="secret-key", retries=0) as client:
        with pytest.raises(ConnectionFailedError) as failure:
            client.health()
    assert (failure.value.status, failure.value.code) == (0, "connection")
    assert "secret-key" not in str(failure.value)
    assert "secret-key" not in repr(client.__dict__)


def test_a_redirect_does_not_receive_the_key() -> None:
    with scripted([FACT]) as other:
        away = (302, {"Location": other.url}, b"")
        with scripted([away]) as server, FactClient(server.url, key="k") as client, pytest.raises(FactMemoryError):
            client.health()
        assert other.requests == []


@pytest.mark.parametrize(
    "reply",
    [
        (200, JSON, b"<html>"),
        (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>"),
        (200, JSON, b'{"facts":[{"id":"1"}],"cursor":"same"}'),
    ],
)
def test_a_reply_that_the_protocol_does_not_allow_raises(reply: tuple[int, dict[str, str], bytes]) -> None:
    with scripted([reply]) as server, FactClient(server.url) as client, pytest.raises(InvalidReplyError):
        client.query().take(5)


def test_a_web_page_is_no_open_reply_and_no_job() -> None:
    page = (200, {"Content-Type": "text/html"}, b"<html>")
    with scripted([page]) as server, FactClient(server.url) as client:
        with pytest.raises(InvalidReplyError), client.open("GET /v1/facts/export"):
            pass
        with pytest.raises(InvalidReplyError):
            client.follow_job("j")


def test_a_refusal_raises_an_error_with_or_without_a_problem_document() -> None:
    problem = {"code": "validation", "detail": "no", "errors": [{"path": "body", "message": "m"}], "request_id": "r"}
    script: Script = [(422, JSON, json.dumps(problem).encode()), (502, {}, b"<html>bad gateway</html>")]
    with scripted(script) as server, FactClient(server.url, retries=0) as client:
        with pytest.raises(FactMemoryError) as refused:
            client.me()
        with pytest.raises(FactMemoryError) as proxied:
            client.me()
    assert (refused.value.code, refused.value.request_id) == ("validation", "r")
    assert (proxied.value.code, proxied.value.status) == ("http_error", 502)
    assert pickle.loads(pickle.dumps(refused.value)).errors == refused.value.errors


def test_each_path_parameter_stays_one_segment() -> None:
    with scripted([FACT]) as server, FactClient(server.url + "/base/") as client:
        client.fact("a/b?c#d é")
        client.call("GET /v1/facts", query={"entity": ["a", "b"], "deep": {"x": True}, "none": None, "flag": True})
        client.call("GET /v1/facts", query={"entities": [], "limit": 5})
        client.call("GET /v1/facts", query={"entities": [None]})
        for bad in (".", "..", "", "\ud800"):
            with pytest.raises(ValueError, match="parameter"):
                client.fact(bad)
    paths = [path for _, path, _, _ in server.requests]
    assert paths[0] == "/base/v1/facts/a%2Fb%3Fc%23d%20%C3%A9"
    assert paths[1] == "/base/v1/facts?entity=a&entity=b&deep=%7B%22x%22%3A+true%7D&flag=true"
    assert paths[2:] == ["/base/v1/facts?entities=&limit=5", "/base/v1/facts?entities="]


def test_a_member_that_is_no_option_is_refused_before_sending() -> None:
    with scripted([FACT]) as server, FactClient(server.url, source="a:b") as client:
        for ask in (
            lambda: next(iter(client.query(entity="user:alice"))),  # type: ignore[call-arg]
            lambda: client.card("user:alice", relations=["memory:*"]),  # type: ignore[call-arg]
            lambda: client.assert_fact("user:alice", "memory:role", 1, valid_form=None),  # type: ignore[call-arg]
        ):
            with pytest.raises(TypeError, match='unknown option "(entity|relations|valid_form)"'):
                ask()
        assert server.requests == []


@pytest.mark.parametrize("route", ["/v1/facts", "GET", "GET v1/facts", "GET .example/v1/facts", " /v1/facts", ""])
def test_a_text_that_is_no_route_is_refused_before_sending(route: str) -> None:
    with scripted([FACT]) as server, FactClient(server.url) as client:
        with pytest.raises(ValueError, match="a route is a method and a path"):
            client.call(route)
        assert server.requests == []


def test_the_key_of_the_environment_goes_only_to_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted([FACT]) as mine, scripted([FACT]) as other:
        monkeypatch.setenv("SVC_URL", mine.url)
        monkeypatch.setenv("SVC_API_KEY", "env-key")
        with FactClient() as client, FactClient(other.url) as stranger:
            client.health()
            stranger.health()
    assert mine.requests[0][2]["authorization"] == "Bearer env-key"
    assert "authorization" not in other.requests[0][2]


@pytest.mark.parametrize("url", ["", "ftp://a", "http://u:p@a", "http://a/?q", "http://a/#f", "http://a:x", "a:8765"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        FactClient(url)


def test_values_without_a_json_form_are_refused_before_sending() -> None:
    with FactClient("http://127.0.0.1:1", source="a:b") as client:
        with pytest.raises(ValueError, match="JSON"):
            client.assert_fact("a:b", "c:d", float("nan"))
        with pytest.raises(TypeError, match="not object"):
            client.assert_fact("a:b", "c:d", object())  # type: ignore[arg-type]
