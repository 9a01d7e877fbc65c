/** A model of what `PATCH /items/:id` does to an item, in a few lines, and random requests. Used by itemUpdateModel.test.ts. */
import fc from 'fast-check';

export const hour = 3_600_000;
/** All that is snoozed is snoozed until one of these. */
const later = [Date.now() + 100 * hour, Date.now() + 200 * hour] as const;
const past = Date.now() - hour;
const reachable: Readonly<Record<string, readonly string[]>> = {
  open: ['waiting'],
  waiting: ['open', 'closed'],
  closed: ['open'],
};
export const manifest = {
  resources: [
    { name: 'customer', source: 'stored' },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    { name: 'mail', responseTime: hour },
    { name: 'oneWay', transitions: reachable, priorities: ['p1', 'normal', 'p3'] },
    { name: 'secret' },
  ],
};
/** What roles may do where; admins may everything everywhere. */
export const clerkVerbs: Readonly<Record<string, readonly string[]>> = {
  mail: ['state', 'assign', 'tags', 'snooze', 'note', 'edit'],
  oneWay: ['state', 'tags'],
};

export interface Ref {
  readonly resource: string;
  readonly id: string;
}
export type Patch = Readonly<{
  state?: string;
  priority?: string;
  assignee?: string | null;
  tags?: { add?: readonly string[]; remove?: readonly string[] };
  snooze?: number | null;
  note?: string;
  links?: { add?: readonly Ref[]; remove?: readonly Ref[] };
}>;
export interface Item {
  readonly id: string;
  readonly inbox: string;
  state: string;
  priority: string;
  assignee: string | null;
  tags: string[];
  snoozedUntil: number | null;
  links: string[];
  hasDeadline: boolean;
  version: number;
  /** The types of its entries, the oldest first. */
  entries: string[];
}
export type Outcome = 'changed' | 'unchanged' | `${number}`;
export type Role = 'admin' | 'clerk';

const prioritiesOf = (inbox: string): readonly string[] =>
  inbox === 'oneWay' ? ['p1', 'normal', 'p3'] : ['urgent', 'high', 'normal', 'low'];
const verbOf = {
  state: 'state',
  priority: 'edit',
  assignee: 'assign',
  tags: 'tags',
  snooze: 'snooze',
  note: 'note',
  links: 'note',
};
const members = Object.keys(verbOf) as (keyof Patch)[];
export const keyOf = ({ resource, id }: Ref): string => `${resource}/${id}`;
const records = { c1: { resource: 'customer', id: 'c1' }, c2: { resource: 'customer', id: 'c2' } };
const vault = { resource: 'vault', id: 'v1' };
const lost = { resource: 'customer', id: 'lost' };

/** What is wrong with the request itself, whatever the item. */
export const requestProblem = (role: Role, patch: Patch): Outcome | null => {
  const { tags, links, snooze } = patch;
  const { add = [], remove = [] } = tags ?? { add: ['x'] };
  const isTagsWrong = add.length + remove.length === 0 || add.some((tag) => remove.includes(tag));
  if (Object.keys(patch).length === 0 || isTagsWrong || snooze === past) return '400';
  const linkAdd = links?.add ?? [];
  if (linkAdd.some(({ id, resource }) => id === 'lost' || (resource === 'vault' && role !== 'admin'))) return '400';
  return null;
};

/** Changes the item as the request says and returns the outcome; after a fault it is as it was. */
export const decide = (role: Role, item: Item, patch: Patch, assignable: string | undefined): Outcome => {
  if (role === 'clerk') {
    const verbs = clerkVerbs[item.inbox];
    if (verbs === undefined) return '404';
    if (members.some((name) => patch[name] !== undefined && !verbs.includes(verbOf[name]))) return '403';
  }
  const next: Item = { ...item };
  const entries: string[] = [];
  const { state, priority, assignee, tags, snooze, note, links } = patch;
  if (state !== undefined && state !== item.state) {
    if (reachable[state] === undefined) return '400';
    if (item.inbox === 'oneWay' && reachable[item.state]?.includes(state) !== true) return '422';
    if (state === 'closed') Object.assign(next, { snoozedUntil: null, hasDeadline: false });
    if (item.state === 'closed') next.hasDeadline = item.inbox === 'mail';
    next.state = state;
    entries.push('state');
  }
  if (priority !== undefined && priority !== item.priority) {
    if (!prioritiesOf(item.inbox).includes(priority)) return '400';
    next.priority = priority;
    entries.push('edited');
  }
  if (assignee !== undefined && assignee !== item.assignee) {
    if (assignee !== null && assignee !== assignable) return '400';
    next.assignee = assignee;
    entries.push('assigned');
  }
  if (tags !== undefined) {
    const left = item.tags.filter((tag) => tags.remove?.includes(tag) !== true);
    next.tags = [...new Set([...left, ...(tags.add ?? [])])].sort();
    if (next.tags.join() !== item.tags.join()) entries.push('tags');
  }
  if (snooze !== undefined && snooze !== next.snoozedUntil) {
    if (snooze !== null && next.state === 'closed') return '409';
    next.snoozedUntil = snooze;
    entries.push(snooze === null ? 'woken' : 'snoozed');
  }
  if (note !== undefined) entries.push('note');
  if (links !== undefined) {
    if (role !== 'admin' && links.remove?.some(({ resource }) => resource === 'vault') === true) return '400';
    const added = new Set((links.add ?? []).map(keyOf).filter((key) => !item.links.includes(key)));
    const removed = new Set((links.remove ?? []).map(keyOf).filter((key) => item.links.includes(key)));
    next.links = [...item.links.filter((key) => !removed.has(key)), ...added];
    entries.push(...[...added].map(() => 'linked'), ...[...removed].map(() => 'unlinked'));
  }
  if (entries.length === 0) return 'unchanged';
  Object.assign(item, next, { version: item.version + 1, entries: [...item.entries, ...entries] });
  return 'changed';
};

const refs = fc.subarray([records.c1, records.c2, vault, lost], { maxLength: 2 });
const seenRefs = fc.subarray([records.c1, records.c2, vault], { maxLength: 2 });
const anyPatch: fc.Arbitrary<Patch> = fc.record(
  {
    state: fc.constantFrom('open', 'waiting', 'closed', 'open', 'waiting', 'closed', 'nosuch'),
    priority: fc.constantFrom('urgent', 'high', 'normal', 'low', 'p1', 'p3', 'nosuch'),
    assignee: fc.constantFrom('ana', 'ana', null, null, 'blind', 'per_nosuch'),
    tags: fc.record({ add: fc.subarray(['a', 'b', 'c']), remove: fc.subarray(['a', 'd']) }, { requiredKeys: [] }),
    snooze: fc.constantFrom(...later, ...later, null, null, past),
    note: fc.constant('A note.'),
    links: fc
      .tuple(refs, seenRefs)
      .map(([add, remove]) => ({ add, remove: remove.filter((ref) => !add.includes(ref)) }))
      .filter(({ add, remove }) => add.length + remove.length > 0),
  },
  { requiredKeys: [] },
);
const oneMember = fc
  .tuple(anyPatch, fc.constantFrom(...members))
  .map(([patch, name]): Patch => (patch[name] === undefined ? patch : { [name]: patch[name] }));
export const patchArb = fc.oneof(anyPatch, oneMember);
