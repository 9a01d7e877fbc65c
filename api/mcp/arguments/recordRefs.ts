/** References to records as models write them, "customer:cus_1" or { resource, id }, in the form that is taken. Used by coerce.ts, actions.ts and tools/records.ts. */
import type { Caller } from '../../../shared/accounts/access/principal.ts';
import { Fault, invalidAt } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { recordRefPattern } from '../../../shared/platform/json/schema.ts';
import { getRecord } from '../../../shared/records/read.ts';
import type { EndpointCall } from '../../endpoint.ts';

type Members = Readonly<Record<string, unknown>>;

interface Reference {
  readonly resource: string;
  readonly id: string;
}

const form = new RegExp(recordRefPattern, 'u');

/** Returns what a text of the form `<resource>:<id>` refers to; null for other values. */
const ofText = (value: unknown): Reference | null => {
  if (typeof value !== 'string' || !form.test(value)) return null;
  const end = value.indexOf(':');
  return { resource: value.slice(0, end), id: value.slice(end + 1) };
};

const ofObject = (value: unknown): Reference | null => {
  if (!isObject(value) || Object.keys(value).length !== 2) return null;
  const { resource, id } = value;
  return typeof resource === 'string' && typeof id === 'string' ? { resource, id } : null;
};

/** Returns what a value refers to in either form; null for other values. */
export const toReference = (value: unknown): Reference | null => ofText(value) ?? ofObject(value);

/** Returns whether a schema is that of a reference as an object. */
const isReference = ({ properties }: Members): boolean =>
  isObject(properties) && ['id,resource', 'id,resource,title'].includes(Object.keys(properties).sort().join());

/** Returns the value in the form that a schema of a reference takes, an object or a text; any other value as it is. */
export const toSchemaForm = (schema: Members, value: unknown): unknown => {
  if (isReference(schema)) return ofText(value) ?? value;
  const ref = schema['pattern'] === recordRefPattern ? ofObject(value) : null;
  return ref === null ? value : `${ref.resource}:${ref.id}`;
};

/** Returns whether a record has this id. Of one that its app can't say now: no. */
const isThere = async ({ deps, caller: { env } }: EndpointCall, { resource, id }: Reference): Promise<boolean> => {
  try {
    return (await getRecord(deps, env, resource, id)) !== null;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
};

const sees = ({ env, principal }: Caller, resource: string): boolean =>
  env.definition.resources.has(resource) && principal.access.sees('resource', resource);

/**
 * Returns the id of a record of `resource`, which is written alone or in either form; a text that is an id as a whole is one.
 * Throws `400 invalid` at `path` for a record of another resource.
 */
export const readRecordId = async (
  call: EndpointCall,
  { resource, given, path }: { readonly resource: string; readonly given: unknown; readonly path: string },
): Promise<unknown> => {
  const text = ofText(given);
  const isNamed = text !== null && sees(call.caller, text.resource) && sees(call.caller, resource);
  const ref =
    isNamed && !(await isThere(call, { resource, id: `${text.resource}:${text.id}` })) ? text : ofObject(given);
  if (ref === null) return given;
  if (ref.resource === resource) return ref.id;
  throw invalidAt(path, `is a record of ${ref.resource.slice(0, 100)}; this takes the id of one of ${resource}`);
};

/** Returns the arguments of a tool about one record with its resource and its id alone, where the id names both. */
export const splitRecordId = async (call: EndpointCall, given: Members): Promise<Members> => {
  const ref = toReference(given['id']);
  const resource = given['resource'] ?? ref?.resource;
  if (ref === null || typeof resource !== 'string') return given;
  return { ...given, resource, id: await readRecordId(call, { resource, given: given['id'], path: 'id' }) };
};
