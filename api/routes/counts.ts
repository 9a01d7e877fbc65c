/** The endpoints that count: the items of each inbox and the approvals that wait, and the tags. */
import { countApprovals, readPendingApprovals } from '../../shared/approvals/counts.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { readPresentCounts, toInboxCounts } from '../../shared/items/counts.ts';
import { inboxesOf, visibleInboxes } from '../../shared/items/filters/filters.ts';
import { readTags } from '../../shared/items/tags.ts';
import { nameSchema, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const count = (description: string) => Type.Integer({ description });

export const inboxCounts = responseObject({
  total: count('All items that there ever were.'),
  open: count('Of kind open'),
  waiting: count('Of kind waiting'),
  closed: count('Of kind closed'),
  byState: Type.Record(Type.String(), Type.Integer(), { description: 'byState' }),
  unassigned: count('assignee=none'),
  unclaimed: count('claimed=none'),
  overdue: count('overdue=1'),
  snoozed: count('snoozed=1'),
  triaged: count('triaged=1'),
  active: responseObject(
    {
      total: count('Total.'),
      unassigned: count('Those that nobody has.'),
      overdue: count('Those past their deadline.'),
    },
    { description: 'What is work now: neither closed nor snoozed.' },
  ),
});

const counts = readEndpoint({
  path: '/counts',
  name: 'count.get',
  summary: 'How many items there are in each inbox, how many of them are work now, and how many approvals wait',
  tag: 'Items',
  query: strictObject({}),
  responses: {
    200: responseObject({
      inboxes: Type.Record(Type.String(), inboxCounts, { description: 'The inboxes that you see, by name.' }),
      approvals: responseObject(
        {
          pending: count('Pending approvals that you see, without questions.'),
          questions: count('Questions of agents that wait and that you see.'),
          decidable: count('Those that you may decide.'),
        },
        { description: 'What waits for a person.' },
      ),
      at: count('When the counts were exact (milliseconds since 1970 UTC); overdue: up to 1 s older.'),
    }),
  },
  example: {},
  handle: async ({ deps: { db, clock }, caller }) => {
    const now = clock.now();
    const [{ at, inboxes }, pending] = await Promise.all([
      readPresentCounts(db, caller.env.id, now),
      readPendingApprovals(db, caller.env.id, now),
    ]);
    const visible = new Map(
      visibleInboxes(caller).map((inbox) => [inbox.name, toInboxCounts(inbox, inboxes.get(inbox.name) ?? {})]),
    );
    return {
      status: 200,
      body: { inboxes: Object.fromEntries(visible), approvals: countApprovals(pending, caller.principal), at },
    };
  },
});

const tags = readEndpoint({
  path: '/tags',
  standby: true,
  name: 'tag.list',
  summary: 'The most frequent tags of the inboxes that you see',
  tag: 'Items',
  query: strictObject({
    inbox: Type.Optional(nameSchema('Only this inbox.')),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.tagMax, description: 'The beginning of a word of the tag.' }),
    ),
  }),
  responses: {
    200: responseObject({
      tags: Type.Array(
        responseObject({ tag: Type.String({ description: 'The tag.' }), count: count('Items that have it.') }),
        { description: `The most frequent first, ${String(limits.tagsShown)} at most.` },
      ),
      incomplete: Type.Optional(
        Type.Array(Type.Literal('tags'), { description: 'There where rarer tags were not compared with q.' }),
      ),
    }),
  },
  example: { query: { inbox: 'support' } },
  handle: async ({ deps: { db }, caller, query: { inbox, q } }) => {
    const inboxes = inboxesOf(caller, inbox).map(({ name }) => name);
    const { tags: found, isCut } = await readTags(db, caller.env.id, inboxes, q);
    return { status: 200, body: { tags: found, ...(isCut ? { incomplete: ['tags'] } : {}) } };
  },
});

export const countEndpoints: readonly Endpoint[] = [counts, tags];
