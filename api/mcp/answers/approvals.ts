/** The compact forms of approvals. Used by compact.ts. */
import { changedTarget } from '../../../shared/approvals/model.ts';
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { nameOf } from './kinds.ts';
import { omitMembers, pickMembers, withoutEmpty, type Members } from './members.ts';

/** Returns the members of the target that the request would change, as they would be; of a new one those that say something. */
const changedMembers = (before: unknown, after: unknown): unknown => {
  if (!isObject(after)) return after;
  if (!isObject(before)) return withoutEmpty(after);
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
};

/** Returns what a bulk is about: its first items, and how many more there are. */
const bulkTarget = (now: unknown): Members => {
  if (!isObject(now) || !Array.isArray(now['items'])) return {};
  const items = now['items'].filter(isObject);
  return { items: items.map((item) => pickMembers(item, ['id', 'title', 'record'])), moreItems: now['more'] };
};

/** Returns whether the effect of a request can be undone; that of a reply can't. */
const canBeUndone = ({ operation, reversible }: Members): unknown =>
  isObject(operation) && operation['type'] === 'reply' ? false : reversible;

/** Returns true, or why the caller may not decide. */
const decidability = (canDecide: unknown): unknown =>
  isObject(canDecide) ? (canDecide['approve'] === true ? true : canDecide['why']) : canDecide;

export const compactApproval = (approval: Members): Members =>
  withoutEmpty({
    ...pickMembers(approval, ['id', 'status', 'kind']),
    summary: approval['sentence'] ?? approval['summary'],
    reason: approval['reason'],
    requestedBy: nameOf(approval['requestedBy']),
    ...pickMembers(approval, ['requestedAt', 'expiresAt']),
    decidedBy: nameOf(approval['decidedBy']),
    ...pickMembers(approval, ['decidedAt', 'note', 'action', 'record', 'input', 'leftOut', 'flag', 'change']),
    operation: approval['operation'],
    after: changedMembers(changedTarget(approval, approval['now']), approval['after']),
    ...(approval['kind'] === 'bulk' ? bulkTarget(approval['now']) : {}),
    reversible: canBeUndone(approval),
    ...pickMembers(approval, ['item', 'itemTitle', 'run', 'bulk', 'others']),
    canDecide: decidability(approval['canDecide']),
  });

/** Returns an approval of a list, in which the same stands against deciding most of them. */
export const compactListedApproval = (approval: Members): Members => {
  const compact = compactApproval(approval);
  return compact['canDecide'] === true ? compact : omitMembers(compact, ['canDecide']);
};
