"""A node of this repository for the tests, started as a process on an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fact_memory import FactClient

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Node:
    """A running node."""

    url: str
    key: str


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("node")
    program = shutil.which("node")
    assert program is not None, "the node needs Node.js"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"SVC_DB_PATH": str(folder / "svc.db"), "SVC_HOST": "127.0.0.1", "SVC_RATE_LIMIT_ENABLED": "false"}
    with subprocess.Popen(
        [program, str(ROOT / "dist" / "config" / "main.js"), "start", "--port", "0"],
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
            process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.match("Address +(http://[0-9.:]+)", line):
            return found[1]
    raise AssertionError("the node did not start: " + "".join(said))


@pytest.fixture
def client(node: Node) -> Iterator[FactClient]:
    with FactClient(node.url, key=node.key, source="agent:tests") as client:
        yield client
