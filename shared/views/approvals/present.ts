/** Redacts approvals for one role, in responses and on the stream: leaves out records, flags and inboxes that the role doesn't see. */
import type { Access } from '../../access/access.ts';
import { approvalJson, type Approval, type ApprovalTarget } from '../../approvals/model.ts';
import { replacedRamp } from '../../approvals/replacedRamp.ts';
import { flagChangeSummary, redactFlag } from '../../flags/model.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';

type Json = Readonly<Record<string, unknown>>;
type Shown = Json & Pick<ApprovalTarget, 'kind' | 'resource' | 'flag' | 'inbox'>;

const isHiddenRecord = (access: Access, ref: unknown): boolean =>
  isObject(ref) && !access.sees('resource', String(ref['resource']));

/** Returns an item, or the operation that creates one, without the records that the role doesn't see. */
export const redactRecords = (access: Access, values: unknown): unknown => {
  if (!isObject(values)) return values;
  const { record, links } = values;
  const linked =
    Array.isArray(links) && links.some((ref) => isHiddenRecord(access, ref))
      ? { links: links.filter((ref) => !isHiddenRecord(access, ref)) }
      : {};
  return isHiddenRecord(access, record)
    ? { ...values, ...linked, record: null }
    : Object.hasOwn(linked, 'links')
      ? { ...values, ...linked }
      : values;
};

/** Returns whether the role doesn't see the target: requesters see their own requests even when their role has lost the target. */
const hidesTarget = (access: Access, { kind, resource, flag, inbox }: Shown): boolean =>
  (kind === 'action' && resource !== null && !access.sees('resource', resource)) ||
  (kind === 'flag' && flag !== null && !access.sees('flag', flag)) ||
  (kind === 'item' && inbox !== null && !access.sees('inbox', inbox));

/** Returns a redacted flag, or a redacted change of a flag, whose resource is then given; null and undefined stay. */
export const redactFlagJson = (access: Access, part: unknown, resource?: unknown): unknown =>
  isObject(part) ? redactFlag(part, access, resource ?? part['resource']) : part;

/** Returns the members of a flag's approval without targets and guards that the role doesn't see; the summary is made of what is left. */
const redactFlagChange = (access: Access, { flag, before, now, change, summary }: Shown): Json => {
  const seen = redactFlagJson(access, change, isObject(before) ? before['resource'] : null);
  const seenBefore = redactFlagJson(access, before);
  return {
    replaced: replacedRamp(seenBefore, change),
    before: seenBefore,
    now: redactFlagJson(access, now),
    change: seen,
    summary: seen === change || flag === null || !isObject(seen) ? summary : flagChangeSummary(flag, seen),
  };
};

/** Returns an item without `closed` and `triage`, which `before` has only for the check that the item is unchanged. */
const publicItemFields = (item: unknown): unknown => {
  if (!isObject(item)) return item;
  const { closed: _, triage: __, ...shown } = item;
  return shown;
};

/** Returns the JSON of an approval, such as a stored live message has, redacted for the role. */
export const redactApproval = <A extends Shown>(approval: A, access: Access): A => {
  const item = approval.inbox !== null && !access.sees('inbox', approval.inbox) ? { item: null, inbox: null } : {};
  if (hidesTarget(access, approval)) return { ...approval, ...item, replaced: null, before: null, now: null };
  if (approval.kind === 'flag') return { ...approval, ...item, ...redactFlagChange(access, approval) };
  if (approval.kind !== 'item') return { ...approval, ...item };
  const { before, now, operation } = approval;
  return {
    ...approval,
    ...item,
    before: redactRecords(access, publicItemFields(before)),
    now: redactRecords(access, now),
    operation: redactRecords(access, operation),
  };
};

/** Returns the JSON of an approval, redacted for the role. `now`: the present target, null where it isn't read. */
export const redactedApprovalJson = (approval: Approval, access: Access, now: unknown = null): Json =>
  redactApproval(approvalJson(approval, now), access);
