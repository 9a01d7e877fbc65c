/** Decides how an item is created, or how an occurrence is added to the item with the same key. For perform/create.ts. */
import type { ItemRecord } from '../../app/items/columns.ts';
import { usualValues } from '../../app/items/members.ts';
import { orderMembers } from '../../app/manifest/declaredOrder.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { fault, invalidAt, type FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { countKeys } from '../../platform/json/jsonLimits.ts';
import { nameSchema, strictObject, tagSchema, Type, visibleSchema, type Static } from '../../platform/json/schema.ts';
import { compileCheck, invalidFault } from '../../platform/json/validate.ts';
import { unknownNameMessage } from '../../platform/words/nearestNames.ts';
import { isLongerThan, cleanText } from '../../platform/words/texts.ts';
import { withState, firstPriority } from '../inboxRules.ts';
import { recordReference } from '../links.ts';
import type { Item } from '../model.ts';
import type { DecisionContext, EntryDraft, ItemDecision } from '../operation.ts';
import { requireSeenTags, sortedTags } from '../tags.ts';
import { addOccurrences, type OccurrenceBatch, type ReportedOccurrence } from './addOccurrences.ts';

export const createInput = strictObject({
  inbox: nameSchema('Its inbox.'),
  title: visibleSchema(limits.titleMax, 'What people read in the list.'),
  data: Type.Optional(Type.Object({}, { description: 'Its fields, as the inbox declares them.' })),
  record: Type.Optional(
    strictObject(
      {
        ...recordReference('').properties,
        title: Type.Optional(visibleSchema(limits.titleMax, 'What people read; from the app alone.')),
      },
      { description: 'The record it is about.' },
    ),
  ),
  links: Type.Optional(
    Type.Array(recordReference('A record.'), {
      maxItems: limits.linksPerItem,
      description: 'Further records that it is about.',
    }),
  ),
  tags: Type.Optional(Type.Array(tagSchema, { maxItems: limits.tagsPerItem, description: 'Its tags.' })),
  key: Type.Optional(visibleSchema(500, 'Reports with one key are one item with occurrences.')),
  user: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Who was affected; distinct ones are counted.' }),
  ),
});

export type CreateInput = Static<typeof createInput>;

const checkCreateBody = compileCheck(createInput);

/** Throws `invalid` for more data than an item may have. */
export const requireDataLimits = (data: object): void => {
  if (countKeys(data, limits.dataKeys) > limits.dataKeys)
    throw invalidAt('data', `must have at most ${String(limits.dataKeys)} keys`);
  if (Buffer.byteLength(JSON.stringify(data)) > limits.dataBytes)
    throw invalidAt('data', `must be at most ${String(limits.dataBytes / 1024)} KiB`);
};

/** Returns the input with title and key as they are stored. Throws `invalid` for one of which nothing is seen, or that has become too long. */
export const cleanCreateInput = <I extends CreateInput>(input: I): I => {
  requireSeenTags(input.tags ?? [], 'tags');
  const cleaned = { ...input, title: cleanText(input.title) };
  if (input.key !== undefined) cleaned.key = cleanText(input.key);
  for (const [path, text] of Object.entries({ title: cleaned.title, key: cleaned.key }))
    if (text !== undefined && (cleanText(text) === '' || isLongerThan(text, limits.titleMax)))
      throw invalidAt(
        path,
        cleanText(text) === '' ? 'must have a character that is seen' : 'is too long in its composed form (NFC)',
      );
  return cleaned;
};

/** Returns the checked body of a new item. Throws `invalid`; `requireFitsInbox` checks the rest, for which the inbox is needed. */
export const parseCreateInput = (body: unknown): CreateInput => {
  const input = checkCreateBody(body);
  requireDataLimits(input.data ?? {});
  return cleanCreateInput(input);
};

/** Returns the occurrence of a request, with its data in the order in which the inbox declares it. */
export const toOccurrence = (
  { fields }: Pick<InboxDefinition, 'fields'>,
  { title, data = {}, user }: CreateInput,
  at: number,
): ReportedOccurrence => ({
  at,
  title,
  data: JSON.stringify(orderMembers(fields, data)),
  user: user ?? null,
});

/** Returns the affected users of a batch, each once. */
export const affectedUsers = (happened: OccurrenceBatch): string[] => [
  ...new Set(happened.flatMap(({ user }) => (user === null ? [] : [user]))),
];

/** Facts from the database: the title of a stored record, and those of the users whom the item has not counted yet. */
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
  const record: ItemRecord | null =
    input.record === undefined
      ? null
      : { ...input.record, title: facts.recordTitle ?? (cleanText(input.record.title ?? '') || null) };
  const isClosed = inbox.isClosed(inbox.initial);
  const users = affectedUsers(happened);
  const item: Item = {
    id: newId('itm'),
    inbox: inbox.name,
    title: happened[0].title,
    state: inbox.initial,
    ...usualValues,
    priority: firstPriority(inbox),
    closed: isClosed,
    record,
    links: input.links ?? [],
    tags: sortedTags(input.tags ?? []),
    assignee: null,
    delegate: null,
    claim: null,
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
