/** The parameters of operations; those that several have stand once among the components. Used by ../openapi.ts. */
import type { TSchema } from '../../shared/platform/json/schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { settingsResources } from '../routes/settings.ts';
import { resourceNoun } from '../routes/settings/endpoints.ts';
import { type Json, createPool } from './examples.ts';
import { shortenSchema, shortenText } from './namedSchemas.ts';

/** What an id of a path is of, by its prefix. */
const idNouns: Readonly<Record<string, string>> = {
  itm: 'item',
  run: 'run',
  blk: 'bulk',
  apr: 'approval',
  ses: 'session',
  job: 'job',
  viw: 'saved view',
  ...Object.fromEntries(settingsResources.map(resourceNoun)),
};

const pathDescriptions: Readonly<Record<string, string>> = {
  id: 'The record’s id in the app.',
  resource: 'The resource, as GET /resources names it.',
  relation: 'The relation, as GET /resources names it.',
  page: 'The page, as GET /pages names it.',
  flag: 'The flag’s key.',
  name: 'The environment.',
};

const ownIdForm = /^[a-z]{3}_[0-9a-z]{26}$/;

/** Returns the description of a path parameter. Throws for a name, or an id of ours, that has none here. */
const describePath = (name: string, example: string): string => {
  const noun = name === 'id' ? idNouns[example.slice(0, example.indexOf('_'))] : undefined;
  if (noun === undefined && ownIdForm.test(example))
    throw new Error(`The id ${example} has no noun: add it to api/documents/parameters.ts.`);
  const description = noun === undefined ? pathDescriptions[name] : `The ${noun}’s id.`;
  if (description === undefined)
    throw new Error(`The path parameter ${name} has no description: add it to api/documents/parameters.ts.`);
  return description;
};

const pathParameters = ({ path, example }: Endpoint): Json[] =>
  [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => {
    const value = example.params?.[name] ?? '';
    return {
      name,
      in: 'path',
      required: true,
      description: shortenText(describePath(name, value)),
      schema: { type: 'string' },
      example: value,
    };
  });

/** Returns an example for the schema, in which a list with commas is an array. */
const exampleOf = (schema: Json, value: unknown): unknown =>
  schema['type'] === 'array' && typeof value === 'string' ? value.split(',') : value;

/** Said by the style of the parameter. */
const separated = ' (comma-separated)';

const queryParameters = ({ query, example }: Endpoint): Json[] => {
  const properties: Readonly<Record<string, TSchema>> = query?.properties ?? {};
  return Object.entries(properties).map(([name, given]) => {
    const { description, ...schema } = shortenSchema(given);
    return {
      name,
      in: 'query',
      ...(query?.required?.includes(name) === true ? { required: true } : {}),
      ...(typeof description === 'string' ? { description: description.replace(separated, '') } : {}),
      schema,
      ...(schema['type'] === 'array' ? { explode: false } : {}),
      ...(Object.hasOwn(example.query ?? {}, name) ? { example: exampleOf(schema, example.query?.[name]) } : {}),
    };
  });
};

const idempotencyKey: Json = {
  name: 'idempotency-key',
  in: 'header',
  description: 'A repeat within 24 hours answers the same.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const ifMatch: Json = {
  name: 'if-match',
  in: 'header',
  description: 'The version that you saw, in quotes; another one is 412. `*`: any.',
  schema: { type: 'string' },
};

const parametersOf = (endpoint: Endpoint): Json[] => [
  ...pathParameters(endpoint),
  ...queryParameters(endpoint),
  ...(endpoint.write && endpoint.idempotencyKey === 'accepted' ? [idempotencyKey] : []),
  ...(endpoint.conditional ? [ifMatch] : []),
];

/** Returns a function that gives parameters of the query the example of the first that differs in nothing else, so that they are one. */
const withOneExample = (parameters: readonly Json[]): ((parameter: Json) => Json) => {
  const textOf = ({ example: _, ...rest }: Json): string => JSON.stringify(rest);
  const examples = new Map<string, unknown>();
  for (const parameter of parameters)
    if ('example' in parameter && !examples.has(textOf(parameter)))
      examples.set(textOf(parameter), parameter['example']);
  return (parameter) => {
    const { example: _, ...rest } = parameter;
    if (parameter['in'] === 'path') return parameter;
    const text = textOf(rest);
    return examples.has(text) ? { ...rest, example: examples.get(text) } : rest;
  };
};

interface SharedParameters {
  /** By name, those that at least two operations have. */
  readonly components: Json;
  of(endpoint: Endpoint): readonly Json[];
}

/** Returns the parameters of each operation, with references to those that are shared. */
export const shareParameters = (endpoints: readonly Endpoint[]): SharedParameters => {
  const given = endpoints.flatMap(parametersOf);
  const complete = withOneExample(given);
  const all = given.map(complete);
  const pool = createPool(
    'parameters',
    // Names of components have no asterisk, and are short: `key` for `idempotency-key`.
    all.map((value) => ({ name: String(value['name']).replace('.*', '').replace(/^.*-/, ''), value })),
  );
  return {
    components: pool.components,
    of: (endpoint) => parametersOf(endpoint).map((parameter) => pool.refer(complete(parameter))),
  };
};
