"""Generates requests from the API description. Each reply must match its schema and be no server error."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import response_schema_conformance

from conftest import Node

EXAMPLES = 3
# The node of the tests has no identity provider and no peers, so routes that need them reply so.
SWITCHED_OFF = (501, 503)
BOUNDS = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_every_route_keeps_to_its_description(node: Node) -> None:
    schema = schemathesis.openapi.from_url(f"{node.url}/openapi.json")
    headers = {"Authorization": f"Bearer {node.key}"}
    broken: list[str] = []
    requests = 0

    for found in schema.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]  # a broken description fails the test

        @BOUNDS
        @given(case=operation.as_strategy())
        def keeps_to_it(case: schemathesis.Case[Any]) -> None:
            nonlocal requests
            requests += 1
            response = case.call(headers=headers, timeout=30)
            assert response.status_code < 500 or response.status_code in SWITCHED_OFF, response.text
            case.validate_response(response, checks=[response_schema_conformance], headers=headers)

        try:
            keeps_to_it()
        except Exception as error:
            broken.append(f"{operation.label}: {error}"[:500])
    assert broken == []
    assert requests > 100
