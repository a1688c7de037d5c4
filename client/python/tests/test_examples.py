"""The programs of the pages run as they are shown, in an empty folder, with the installed wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fact_memory
from conftest import ROOT, Node

PAGES = ("client/python/README.md", "docs/guides/frameworks.md")
PROGRAM = re.compile(r"^```python\n(.*?)^```\n+(?:```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def programs() -> Iterator[object]:
    for page in PAGES:
        for at, found in enumerate(PROGRAM.findall((ROOT / page).read_text(encoding="utf-8")), 1):
            yield pytest.param(*found, id=f"{Path(page).name}-{at}")


def test_the_tests_import_the_installed_wheel() -> None:
    assert "site-packages" in Path(fact_memory.__file__).parts


@pytest.mark.parametrize(("program", "shown"), programs())
def test_a_shown_program_prints_the_shown_output(
    program: str, shown: str, node: Node, tenant_key: str, tmp_path: Path
) -> None:
    assert shown, "the page shows no output of the program"
    environment = {**os.environ, "SVC_URL": node.url, "SVC_API_KEY": tenant_key}
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == (shown, "", 0)
