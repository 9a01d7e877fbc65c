/** JSON objects, and the pool of those that stand once in a document and are referred to. Used by the other files here. */

export type Json = Readonly<Record<string, unknown>>;

interface Pool {
  /** By name, the values that occur more than once. */
  readonly components: Json;
  /** Returns a value, or the reference to it. */
  refer(value: Json): Json;
}

/** Returns a pool of values, each with the name that it would have; `place` is where they stand in the document. */
export const createPool = (place: string, values: readonly { readonly name: string; readonly value: Json }[]): Pool => {
  const counts = new Map<string, number>();
  for (const { value } of values) {
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const components: Record<string, Json> = {};
  const references = new Map<string, Json>();
  for (const { name, value } of values) {
    const text = JSON.stringify(value);
    if ((counts.get(text) ?? 0) < 2 || references.has(text)) continue;
    let unique = name;
    for (let turn = 2; Object.hasOwn(components, unique); turn += 1) unique = `${name}.${String(turn)}`;
    components[unique] = value;
    references.set(text, { $ref: `#/components/${place}/${unique}` });
  }
  return { components, refer: (value) => references.get(JSON.stringify(value)) ?? value };
};
