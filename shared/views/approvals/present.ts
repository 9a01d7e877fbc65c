/** Approvals as one role sees them, in answers and on the stream: what they hold of records and inboxes that it doesn't see is left out. */
import { isObject } from '../../platform/core/jsonLimits.ts';
import type { Access } from '../../access/access.ts';
import { flagChangeSummary, redactFlag } from '../../flags/model.ts';
import { approvalJson, type Approval, type ApprovalTarget } from '../../approvals/model.ts';

type Json = Readonly<Record<string, unknown>>;
type Shown = Json & Pick<ApprovalTarget, 'kind' | 'resource' | 'flag' | 'inbox'>;

const isHiddenRecord = (access: Access, ref: unknown): boolean =>
  isObject(ref) && !access.sees('resource', String(ref['resource']));

/** An item, or what is to become one, without the records that the role doesn't see. */
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

/** Whether the role doesn't see the target any more, as may be with its own requests. */
const hidesTarget = (access: Access, { kind, resource, flag, inbox }: Shown): boolean =>
  (kind === 'action' && resource !== null && !access.sees('resource', resource)) ||
  (kind === 'flag' && flag !== null && !access.sees('flag', flag)) ||
  (kind === 'item' && inbox !== null && !access.sees('inbox', inbox));

/** A flag, or a change of one with the flag's resource; what isn't there stays so. */
export const redactFlagJson = (access: Access, part: unknown, resource?: unknown): unknown =>
  isObject(part) ? redactFlag(part, access, resource ?? part['resource']) : part;

/** A flag's change without the targets and the guard that the role doesn't see, which its summary would tell too. */
const redactFlagChange = (access: Access, { flag, before, now, change, summary }: Shown): Json => {
  const seen = redactFlagJson(access, change, isObject(before) ? before['resource'] : null);
  return {
    before: redactFlagJson(access, before),
    now: redactFlagJson(access, now),
    change: seen,
    summary: seen === change || flag === null || !isObject(seen) ? summary : flagChangeSummary(flag, seen),
  };
};

/** What is kept of an item for the checks of a decision is no part of it. */
const publicItemFields = (item: unknown): unknown => {
  if (!isObject(item)) return item;
  const { closed: _, triage: __, ...shown } = item;
  return shown;
};

/** The same of an approval in the form in which it is kept for subscribers. */
export const redactApproval = <A extends Shown>(approval: A, access: Access): A => {
  const item = approval.inbox !== null && !access.sees('inbox', approval.inbox) ? { item: null, inbox: null } : {};
  if (hidesTarget(access, approval)) return { ...approval, ...item, before: null, now: null };
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

export const redactedApprovalJson = (approval: Approval, access: Access, now: unknown = null): Json =>
  redactApproval(approvalJson(approval, now), access);
