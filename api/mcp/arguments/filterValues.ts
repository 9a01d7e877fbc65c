/** Values in filters of records, as models write them, as their fields are declared: times as milliseconds, numbers, true and false. Used by tools/records.ts. */
import type { FaultDetail } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { invalidFault } from '../../../shared/platform/core/validate.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { isTextOrNumber, toBoolean, toNumber, toObject } from './coerce.ts';
import { parseTime } from './times.ts';

type Members = Readonly<Record<string, unknown>>;

type ReadValue = (value: unknown, path: string) => unknown;

const readers = (now: number, problems: FaultDetail[]): ReadonlyMap<string | undefined, ReadValue> => {
  const readTime: ReadValue = (value, path) => {
    if (!isTextOrNumber(value)) return value;
    const parsed = parseTime(value, now, true);
    if ('at' in parsed) return parsed.at;
    problems.push({ path, message: parsed.problem });
    return value;
  };
  return new Map<string, ReadValue>([
    ['time', readTime],
    ['number', toNumber],
    ['money', toNumber],
    ['boolean', toBoolean],
  ]);
};

/** Returns the arguments with the values of `filters` as the fields take them; durations count back from `now`. Throws `400 invalid` for texts that are no times. */
export const readFilterValues = ({ caller }: EndpointCall, given: Members, now: number): Members => {
  const filters = toObject(given['filters']);
  const resource = caller.env.definition.resources.get(String(given['resource']));
  if (!isObject(filters) || resource === undefined || !caller.principal.access.sees('resource', resource.name))
    return given;
  const problems: FaultDetail[] = [];
  const byType = readers(now, problems);
  const read = (readOne: ReadValue, value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((one, n) => read(readOne, one, `${path}.${String(n)}`));
    if (!isObject(value)) return readOne(value, path);
    return Object.fromEntries(
      Object.entries(value).map(([op, one]) => [op, read(op === 'exists' ? toBoolean : readOne, one, `${path}.${op}`)]),
    );
  };
  const found = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => {
      const type = resource.fields?.find((field) => field.name === name)?.type;
      return [name, read(byType.get(type) ?? ((one) => one), value, `filters.${name}`)];
    }),
  );
  if (problems.length > 0) throw invalidFault(problems);
  return { ...given, filters: found };
};
