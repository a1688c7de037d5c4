"""Gardens: parts of a scope that only their members see."""

from __future__ import annotations

from typing import Any, cast

from typing_extensions import TypeAlias, Unpack

from .._requests import CallOptions
from ..types import Garden, GardenMember
from .connection import AsyncConnection

# Inside the class, ``list`` means its method.
GardenList: TypeAlias = list[Garden]
MemberList: TypeAlias = list[GardenMember]


class AsyncGardens:
    """The calls about gardens. A garden is named by its URI, id or slug."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._call = connection.call

    async def list(self, **options: Unpack[CallOptions]) -> GardenList:
        """Returns the gardens that the caller can see."""
        return cast("GardenList", await self._call("GET /v1/gardens", **options))

    async def create(self, garden: dict[str, Any], **options: Unpack[CallOptions]) -> Garden:
        """Creates a garden from its members, such as ``slug``, ``name`` and ``scope``."""
        return cast("Garden", await self._call("POST /v1/gardens", body=garden, **options))

    async def get(self, garden: str, **options: Unpack[CallOptions]) -> Garden:
        """Returns one garden."""
        reply = await self._call("GET /v1/gardens/{garden}", params={"garden": garden}, **options)
        return cast("Garden", reply)

    async def remove(self, garden: str, **options: Unpack[CallOptions]) -> None:
        """Removes a garden. Its facts stay, visible to administrators alone."""
        await self._call("DELETE /v1/gardens/{garden}", params={"garden": garden}, **options)

    async def members(self, garden: str, **options: Unpack[CallOptions]) -> MemberList:
        """Returns the members of a garden."""
        reply = await self._call("GET /v1/gardens/{garden}/members", params={"garden": garden}, **options)
        return cast("MemberList", reply)

    async def add_member(
        self, garden: str, entity_uri: str, role: str = "reader", **options: Unpack[CallOptions]
    ) -> GardenMember:
        """Adds an entity to a garden."""
        body = {"entity_uri": entity_uri, "role": role}
        route = "POST /v1/gardens/{garden}/members"
        return cast("GardenMember", await self._call(route, params={"garden": garden}, body=body, **options))

    async def set_role(
        self, garden: str, entity_uri: str, role: str, **options: Unpack[CallOptions]
    ) -> GardenMember:
        """Changes the role of a member."""
        params = {"garden": garden, "entity_uri": entity_uri}
        route = "PATCH /v1/gardens/{garden}/members/{entity_uri}"
        return cast("GardenMember", await self._call(route, params=params, body={"role": role}, **options))

    async def remove_member(self, garden: str, entity_uri: str, **options: Unpack[CallOptions]) -> None:
        """Removes a member from a garden."""
        params = {"garden": garden, "entity_uri": entity_uri}
        await self._call("DELETE /v1/gardens/{garden}/members/{entity_uri}", params=params, **options)
