# Written by scripts/make_sync.py from the asynchronous client. Changes by hand are lost.
"""A list of a node, loaded page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from ..errors import InvalidReplyError

Item = TypeVar("Item")


class Pages(Generic[Item]):
    """Iterates over the items of a list. ``pages()`` iterates over its pages, with the members beside the items.

    The first iteration sends the first request. Each iteration starts again at the first page.
    """

    def __init__(
        self, get: Callable[[str | None], Any], items: str, cursor: str = "cursor"
    ) -> None:
        self._get = get
        self._items = items
        self._cursor = cursor

    def first(self) -> Any:
        """Returns the first page only."""
        return self._get(None)

    def pages(self) -> Iterator[Any]:
        """Yields all pages, in order. Raises InvalidReplyError when a cursor repeats."""
        cursor: str | None = None
        while True:
            page = self._get(cursor)
            yield page
            following = page.get(self._cursor)
            if following is None:
                return
            if str(following) == cursor:
                detail = "the node returned the same cursor twice"
                raise InvalidReplyError(status=200, code="invalid_reply", detail=detail)
            cursor = str(following)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            for item in page[self._items]:
                yield item

    def take(self, count: int) -> list[Item]:
        """Returns at most this many items as a list."""
        items: list[Item] = []
        if count <= 0:
            return items
        for item in self:
            items.append(item)
            if len(items) >= count:
                break
        return items
