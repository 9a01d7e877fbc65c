/** Times that the app has declared, in fields of records and in blocks, as ISO 8601 for models. Used by present.ts. */
import type { Definition } from '../../../shared/environments/definition.ts';
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { objectsIn, type Members } from './members.ts';
import { declaredTime } from './times.ts';

type Resources = Pick<Definition, 'resources'>;

/** Returns the names of the fields of a resource whose values are times. */
const timeFieldsOf = ({ resources }: Resources, resource: unknown): string[] =>
  (typeof resource === 'string' ? (resources.get(resource)?.fields ?? []) : [])
    .filter(({ type }) => type === 'time')
    .map(({ name }) => name);

const withTimesOf = (members: Members, names: readonly string[], isExact: boolean): Members =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, names.includes(name) ? declaredTime(value, isExact) : value]),
  );

/** Returns a fields block, or a table, with the values that it declares to be times as texts. */
const withBlockTimes = (block: Members, isExact: boolean): Members => {
  const { fields, columns, rows } = block;
  const columnNames = objectsIn(columns)
    .filter(({ type }) => type === 'time')
    .map(({ name }) => String(name));
  return {
    ...block,
    ...(Array.isArray(fields)
      ? {
          fields: objectsIn(fields).map((field) =>
            field['type'] === 'time' ? withTimesOf(field, ['value'], isExact) : field,
          ),
        }
      : {}),
    ...(columnNames.length > 0 ? { rows: objectsIn(rows).map((row) => withTimesOf(row, columnNames, isExact)) } : {}),
  };
};

/** Returns the value with the times that the app has declared as texts, at any depth. */
export const withDeclaredTimes = (definition: Resources, value: unknown, isExact: boolean): unknown => {
  if (Array.isArray(value)) return value.map((element) => withDeclaredTimes(definition, element, isExact));
  if (!isObject(value)) return value;
  const { resource, fields, type } = value;
  const times = isObject(fields) ? timeFieldsOf(definition, resource) : [];
  if (times.length > 0 && isObject(fields)) return { ...value, fields: withTimesOf(fields, times, isExact) };
  const whole = type === 'fields' || type === 'table' ? withBlockTimes(value, isExact) : value;
  return Object.fromEntries(
    Object.entries(whole).map(([name, member]) => [name, withDeclaredTimes(definition, member, isExact)]),
  );
};
