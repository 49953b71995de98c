// What a client makes of the choices of an option: both generic TypeScript players import this.
export type Schema = Record<string, any>;

// A value that a choice allows, another one at another turn. Its schema is JSON Schema; references lead to the `$defs` of the answer.
export function value(schema: Schema, defs: Record<string, Schema>, turn: number): unknown {
  if (schema.$ref) {
    const { $ref, ...own } = schema;
    return value({ ...defs[$ref.split("/").pop()], ...own }, defs, turn);
  }
  const out: unknown[] = schema.not ? (schema.not.enum ?? [schema.not.const]) : [];
  const listed = (schema.oneOf ?? []).filter((one: Schema) => !out.includes(one.const));
  if (listed.length > 0) return listed[turn % listed.length].const;
  if (schema.anyOf) return value(schema.anyOf[0], defs, turn);
  if (schema.type === "integer") return turn % 2 ? schema.maximum : schema.minimum;
  if (schema.type === "boolean") return turn % 2 === 1;
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => value(schema.items, defs, turn));
  if (schema.type !== "object") return "marked";
  const required: string[] = schema.required ?? [];
  return Object.fromEntries(required.map((field) => [field, value(schema.properties[field], defs, turn)]));
}
