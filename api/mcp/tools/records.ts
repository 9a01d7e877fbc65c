/** The rows of the tools for records and pages. */
import type { FaultDetail } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { invalidFault } from '../../../shared/platform/json/validate.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { isTextOrNumber, toBoolean, toNumber, toObject } from '../arguments/coerce.ts';
import { splitRecordId } from '../arguments/recordRefs.ts';
import { parseTime } from '../arguments/times.ts';
import { getEndpoint } from '../endpoints.ts';
import { canSeeAny, noCaller } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

/**
 * Values in filters of records, as models write them, as their fields are declared: times as milliseconds, numbers, true and
 * false.
 */
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
const readFilterValues = ({ caller }: EndpointCall, given: Members, now: number): Members => {
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

export const recordTools: readonly Tool[] = [
  createTool({
    name: 'list_resources',
    endpoint: getEndpoint('resource.list'),
    isListed: canSeeAny('resource'),
    description: 'Kinds of records: fields (to filter, sort, search by) and relations.',
  }),
  createTool({
    name: 'search_records',
    endpoint: getEndpoint('record.search'),
    isListed: noCaller,
    say: { q: 'Words, or the beginning of an id.' },
    canLookAhead: () => false,
    description: 'The records of a resource that fit best, at most 50.',
  }),
  createTool({
    name: 'list_records',
    endpoint: getEndpoint('record.list'),
    isListed: canSeeAny('resource'),
    objects: ['filters'],
    prepare: readFilterValues,
    say: {
      q: '',
      filters:
        '{ field: value }, { field: [any, of] } or { field: { gte: 5 } }: eq ne in nin lt lte gt gte contains startsWith exists; ISO times.',
      sort: 'A field; -field: descending.',
    },
    canLookAhead: ({ env }, { resource }) => env.definition.resources.get(String(resource))?.source === 'stored',
    description: 'Records of a resource, filtered and sorted.',
  }),
  createTool({
    name: 'get_record',
    endpoint: getEndpoint('record.get'),
    isListed: canSeeAny('resource'),
    prepare: splitRecordId,
    say: { historyCursor: '' },
    description: 'One record: fields, blocks, newest items, what was done, actions that apply.',
  }),
  createTool({
    name: 'get_related_records',
    endpoint: getEndpoint('record.related'),
    isListed: canSeeAny('resource'),
    prepare: splitRecordId,
    canLookAhead: () => false,
    description: 'The records of a relation, such as the orders of a customer.',
  }),
  createTool({
    name: 'list_pages',
    endpoint: getEndpoint('page.list'),
    isListed: canSeeAny('page'),
    description: 'The pages that the app declares, and their parameters.',
  }),
  createTool({
    name: 'get_page',
    endpoint: getEndpoint('page.get'),
    isListed: canSeeAny('page'),
    objects: ['params'],
    say: { params: 'Texts by name.' },
    description: 'A page with live data: numbers, tables, items, records.',
  }),
];
