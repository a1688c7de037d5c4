"""Generated files match their sources."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import fact_memory

ROOT = Path(__file__).parents[1]


def test_the_version_is_that_of_the_node() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    node = json.loads((ROOT.parents[1] / "package.json").read_text(encoding="utf-8"))["version"]
    assert f'\nversion = "{re.sub("-alpha[.]", "a", node)}"\n' in project


def test_everything_public_has_a_docstring() -> None:
    missing = [
        f"{name}.{member}"
        for name in fact_memory.__all__
        for member, value in inspect.getmembers(getattr(fact_memory, name), inspect.isfunction)
        if not member.startswith("_") and not value.__doc__
    ]
    assert missing == []
