"""A node of this repository for the tests, started as a process on an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from fact_memory import FactClient

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Node:
    """A running node."""

    url: str
    key: str


def program(name: str) -> str:
    """Returns the path of a program."""
    path = shutil.which(name)
    assert path is not None, f"the tests need {name}"
    return path


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("node")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"SVC_DB_PATH": str(folder / "svc.db"), "SVC_HOST": "127.0.0.1", "SVC_RATE_LIMIT_ENABLED": "false"}
    environment |= {"SVC_MULTI_TENANT_ENABLED": "true"}
    with subprocess.Popen(
        [program("node"), str(ROOT / "dist" / "config" / "main.js"), "start", "--port", "0"],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield Node(_address(process), (folder / "admin.key").read_text(encoding="utf-8").strip())
        finally:
            process.terminate()
            process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.match("Address +(http://[0-9.:]+)", line):
            # A pipe that nobody reads fills up, and stops the node.
            threading.Thread(target=process.stdout.read).start()
            return found[1]
    raise AssertionError("the node did not start: " + "".join(said))


@pytest.fixture
def client(node: Node) -> Iterator[FactClient]:
    with FactClient(node.url, key=node.key, source="agent:tests") as client:
        yield client


@pytest.fixture
def tenant_key(client: FactClient) -> str:
    """The key of a new tenant, in which nothing is stored."""
    key = uuid4().hex + uuid4().hex
    first_key = {"raw_key": key, "entity_uri": "agent:first", "permissions": ["read", "write"]}
    client.call("POST /v1/tenants", body={"id": f"t-{uuid4()}", "first_key": first_key})
    return key
