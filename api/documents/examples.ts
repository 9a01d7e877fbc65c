/** The examples of answers, recorded from the running service by test/http/openapi.test.ts, and JSON as the documents have it. Used by ../openapi.ts, ../asyncapi.ts and the other files of this folder. */
import { readFileSync } from 'node:fs';

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

interface Examples {
  /** By the name of the component. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** By operation and status, where the examples of components don't make the whole answer. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test that writes the file has this form
const examples = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Examples;

/** Returns the example of a component. Throws for one that has none. */
export const exampleOf = (name: string): unknown => {
  if (!Object.hasOwn(examples.schemas, name)) throw new Error(`There is no example of ${name} in api/documents.`);
  return examples.schemas[name];
};

/** Returns the member of a component's schema that shows an example. */
export const schemaExample = (name: string): Json =>
  Object.hasOwn(examples.schemas, name) ? { examples: [examples.schemas[name]] } : {};

/** Returns the member of an answer's media type that shows an example. */
export const answerExample = (operation: string, status: string): Json => {
  const example = examples.answers[operation]?.[status];
  return example === undefined ? {} : { example };
};
