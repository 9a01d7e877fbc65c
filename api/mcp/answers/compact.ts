/** The compact form of an endpoint's body: each member by what it is, found by its name. Used by present.ts. */
import { changedTarget } from '../../../shared/approvals/model.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import {
  compactAction,
  compactApplicable,
  compactInbox,
  compactPage,
  compactResource,
  compactRole,
  compactView,
} from './declared.ts';
import {
  compactBlock,
  compactBulk,
  compactChange,
  compactEntry,
  compactFlag,
  compactGroup,
  compactItem,
  compactRecord,
  compactResult,
  compactRun,
  nameOf,
} from './kinds.ts';
import { objectsIn, pickMembers, withoutEmpty, type Members, omitMembers } from './members.ts';

/** Returns the members of the target that the request would change, as they would be; of a new one those that say something. */
const changedMembers = (before: unknown, after: unknown): unknown => {
  if (!isObject(after)) return after;
  if (!isObject(before)) return withoutEmpty(after);
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
};

/** Returns what a bulk is about: its first items or records, with the amounts of these, and how many more there are. */
const bulkTarget = (now: unknown): Members => {
  if (!isObject(now)) return {};
  const { items, refs, more } = now;
  return {
    items: (Array.isArray(items) ? items : [])
      .filter(isObject)
      .map((item) => pickMembers(item, ['id', 'title', 'record'])),
    refs,
    moreItems: more,
  };
};

/** Returns whether the effect of a request can be undone; that of a reply can't. */
const canBeUndone = ({ operation, reversible }: Members): unknown =>
  isObject(operation) && operation['type'] === 'reply' ? false : reversible;

/** Returns true, or why the caller may not decide. */
const decidability = (canDecide: unknown): unknown =>
  isObject(canDecide) ? (canDecide['approve'] === true ? true : canDecide['why']) : canDecide;

const compactApproval = (approval: Members): Members =>
  withoutEmpty({
    ...pickMembers(approval, ['id', 'status', 'kind']),
    summary: approval['sentence'] ?? approval['summary'],
    reason: approval['reason'],
    requestedBy: nameOf(approval['requestedBy']),
    ...pickMembers(approval, ['requestedAt', 'expiresAt']),
    decidedBy: nameOf(approval['decidedBy']),
    ...pickMembers(approval, ['decidedAt', 'note', 'question', 'answer']),
    comments: objectsIn(approval['comments']).map(({ at, by, text }) => ({ at, by: nameOf(by), text })),
    ...pickMembers(approval, ['action', 'record', 'input', 'leftOut', 'flag', 'change']),
    ...(Number(approval['needed']) > 1
      ? { needed: approval['needed'], votes: objectsIn(approval['votes']).map(({ by }) => nameOf(by)) }
      : {}),
    operation: approval['operation'],
    after: changedMembers(changedTarget(approval, approval['now']), approval['after']),
    ...(approval['kind'] === 'bulk' ? bulkTarget(approval['now']) : {}),
    reversible: canBeUndone(approval),
    ...pickMembers(approval, ['item', 'itemTitle', 'run', 'bulk', 'others']),
    canDecide: decidability(approval['canDecide']),
  });

/** Returns an approval of a list, in which the same stands against deciding most of them. */
const compactListedApproval = (approval: Members): Members => {
  const compact = compactApproval(approval);
  return compact['canDecide'] === true ? compact : omitMembers(compact, ['canDecide']);
};

export type Compactor = (value: Members) => Members;

/** What has a name of its own in bodies; a member that is no object, such as the id of a run, stays. */
const byName: Readonly<Record<string, Compactor>> = {
  item: compactItem,
  items: compactItem,
  current: (value) => ('flag' in value ? compactFlag(value) : compactItem(value)),
  entry: compactEntry,
  entries: compactEntry,
  timeline: compactEntry,
  history: (entry) => ({ ...pickMembers(entry, ['item']), ...compactEntry(entry) }),
  occurrences: (value) => withoutEmpty(value),
  latestOccurrence: (value) => withoutEmpty(value),
  record: compactRecord,
  records: compactRecord,
  linked: compactRecord,
  run: compactRun,
  runs: compactRun,
  approval: compactApproval,
  approvals: compactListedApproval,
  flag: compactFlag,
  flags: compactFlag,
  bulk: compactBulk,
  bulks: compactBulk,
  blocks: compactBlock,
  inboxes: compactInbox,
  views: compactView,
  people: (value) => withoutEmpty(value),
  resources: compactResource,
  actions: compactAction,
  suggestedActions: (action) => withoutEmpty({ ...compactAction(action), input: action['input'] }),
  pages: compactPage,
  role: compactRole,
  results: (value) => compactMembers(compactResult(value)),
  groups: compactGroup,
  available: (value) => compactMembers(withoutEmpty(value), { actions: compactApplicable }),
  changes: (value) => compactMembers(compactChange(value), { entry: (entry) => entry, entries: (entry) => entry }),
};

const compactMember = (name: string, value: unknown, kinds: Readonly<Record<string, Compactor>>): unknown => {
  const compact = kinds[name] ?? (Object.hasOwn(byName, name) ? byName[name] : undefined);
  if (compact === undefined) return value;
  if (Array.isArray(value)) return value.map((element: unknown) => (isObject(element) ? compact(element) : element));
  if (!isObject(value)) return value;
  // The values of an object by names, such as counts by inbox, are what the tool shows in a way of its own.
  if (name.endsWith('s'))
    return kinds[name] === undefined
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [key, isObject(inner) ? compact(inner) : inner]),
        );
  return compact(value);
};

/** Returns the members in their compact forms; `kinds` are those of a tool that shows more or less. */
export const compactMembers = (body: Members, kinds: Readonly<Record<string, Compactor>> = {}): Members =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, compactMember(name, value, kinds)]));
