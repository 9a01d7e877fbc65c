/** The parameter `fields` of endpoints that read: answers only the named members of each element of a list, or of the main object. For endpoint.ts. */
import { invalidAt } from '../shared/catalogue/errors.ts';
import { limits } from '../shared/catalogue/limits.ts';
import { isObject } from '../shared/platform/json/jsonLimits.ts';
import { Type, type TSchema } from '../shared/platform/json/schema.ts';
import { listNearest } from '../shared/platform/words/nearestNames.ts';
import type { ApiResponse } from './http/apiResponse.ts';

interface SchemaNode {
  readonly type?: string;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** What `fields` chooses from. */
interface Projection {
  /** The member of the body that is projected: a list, or an object. */
  readonly member: string;
  readonly names: readonly string[];
  /** Members that stay: by them each element is known. */
  readonly identity: readonly string[];
}

const identityNames = ['id', 'resource', 'name', 'flag'] as const;

/** Returns what `fields` chooses from in a response: the elements of its list, or its only object; null for other responses. */
export const findProjection = (response: TSchema | null | undefined, path: string): Projection | null => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schemas of responses are JSON Schema
  const members = Object.entries(((response ?? {}) as SchemaNode).properties ?? {});
  const list = members.find(([, { type, items }]) => type === 'array' && items?.properties !== undefined);
  const main = members.find(([, { type, properties }]) => type === 'object' && properties !== undefined);
  const found = /\/:\w+$/.test(path) ? (main ?? list) : list;
  const properties = found?.[1].items?.properties ?? found?.[1].properties;
  if (found === undefined || properties === undefined) return null;
  const names = Object.keys(properties);
  const [first] = identityNames.filter((name) => names.includes(name));
  if (first === undefined) return null;
  const identity = first === 'id' && names.includes('resource') ? ['resource', 'id'] : [first];
  return { member: found[0], names, identity };
};

export const fieldsSchema = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    minItems: 1,
    maxItems: limits.filterValues,
    description: 'Only these members, and the id (comma-separated).',
  }),
);

/** Throws `400 invalid` for a name that the response doesn't have. */
export const requireKnownFields = ({ names }: Projection, fields: readonly string[]): void => {
  const unknown = fields.find((field) => !names.includes(field));
  if (unknown !== undefined) throw invalidAt('fields', `must be among ${listNearest(unknown, names)}, not ${unknown}`);
};

/** Returns the response with only these members, and those by which its elements are known. */
export const project = (
  { member, identity }: Projection,
  fields: readonly string[],
  response: ApiResponse,
): ApiResponse => {
  const body: unknown = typeof response.body === 'string' ? JSON.parse(response.body) : response.body;
  if (!isObject(body)) return response;
  const kept = new Set([...identity, ...fields]);
  const cut = (value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => kept.has(name))) : value;
  const whole = body[member];
  return { ...response, body: { ...body, [member]: Array.isArray(whole) ? whole.map(cut) : cut(whole) } };
};
