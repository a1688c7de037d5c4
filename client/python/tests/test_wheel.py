"""The contents of the wheel, from which the suite installs the package."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_the_wheel_holds_the_licence_of_the_repository(name: str) -> None:
    held = [path for path in files("fact-memory") or () if path.name == name and "licenses" in path.parts]
    assert [path.read_text() for path in held] == [(REPOSITORY / name).read_text(encoding="utf-8")]
