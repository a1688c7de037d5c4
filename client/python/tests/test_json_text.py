"""JSON values have the same text in Python and in TypeScript."""

from __future__ import annotations

import json
import random
import struct
import subprocess

import pytest

from conftest import ROOT, program
from fact_memory._json_text import canonical_json, read_object

SPELL = f"""
import {{ canonicalJson }} from {json.dumps((ROOT / "dist/client/canonical-json.js").as_uri())};
import {{ readFileSync }} from 'node:fs';
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(canonicalJson)));
"""


def some_float(choose: random.Random) -> float:
    if choose.random() < 0.5:
        return choose.choice([1.5, 3.0, -0.0, 123456789.0]) * 10.0 ** choose.randint(-12, 25)
    return float(struct.unpack("<d", choose.randbytes(8))[0])


def test_numbers_texts_and_names_are_spelled_as_in_typescript() -> None:
    choose = random.Random(31)
    finite = [number for number in (some_float(choose) for _ in range(2000)) if abs(number) < float("inf")]
    letters = [chr(point) for point in (*range(0x80), 0xE9, 0x2028, 0xD83D, 0xFFFF, 0x1F600)]
    texts = ["".join(choose.choices(letters, k=5)) for _ in range(200)]
    values = [*finite, *texts, {text: [number, None, True, {}] for text, number in zip(texts, finite)}]
    command = [program("node"), "--input-type=module", "-e", SPELL]
    spelled = subprocess.run(command, input=json.dumps(values), stdout=subprocess.PIPE, text=True, check=True).stdout
    assert [canonical_json(value) for value in values] == json.loads(spelled)


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, b"x", float("nan"), [float("inf")]])
def test_a_value_that_json_lacks_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical_json(value)


@pytest.mark.parametrize("text", ["words", "[1]", "7", None, 7, "[" * 100_000])
def test_a_value_that_no_adapter_wrote_is_wrapped(text: object) -> None:
    assert read_object(text) == {"value": text}
