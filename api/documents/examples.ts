/** The examples of answers: recorded from the running service by test/http/openapi.test.ts. Used by ../openapi.ts and ../asyncapi.ts. */
import { readFileSync } from 'node:fs';
import type { Json } from './json.ts';

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
