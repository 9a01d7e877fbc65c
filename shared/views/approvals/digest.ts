/**
 * Digests of approvals: what one reader saw of a request and of what it acts on. currentTargets.ts adds them to what is read, and
 * shared/decisions compares them in the transaction of the decision.
 */
import type { Caller } from '../../accounts/access/principal.ts';
import type { Environment } from '../../app/manifest/definition.ts';
import type { Approval } from '../../approvals/model.ts';
import { supervisedOperations } from '../../items/supervised.ts';
import { hashJson, isObject } from '../../platform/json/jsonLimits.ts';
import { hashRecord } from '../../records/queries.ts';
import type { PresentedApproval } from './present.ts';

const pick = (value: unknown, members: readonly string[]): object =>
  isObject(value) ? Object.fromEntries(members.map((member) => [member, value[member]])) : {};

const isStored = ({ definition }: Environment, resource: string | null): boolean =>
  definition.resources.get(resource ?? '')?.source === 'stored';

/** Returns what the digest covers of a flag: all but what a ramp's own steps move. */
const flagState = (flag: unknown): unknown => {
  const { rollout, ramp }: { readonly rollout?: unknown; readonly ramp?: unknown } = isObject(flag) ? flag : {};
  return {
    ...pick(flag, ['kind', 'value', 'targets', 'rules', 'default']),
    moving: isObject(ramp) ? pick(ramp, ['from', 'to', 'over', 'every', 'at', 'startedAt', 'guard']) : rollout,
  };
};

/** Returns what the digest covers of the items of a bulk of actions: the records that it would act on. */
const bulkRecords = (now: unknown): unknown =>
  isObject(now) && Array.isArray(now['items'])
    ? now['items'].filter(isObject).map((item) => [item['id'], pick(item['record'], ['resource', 'id', 'title'])])
    : null;

/** Returns what the digest covers of the target, as the reader sees it. The ids of a bulk are frozen: its own id stands for them. */
const stateOf = ({ env }: Caller, approval: Approval, now: unknown, beside: string | null): unknown => {
  switch (approval.kind) {
    case 'action':
      return isStored(env, approval.request.resource) ? hashRecord(now) : null;
    case 'flag':
      return flagState(now);
    case 'bulk':
      return approval.request.action === null ? null : bulkRecords(now);
    case 'question':
      return null;
    case 'item': {
      const { type, ...members } = approval.request.operation;
      const touched = supervisedOperations.get(type)?.members(members) ?? [];
      const message = type === 'reply' ? [pick(now, ['occurrences', 'lastSeen']), beside] : null;
      return [pick(now, touched), message];
    }
  }
};

const requestMembers = 'id kind action resource record input flag change operation item bulk'.split(' ');

/** Returns the part of a digest that stands for a record of the app, which is compared when the run starts; absent: it was not read. */
export const servedRecordOf = (digest: string): string | undefined => digest.split('.')[1];

/**
 * Returns the digest of an approval as `shown` presents it to the caller. `beside`: what else it covers, of a reply the item's newest
 * reply, of a bulk what stands for its stored records.
 */
export const digestOf = (
  caller: Caller,
  approval: Approval,
  shown: PresentedApproval,
  beside: string | null,
): string => {
  const { now } = shown;
  const covered = hashJson([caller.principal.id, pick(shown, requestMembers), stateOf(caller, approval, now, beside)]);
  if (approval.kind === 'bulk') return beside === null ? covered : `${covered}.${beside}`;
  const served = approval.kind === 'action' && !isStored(caller.env, approval.request.resource) && isObject(now);
  return served ? `${covered}.${hashRecord(now)}` : covered;
};

/** Returns whether `shown`, the approval as it is now, differs from what the decider saw; without a digest, from what was asked for. */
export const hasChanged = ({ env }: Caller, approval: Approval, shown: PresentedApproval, digest?: string): boolean => {
  const present = String(shown['digest']);
  if (approval.kind === 'bulk') {
    const { records } = approval.request;
    return digest === undefined ? records !== undefined && records !== present.split('.')[1] : digest !== present;
  }
  if (digest !== undefined) return digest.split('.')[0] !== present.split('.')[0];
  if (approval.kind !== 'action' || approval.before === null) return false;
  return isStored(env, approval.request.resource) && hashRecord(approval.before) !== hashRecord(shown['now']);
};
