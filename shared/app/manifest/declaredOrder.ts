/**
 * Puts the members of objects into the order of their declaration, which `jsonb` columns do not keep. Used by everything that
 * presents records, items, runs and approvals.
 */
import { getOrCreate } from '../../platform/caches.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { declaredMembers } from '../../platform/json/jsonSchemaProblems.ts';
import type { Definition } from './definition.ts';
import type { ManifestResource } from './manifest.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the SQL of a column of `definitions` in the declared order; `d` is the alias of the table. */
export const inOrderSql = (column: 'manifest' | 'definition'): string =>
  `case when d.${column}_in_order::jsonb = d.${column} then d.${column}_in_order else d.${column}::json end as ${column}`;

/** Returns the object with the members of `names` first, in their order. */
const withFirst = (names: readonly string[], given: Members): Members => ({
  ...Object.fromEntries(names.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : []))),
  ...given,
});

const membersBySchema = new WeakMap<object, readonly string[]>();

/** Returns a value with the members of its objects in the order in which a JSON Schema declares them, before all others. */
const orderBySchema = (schema: unknown, value: unknown): unknown => {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((one) => orderBySchema(items, one)) : value;
  }
  if (!isObject(value)) return value;
  const names = getOrCreate(membersBySchema, schema, () => declaredMembers(schema));
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(withFirst(names, value)).map(([name, one]) => [
      name,
      Object.hasOwn(properties, name) ? orderBySchema(properties[name], one) : one,
    ]),
  );
};

const namesByResource = new WeakMap<ManifestResource, readonly string[]>();

/** Returns the fields of a record in the order in which its resource declares them. */
const orderFields = <F extends Members>(resource: ManifestResource | undefined, fields: F): F => {
  if (resource === undefined) return fields;
  const names = getOrCreate(namesByResource, resource, () => (resource.fields ?? []).map(({ name }) => name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members in another order
  return withFirst(names, fields) as F;
};

/** Returns a record with its fields in the order in which its resource declares them. */
export const orderRecord = <R extends { readonly resource: string; readonly fields: Members }>(
  { resources }: Pick<Definition, 'resources'>,
  record: R,
): R => ({ ...record, fields: orderFields(resources.get(record.resource), record.fields) });

/** Returns the members of an object in the order in which a JSON Schema declares them, before all others. */
export const orderMembers = <M extends object>(schema: object, members: M): M =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members in another order
  orderBySchema(schema, members) as M;

/** Returns the input of an action in the order in which the action declares it. */
export const orderInput = <I>({ actions }: Pick<Definition, 'actions'>, action: string | null, input: I): I =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members in another order
  orderBySchema(actions.get(action ?? '')?.input, input) as I;

/** Returns a run with its input in the declared order. */
export const orderRun = <R extends Members & { readonly action: string }>(definition: Definition, run: R): R => ({
  ...run,
  input: orderInput(definition, run.action, run['input']),
});

/** Returns an item or a record with its fields in the declared order, and everything else as it is. */
const orderTarget = ({ inboxes, resources }: Definition, target: unknown): unknown => {
  if (!isObject(target) || !isObject(target['fields'])) return target;
  const { fields, inbox, resource } = target;
  const ordered =
    typeof inbox === 'string'
      ? orderBySchema(inboxes.get(inbox)?.fields, fields)
      : orderFields(resources.get(String(resource)), fields);
  return { ...target, fields: ordered };
};

const orderOperation = ({ inboxes, actions }: Definition, action: unknown, operation: unknown): unknown => {
  if (!isObject(operation)) return operation;
  const { input, data, inbox } = operation;
  return {
    ...operation,
    ...(input === undefined ? {} : { input: orderInput({ actions }, String(action), input) }),
    ...(data === undefined ? {} : { data: orderBySchema(inboxes.get(String(inbox))?.fields, data) }),
  };
};

/** Orders what was asked for, and what was decided: an input, an operation or a change. */
const orderAsked = (definition: Definition, action: string | null, asked: unknown): unknown => {
  if (!isObject(asked)) return asked;
  const { input, operation } = asked;
  return {
    ...asked,
    ...(input === undefined ? {} : { input: orderInput(definition, action, input) }),
    ...(operation === undefined ? {} : { operation: orderOperation(definition, action, operation) }),
  };
};

/** Returns an approval with its input, its operation and its target in the declared order. */
export const orderApproval = <A extends Members & { readonly action: string | null }>(
  definition: Definition,
  approval: A,
): A => ({
  ...approval,
  input: orderInput(definition, approval.action, approval['input']),
  operation: orderOperation(definition, approval.action, approval['operation']),
  asked: orderAsked(definition, approval.action, approval['asked']),
  decided: orderAsked(definition, approval.action, approval['decided']),
  before: orderTarget(definition, approval['before']),
  now: orderTarget(definition, approval['now']),
  after: orderTarget(definition, approval['after']),
});
