/** Decides how an item is created, or how an occurrence is added to the item with the same key. For perform/create.ts. */
import { fault, invalidAt, type FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import { countKeys } from '../../platform/core/jsonLimits.ts';
import { unknownNameMessage } from '../../platform/core/nearestNames.ts';
import { nameSchema, strictObject, tagSchema, textSchema, Type, type Static } from '../../platform/core/schema.ts';
import { compileCheck, invalidFault } from '../../platform/core/validate.ts';
import { addOccurrences, type OccurrenceBatch, type ReportedOccurrence } from '../addOccurrences.ts';
import type { Item, ItemRecord } from '../model.ts';
import type { DecisionContext, EntryDraft, ItemDecision } from '../operation.ts';
import { recordReference } from '../recordReference.ts';
import { withState } from '../states.ts';
import { sortedTags } from '../tags.ts';

export const createInput = strictObject({
  inbox: nameSchema('Its inbox.'),
  title: textSchema(limits.titleMax, 'What people read in the list.'),
  data: Type.Optional(Type.Object({}, { description: 'Its fields, as the inbox declares them.' })),
  record: Type.Optional(recordReference('The record it is about.')),
  links: Type.Optional(
    Type.Array(recordReference('A record.'), {
      maxItems: limits.linksPerItem,
      description: 'Further records that it is about.',
    }),
  ),
  tags: Type.Optional(Type.Array(tagSchema, { maxItems: limits.tagsPerItem, description: 'Its tags.' })),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Reports with one key are one item with occurrences.',
    }),
  ),
  user: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Who was affected; distinct ones are counted.' }),
  ),
});

export type CreateInput = Static<typeof createInput>;

const checkCreateBody = compileCheck(createInput);

/** Throws `invalid` for more data than an item may have. */
export const requireDataLimits = (data: object): void => {
  if (Buffer.byteLength(JSON.stringify(data)) > limits.dataBytes)
    throw invalidAt('data', `must be at most ${String(limits.dataBytes / 1024)} KiB`);
  if (countKeys(data, limits.dataKeys) > limits.dataKeys)
    throw invalidAt('data', `must have at most ${String(limits.dataKeys)} keys`);
};

/** Returns the checked body of a new item. Throws `invalid`; `requireFitsInbox` checks the rest, for which the inbox is needed. */
export const parseCreateInput = (body: unknown): CreateInput => {
  const input = checkCreateBody(body);
  requireDataLimits(input.data ?? {});
  return input;
};

/** Returns the occurrence of a request that happens now. */
export const toOccurrence = ({ title, data = {}, user }: CreateInput, at: number): ReportedOccurrence => ({
  at,
  title,
  data: JSON.stringify(data),
  user: user ?? null,
});

/** Returns the affected users of a batch, each once. */
export const affectedUsers = (happened: OccurrenceBatch): string[] => [
  ...new Set(happened.flatMap(({ user }) => (user === null ? [] : [user]))),
];

/** Facts from the database: the record's title, and those of the users whom the item has not counted yet. */
export interface CreateFacts {
  readonly recordTitle: string | null;
  readonly newUsers: readonly string[];
}

/** A request for a new item, or for occurrences of the existing item with its key. */
interface CreateContext {
  readonly existing: Item | null;
  readonly inbox: InboxDefinition;
  readonly input: CreateInput;
  readonly happened: OccurrenceBatch;
  readonly facts: CreateFacts;
}

const hasTriage = ({ triage }: InboxDefinition): boolean =>
  triage !== null && triage !== undefined && ((triage.rules ?? []).length > 0 || triage.app === true);

const newItemEffect = ({ inbox, input, happened, facts }: CreateContext, moment: DecisionContext): ItemDecision => {
  const { at, newId } = moment;
  const record: ItemRecord | null = input.record === undefined ? null : { ...input.record, title: facts.recordTitle };
  const isClosed = inbox.isClosed(inbox.initial);
  const users = affectedUsers(happened);
  const item: Item = {
    id: newId('itm'),
    inbox: inbox.name,
    title: happened[0].title,
    state: inbox.initial,
    closed: isClosed,
    record,
    links: input.links ?? [],
    tags: sortedTags(input.tags ?? []),
    assignee: null,
    occurrences: 0,
    users: users.length,
    firstSeen: happened[0].at,
    lastSeen: happened[0].at,
    dueAt: inbox.responseTime === null || isClosed ? null : at + inbox.responseTime,
    fields: happened[0].data,
    snoozedUntil: null,
    triaged: false,
    triage: null,
    key: input.key ?? null,
    occurredEntry: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  const added = addOccurrences(item, inbox, happened, moment);
  return {
    item: added.item,
    entries: [{ type: 'created', data: {} }, ...added.entries],
    users,
    occurrences: added.occurrences,
    jobs: hasTriage(inbox)
      ? [{ id: newId('job'), name: 'triageItem', payload: { item: item.id }, subject: item.id, dueAt: at }]
      : [],
  };
};

/** Returns the effect of further occurrences: the item reopened and woken as its inbox declares, with a deadline if it has none and is not closed. */
const occurrenceEffect = (
  item: Item,
  { inbox, happened, facts }: CreateContext,
  moment: DecisionContext,
): ItemDecision => {
  const { at } = moment;
  const kind = inbox.stateOf(item.state)?.kind;
  const reopens =
    kind !== undefined &&
    inbox.onOccurrence.reopen.includes(kind) &&
    !item.triaged &&
    item.state !== inbox.initial &&
    !inbox.retired;
  const wakes = inbox.onOccurrence.wake && item.snoozedUntil !== null;
  const added = addOccurrences(item, inbox, happened, moment);
  const moved = reopens ? withState(added.item, inbox, inbox.initial, at) : added.item;
  const entries: EntryDraft[] = [...added.entries];
  if (reopens) entries.push({ type: 'state', data: { from: item.state, to: inbox.initial } });
  if (wakes) entries.push({ type: 'woken', data: { from: item.snoozedUntil } });
  return {
    item: {
      ...moved,
      users: item.users + facts.newUsers.length,
      dueAt: moved.dueAt ?? (moved.closed || inbox.responseTime === null ? null : at + inbox.responseTime),
      snoozedUntil: wakes ? null : moved.snoozedUntil,
    },
    entries,
    users: facts.newUsers,
    occurrences: added.occurrences,
  };
};

/** Throws `invalid` for data that doesn't fit the inbox's declaration, and for records of resources that the caller can't see. */
export const requireFitsInbox = (
  inbox: InboxDefinition,
  input: CreateInput,
  resources: ReadonlyMap<string, unknown>,
  sees: (resource: string) => boolean,
): void => {
  const problem = (resource: string, path: string): FaultDetail[] =>
    resources.has(resource) && sees(resource)
      ? []
      : [{ path, message: unknownNameMessage(resource, [...resources.keys()].filter(sees)) }];
  const details = [
    ...inbox
      .dataProblems(input.data ?? {}, 'data.')
      .map(({ path, message }) => ({ path: path === 'data.' ? 'data' : path, message })),
    ...(input.record === undefined ? [] : problem(input.record.resource, 'record.resource')),
    ...(input.links ?? []).flatMap((link, i) => problem(link.resource, `links.${String(i)}.resource`)),
  ];
  if (details.length > 0) throw invalidFault(details);
};

/** Decides on input that has passed `requireFitsInbox`: a new item, or occurrences of the existing one. */
export const decideCreate = (creating: CreateContext, moment: DecisionContext): ItemDecision => {
  const { existing, inbox } = creating;
  if (inbox.retired) return fault('conflict', `The inbox ${inbox.name} is not in use any more.`);
  return existing === null ? newItemEffect(creating, moment) : occurrenceEffect(existing, creating, moment);
};
