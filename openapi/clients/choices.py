"""What a client makes of the choices of an option: both generic Python players import this."""

from typing import Any


def value(schema: dict[str, Any], defs: dict[str, Any], turn: int) -> Any:
    """A value that a choice allows, another one at another turn. References lead to the `$defs` of the answer."""
    if "$ref" in schema:
        shared = defs[schema["$ref"].split("/")[-1]]
        return value({**shared, **{key: part for key, part in schema.items() if key != "$ref"}}, defs, turn)
    out = schema.get("not", {})
    values = [one["const"] for one in schema.get("oneOf", []) if one["const"] not in out.get("enum", [out.get("const")])]
    if values:
        return values[turn % len(values)]
    if "anyOf" in schema:
        return value(schema["anyOf"][0], defs, turn)
    match schema.get("type"):
        case "integer":
            return schema["maximum"] if turn % 2 else schema["minimum"]
        case "boolean":
            return turn % 2 == 1
        case "array":
            return [value(schema["items"], defs, turn) for _ in range(schema.get("minItems", 0))]
        case "object":
            return {field: value(schema["properties"][field], defs, turn) for field in schema.get("required", [])}
    return "marked"
