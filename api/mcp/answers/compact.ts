/** The compact form of an endpoint's body: each member by what it is, found by its name. Used by present.ts. */
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { compactApproval, compactListedApproval } from './approvals.ts';
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
} from './kinds.ts';
import { pickMembers, withoutEmpty, type Members } from './members.ts';

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
  changes: (value) => compactMembers(compactChange(value), { entry: (entry) => entry }),
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
