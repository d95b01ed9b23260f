"""Holds `docs/asyncapi.yaml` against AsyncAPI's own schema, and payloads against the document."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft7Validator, Draft202012Validator  # type: ignore[import-untyped]

from referee.net.topics.codec import PUBLIC
from referee.net.topics.topics import parse
from tests.net.asyncapi_document import PATH

SCHEMA = Path(__file__).with_name("asyncapi-3.0.0.json.gz")


@cache
def document() -> dict[str, Any]:
    """Return the document as read from its file."""
    return dict(yaml.load(PATH.read_text(), Loader=yaml.CSafeLoader))


def schema() -> bytes:
    """Return AsyncAPI's own schema, as published."""
    return gzip.decompress(SCHEMA.read_bytes())


def faults(document: dict[str, Any]) -> list[str]:
    """Return the faults of a document against the specification, by place."""
    checker = Draft7Validator(json.loads(schema()))
    return ["/".join(map(str, error.path)) for error in checker.iter_errors(document)]


@cache
def _checker(kind: str) -> Any:
    components = document()["components"]
    return Draft202012Validator({"$ref": f"#/components/schemas/{kind}", "components": components})


def undescribed(board: str, topic: str, payload: bytes) -> str | None:
    """Return what a public payload has that the document does not describe for its topic; None without any, or if it is
    sealed.
    """
    found = parse(topic, board)
    if found is None:
        return f"{topic}: no such topic"
    kind = PUBLIC.get(found[0])
    if kind is None:
        return None
    for error in _checker(kind.__name__).iter_errors(json.loads(payload)):
        return f"{topic}: {'/'.join(map(str, error.path)) or 'the whole'} does not fit"
    return None
