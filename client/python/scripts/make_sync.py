"""Writes the blocking client from the asynchronous one, whenever the package is built or installed.

Both clients have one source, because copies that people maintain by hand drift apart.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path(__file__).parent.parent / "src" / "fact_memory"
HEAD = "# Written by scripts/make_sync.py from the asynchronous client. Changes by hand are lost.\n"
WORDS = {
    "async def": "def",
    "async with": "with",
    "async for": "for",
    "await ": "",
    "import anyio": "import time",
    "anyio.sleep": "time.sleep",
    "asynccontextmanager": "contextmanager",
    "AsyncIterator": "Iterator",
    "Callable[[str | None], Awaitable[Any]]": "Callable[[str | None], Any]",
    "import AsyncIterator, Awaitable, Callable": "import Callable, Iterator",
    "import AsyncIterator, Callable, Iterable, Mapping": "import Callable, Iterable, Iterator, Mapping",
    "import AsyncIterator, Mapping": "import Iterator, Mapping",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "aiter_bytes": "iter_bytes",
    "aclose": "close",
    "httpx.AsyncClient": "httpx.Client",
}
CLASSES = re.compile(r"\bAsync(Connection|Pages|Gardens|Subscriptions|FactClient)\b")
# The longest phrase comes first, so that no shorter one replaces a part of it.
PATTERN = re.compile("|".join(re.escape(word) for word in sorted(WORDS, key=len, reverse=True)))


def blocking(source: str) -> str:
    """Returns the blocking form of a module."""
    text = PATTERN.sub(lambda match: WORDS[match[0]], CLASSES.sub(r"\1", source))
    # The connection module imports time already.
    return re.sub(r"^import time\n((?:.*\n)*?)import time\n", r"import time\n\1", text, flags=re.MULTILINE)


class WriteSync(BuildHookInterface[Any]):
    """Runs before hatchling gathers the files of the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        shutil.rmtree(PACKAGE / "_sync", ignore_errors=True)
        for path in (PACKAGE / "_async").glob("*.py"):
            target = PACKAGE / "_sync" / path.name
            target.parent.mkdir(exist_ok=True)
            target.write_text(HEAD + blocking(path.read_text(encoding="utf-8")), encoding="utf-8")
