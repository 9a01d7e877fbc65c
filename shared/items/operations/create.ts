/** Creates an item, or adds an occurrence to the one that has the same key. */
import { fault, invalid, type Detail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { countKeys } from '../../core/guard.ts';
import { closed, name, tag, text, Type, type Static } from '../../core/schema.ts';
import { compile, invalidDetails } from '../../core/validate.ts';
import type { Inbox } from '../../environments/definition.ts';
import type { Change, Entry, Moment } from '../../perform/operation.ts';
import type { Item, ItemRecord } from '../model.ts';
import { inState } from '../states.ts';
import { sortedTags } from '../tags.ts';

const recordId = Type.String({ minLength: 1, maxLength: limits.recordIdMax, pattern: '^(?!(?:\\.{1,2}|list)$)[^\\u0000-\\u001f\\u007f-\\u009f]+$', description: 'The record’s id in the app.' });
const reference = (description: string) => closed({ resource: name('The resource.'), id: recordId }, { description });

export const createInput = closed({
  inbox: name('The inbox that it belongs to.'),
  title: text(limits.titleMax, 'What people read in the list.'),
  data: Type.Optional(Type.Object({}, { description: 'Its fields, as the inbox declares them.' })),
  record: Type.Optional(reference('The record that it is about.')),
  links: Type.Optional(Type.Array(reference('A record.'), { maxItems: limits.linksPerItem, description: 'Further records that it is about.' })),
  tags: Type.Optional(Type.Array(tag, { maxItems: limits.tagsPerItem, description: 'Its tags.' })),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Items of one inbox with the same key are one item with occurrences.' })),
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Who was affected; distinct ones are counted.' })),
});

export type CreateInput = Static<typeof createInput>;

const typed = compile(createInput);

/** Checks the body of a new item as far as no inbox is needed for it. */
export const checkCreate = (body: unknown): CreateInput => {
  const input = typed(body);
  const data = input.data ?? {};
  if (Buffer.byteLength(JSON.stringify(data)) > limits.dataBytes) throw invalid('data', `must be at most ${String(limits.dataBytes)} bytes`);
  if (countKeys(data, limits.dataKeys) > limits.dataKeys) throw invalid('data', `must have at most ${String(limits.dataKeys)} keys`);
  return input;
};

/** What creating needs to know from the database: titles of the records, and whether the user is counted already. */
export interface CreateFacts {
  readonly recordTitle: string | null;
  readonly knownUser: boolean;
}

const created = (inbox: Inbox, input: CreateInput, facts: CreateFacts, { at, newId }: Moment): Change => {
  const record: ItemRecord | null = input.record === undefined ? null : { ...input.record, title: facts.recordTitle };
  const isClosed = inbox.isClosed(inbox.initial);
  const item: Item = {
    id: newId('itm'),
    inbox: inbox.name,
    title: input.title,
    state: inbox.initial,
    closed: isClosed,
    record,
    links: input.links ?? [],
    tags: sortedTags(input.tags ?? []),
    assignee: null,
    occurrences: 1,
    users: input.user === undefined ? 0 : 1,
    firstSeen: at,
    lastSeen: at,
    dueAt: inbox.responseTime === null || isClosed ? null : at + inbox.responseTime,
    fields: JSON.stringify(input.data ?? {}),
    snoozedUntil: null,
    triaged: false,
    triage: null,
    key: input.key ?? null,
    occurredEntry: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  return { item, entries: [{ type: 'created', data: {} }], ...(input.user === undefined ? {} : { user: input.user }) };
};

/** The item after one more occurrence: reopened and woken as its inbox says, with a deadline again. */
export const occurred = (item: Item, inbox: Inbox, user: string | undefined, knownUser: boolean, { at }: Moment): Change => {
  const kind = inbox.stateOf(item.state)?.kind;
  const reopens = kind !== undefined && inbox.onOccurrence.reopen.includes(kind) && !item.triaged && item.state !== inbox.initial && !inbox.retired;
  const wakes = inbox.onOccurrence.wake && item.snoozedUntil !== null;
  const moved = reopens ? inState(item, inbox, inbox.initial, at) : item;
  const counts = user !== undefined && !knownUser;
  const occurrences = item.occurrences + 1;
  const entries: Entry[] = [];
  const last = item.occurredEntry;
  const tells = last === null || at - last.at >= limits.occurredEntryMs;
  if (tells) entries.push({ type: 'occurred', data: { occurrences: { from: last?.to ?? item.occurrences, to: occurrences } } });
  if (reopens) entries.push({ type: 'state', data: { from: item.state, to: inbox.initial } });
  if (wakes) entries.push({ type: 'woken', data: { from: item.snoozedUntil } });
  return {
    item: {
      ...moved,
      occurrences,
      users: item.users + (counts ? 1 : 0),
      lastSeen: Math.max(item.lastSeen, at),
      dueAt: moved.dueAt ?? (moved.closed || inbox.responseTime === null ? null : at + inbox.responseTime),
      snoozedUntil: wakes ? null : moved.snoozedUntil,
      occurredEntry: tells ? { at, to: occurrences } : last,
    },
    entries,
    ...(counts ? { user } : {}),
  };
};

const referenceDetails = (inbox: Inbox, input: CreateInput, moment: Moment, sees: (resource: string) => boolean): Detail[] => {
  const declared = new Set((moment.env.definition.manifest.resources ?? []).map((resource) => resource.name));
  const problem = (resource: string, path: string): Detail[] =>
    declared.has(resource) && sees(resource) ? [] : [{ path, message: 'names no resource that you can see' }];
  return [
    ...inbox.dataProblems(input.data ?? {}, 'data.').map(({ path, message }) => ({ path: path === 'data.' ? 'data' : path, message })),
    ...(input.record === undefined ? [] : problem(input.record.resource, 'record.resource')),
    ...(input.links ?? []).flatMap((link, i) => problem(link.resource, `links.${String(i)}.resource`)),
  ];
};

/** Decides what becomes of a new item's request: a new item, or an occurrence of `existing`. Throws `400 invalid`. */
export const decideCreate = (existing: Item | null, inbox: Inbox, input: CreateInput, facts: CreateFacts, moment: Moment, sees: (resource: string) => boolean): Change => {
  const details = referenceDetails(inbox, input, moment, sees);
  if (details.length > 0) throw invalidDetails(details);
  if (inbox.retired) return fault('conflict', `The inbox ${inbox.name} is not in use any more.`);
  return existing === null ? created(inbox, input, facts, moment) : occurred(existing, inbox, input.user, facts.knownUser, moment);
};
