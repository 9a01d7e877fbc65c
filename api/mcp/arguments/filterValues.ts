/** Times in filters of records, as models write them, as milliseconds: of fields that are declared to be times. Used by tools/records.ts. */
import type { FaultDetail } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { invalidFault } from '../../../shared/platform/core/validate.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { timeFieldsOf } from '../answers/declaredTimes.ts';
import { isTextOrNumber, toObject } from './coerce.ts';
import { parseTime } from './times.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the arguments with the times of `filters` as milliseconds; durations count back from `now`. Throws `400 invalid` for texts that are none. */
export const readFilterTimes = ({ caller }: EndpointCall, given: Members, now: number): Members => {
  const filters = toObject(given['filters']);
  const times = timeFieldsOf(caller.env.definition, given['resource']);
  if (!isObject(filters) || times.length === 0 || !caller.principal.access.sees('resource', String(given['resource'])))
    return given;
  const problems: FaultDetail[] = [];
  const read = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((one, n) => read(one, `${path}.${String(n)}`));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([op, one]) => [op, read(one, `${path}.${op}`)]));
    if (!isTextOrNumber(value)) return value;
    const parsed = parseTime(value, now, true);
    if ('at' in parsed) return parsed.at;
    problems.push({ path, message: parsed.problem });
    return value;
  };
  const found = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      times.includes(name) ? read(value, `filters.${name}`) : value,
    ]),
  );
  if (problems.length > 0) throw invalidFault(problems);
  return { ...given, filters: found };
};
