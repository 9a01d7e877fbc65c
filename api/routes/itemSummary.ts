/** The endpoint that groups items by one of their members. */
import { readPeopleNames } from '../../shared/accounts/settings/people.ts';
import { itemListQuery } from '../../shared/app/manifest/itemQuery.ts';
import { invalidAt } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { declaredFieldNames } from '../../shared/items/filters/contentFilter.ts';
import { inboxesOf, resolveItemList, visibleInboxes } from '../../shared/items/filters/filters.ts';
import { summaryKeys, type SummaryKey } from '../../shared/items/list/groups.ts';
import { summarizeItems, type ItemGroup } from '../../shared/items/list/summary.ts';
import { nullable, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { listNearest } from '../../shared/platform/words/nearestNames.ts';
import { readEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';

const { cursor: _cursor, limit: _limit, count: _count, sort: _sort, ...filters } = itemListQuery.properties;

const fieldPrefix = 'fields.';
/** The end of `by` that groups by the day too. */
const andDay = ',day';

interface Grouping {
  readonly by: SummaryKey;
  readonly field: string | null;
}

/** Returns what `by` names. Throws `invalid` for anything else, and for a field that no visible inbox declares: with the names of `inbox`, where it is given. */
const parseOne = ({ caller }: Pick<EndpointCall, 'caller'>, given: string, inbox: string | undefined): Grouping => {
  const by = summaryKeys.find((key) => key === given);
  if (by !== undefined) return { by, field: null };
  if (!given.startsWith(fieldPrefix))
    throw invalidAt('by', `must be ${summaryKeys.join(', ')} or ${fieldPrefix}<name>`);
  const field = given.slice(fieldPrefix.length);
  if (!declaredFieldNames(visibleInboxes(caller)).includes(field)) {
    const known = declaredFieldNames(inboxesOf(caller, inbox)).map((name) => fieldPrefix + name);
    throw invalidAt(
      'by',
      known.length === 0 ? 'is no field of the items that you see' : `must be among ${listNearest(given, known)}`,
    );
  }
  return { by: 'field', field };
};

/** Returns what `by` names, which may end in `,day`. Throws `invalid` for anything else. */
const parseBy = (call: Pick<EndpointCall, 'caller'>, given: string, inbox: string | undefined): Grouping => {
  const first = given.endsWith(andDay) ? given.slice(0, -andDay.length) : given;
  const { by, field } = parseOne(call, first, inbox);
  if (first === given) return { by, field };
  if (by === 'day' || by.includes('+')) throw invalidAt('by', 'must name something else beside the day');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key without a day
  return { by: `${by}+day` as SummaryKey, field };
};

/** Returns what people read of a group: labels of inboxes, names of people, titles of records. */
const labelOf = ({ caller }: Pick<EndpointCall, 'caller'>, by: SummaryKey, people: ReadonlyMap<string, string>) => {
  const inboxes = visibleInboxes(caller);
  return ({ key, recordTitle }: ItemGroup): string | null => {
    if (key === null) return null;
    if (by.startsWith('inbox')) return inboxes.find(({ name }) => name === key)?.label ?? key;
    if (by.startsWith('assignee')) return people.get(key) ?? null;
    return recordTitle ?? key;
  };
};

const count = (description: string) => Type.Integer({ description });

const group = responseObject({
  key: nullable(
    Type.String({
      description: 'What they share; null: none that you see.',
    }),
  ),
  day: Type.Optional(Type.String({ description: 'The day (UTC), where it is grouped by day too.' })),
  label: nullable(Type.String({ description: 'Label.' })),
  count: count('Items.'),
  occurrences: count('Reports.'),
  unassigned: count('Unassigned.'),
  overdue: count('Past their deadline.'),
  oldest: count('The first report (milliseconds since 1970 UTC).'),
  newest: count('The last report (milliseconds since 1970 UTC).'),
  example: responseObject(
    {
      id: Type.String({ description: 'Id.' }),
      title: Type.String({ description: 'Its title.' }),
    },
    { description: 'The newest.' },
  ),
});

const summary = readEndpoint({
  path: '/items/summary',
  standby: true,
  name: 'item.summary',
  summary: 'Items in groups, the largest first',
  tag: 'Items',
  query: strictObject({
    ...filters,
    by: Type.String({
      minLength: 1,
      maxLength: 200,
      description: `Group by ${summaryKeys.join(', ')} or ${fieldPrefix}<name>; with ,day behind it by both.`,
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.summaryGroups, description: 'Groups; 50 when absent.' }),
    ),
  }),
  responses: {
    200: responseObject({
      groups: Type.Array(group, { description: 'One group for each tag of an item.' }),
      more: count('Smaller ones.'),
      total: count('Items that match.'),
      sampled: Type.Boolean({ description: 'true: estimates.' }),
      of: count('Items that were read.'),
    }),
  },
  example: { query: { inbox: 'support', by: 'tag', limit: 10 } },
  handle: async (call) => {
    const { deps, caller, query } = call;
    const { by: given, limit = limits.pageDefault, ...filtered } = query;
    const grouping = parseBy(call, given, filtered.inbox);
    const { request } = await resolveItemList(deps.db, caller, filtered, deps.clock.now());
    if (request === null) return { status: 200, body: { groups: [], more: 0, total: 0, sampled: false, of: 0 } };
    const { access } = caller.principal;
    const resources = [...caller.env.definition.resources.keys()].filter((name) => access.sees('resource', name));
    const found = await summarizeItems(deps.db, request, { ...grouping, resources, limit });
    const isOfPeople = grouping.by.startsWith('assignee');
    const people = isOfPeople ? found.groups.flatMap(({ key }) => (key === null ? [] : [key])) : [];
    const label = labelOf(call, grouping.by, isOfPeople ? await readPeopleNames(deps.db, people) : new Map());
    const groups = found.groups.map((one) => {
      const { key, day, recordTitle: _recordTitle, exampleId, exampleTitle, ...rest } = one;
      return {
        key,
        ...(day === undefined ? {} : { day }),
        label: label(one),
        ...rest,
        example: { id: exampleId, title: exampleTitle },
      };
    });
    return { status: 200, body: { ...found, groups } };
  },
});

export const itemSummaryEndpoints: readonly Endpoint[] = [summary];
