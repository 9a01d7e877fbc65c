/** Why filters by values of fields find nothing: values that nothing has, or that are written otherwise. Used by hints.ts. */
import type { InboxDefinition } from '../../shared/app/manifest/definition.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { inboxesOf, resolveItemList } from '../../shared/items/filters/filters.ts';
import { summarizeItems } from '../../shared/items/list/summary.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { didYouMean, misspelled } from '../../shared/platform/words/nearestNames.ts';
import { listRecords } from '../../shared/records/read.ts';
import type { EndpointCall } from '../endpoint.ts';
import { type Members, objectsIn } from './answers/members.ts';
import { toList, toObject } from './arguments/coerce.ts';

/** Milliseconds that looking for the values of a field may take. */
const lookMs = 100;

/** Values of a field, and whether there may be others. */
interface KnownValues {
  readonly values: readonly string[];
  readonly isPartial: boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns the values that the inboxes declare for a field; null where one of them takes others too. */
const declaredValues = (inboxes: readonly InboxDefinition[], field: string): string[] | null => {
  const schemas = inboxes.flatMap(({ fields }) => {
    const { properties } = fields as { readonly properties?: unknown };
    return isObject(properties) && Object.hasOwn(properties, field) ? [properties[field]] : [];
  });
  const values = schemas.map((schema) => (isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : null));
  return values.some((each) => each === null)
    ? null
    : values.flatMap((each) => (each ?? []).filter((value) => value !== null).map(String));
};

/** Returns the values that items have in a field, by its summary. */
const foundValues = async (
  { deps, caller }: EndpointCall,
  inbox: string | undefined,
  field: string,
): Promise<KnownValues> => {
  const { request } = await resolveItemList(deps.db, caller, inbox === undefined ? {} : { inbox }, deps.clock.now());
  if (request === null) return { values: [], isPartial: false };
  const found = await summarizeItems(deps.db, request, {
    by: 'field',
    field,
    resources: [],
    limit: limits.pageDefault,
    readMs: lookMs,
  });
  return { values: found.groups.flatMap(({ key }) => key ?? []), isPartial: found.sampled || found.more > 0 };
};

/** So many values of a field are told; of more, only one that was probably meant. */
const toldMost = 20;
/** Longer values are texts of people, which no hint repeats. */
const toldLength = 30;

/** Returns the sentence about a value that is not among those of a field; `subject`: what does not have it. */
const unknownValue = (
  subject: string,
  [field, value]: readonly [string, string],
  values: readonly string[],
): string => {
  const short = [...new Set(values)].filter((one) => one.length <= toldLength);
  const meant = short.length > toldMost ? misspelled(value, short) : null;
  const known = short.length <= toldMost ? short : meant === null ? [] : [meant];
  return `${subject} has the ${field} ${JSON.stringify(value.slice(0, limits.fieldFilterMax))}; values are compared as they are written${didYouMean(value, known)}`;
};

/** Returns which value of `where` no item has, of a list that is empty, and which was probably meant; or null. */
export const whereHint = async (from: EndpointCall, { inbox, where }: Members): Promise<string | null> => {
  const asked = toObject(where);
  if (!isObject(asked)) return null;
  const named = isText(inbox) ? inbox : undefined;
  for (const [field, given] of Object.entries(asked)) {
    const value = String(given);
    const declared = declaredValues(inboxesOf(from.caller, named), field);
    const { values, isPartial } =
      declared === null ? await foundValues(from, named, field) : { values: declared, isPartial: false };
    if (values.includes(value)) continue;
    return unknownValue(isPartial ? 'No item that was looked at' : 'No item there', [field, value], values);
  }
  return null;
};

/** Returns the texts that a filter compares for being the same. */
const comparedTexts = (filter: unknown): string[] => {
  const values = isObject(filter) ? [filter['eq'], ...toList(filter['in'] ?? [])] : toList(filter);
  return values.filter(isText);
};

/** Returns which value of `filters` no record has, of a first page that is empty, and which was probably meant; or null. */
export const filtersHint = async (
  { deps, caller }: EndpointCall,
  { resource: name, filters, cursor }: Members,
  body: Members,
): Promise<string | null> => {
  const asked = toObject(filters);
  const resource = isText(name) ? caller.env.definition.resources.get(name) : undefined;
  if (!isObject(asked) || resource === undefined || cursor !== undefined) return null;
  if (!Array.isArray(body['records']) || body['records'].length > 0) return null;
  const texts = Object.entries(asked).flatMap(([field, filter]) =>
    resource.fields?.find((one) => one.name === field)?.type === 'time'
      ? []
      : comparedTexts(filter).map((value): [string, string] => [field, value]),
  );
  if (texts.length === 0) return null;
  // The app is not asked for what only a hint would say.
  if (resource.source === 'app') return 'Values are compared as they are written, upper and lower case too.';
  const { records, cursor: next } = await listRecords(deps, caller, resource.name, {});
  const subject = next === null ? `No ${resource.name}` : `No ${resource.name} that was looked at`;
  for (const [field, value] of texts) {
    const values = objectsIn(records).flatMap(({ fields }) => (isObject(fields) ? fields[field] : null));
    const known = values.filter(isText);
    if (!known.includes(value)) return unknownValue(subject, [field, value], known);
  }
  return null;
};
