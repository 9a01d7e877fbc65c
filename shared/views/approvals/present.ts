/** Presents approvals to one reader, in responses and on the stream: without records, flags and inboxes that the role doesn't see, and with what the reader may do. */
import type { Access } from '../../accounts/access/access.ts';
import { orderApproval } from '../../app/manifest/declaredOrder.ts';
import type { Definition } from '../../app/manifest/definition.ts';
import {
  type Approval,
  type ApprovalDraft,
  type ApprovalTarget,
  replacedRamp,
  approvalJson,
} from '../../approvals/model.ts';
import { type ApprovalReader, canDecideApproval } from '../../approvals/rights.ts';
import { flagChangeSummary, redactFlag } from '../../flags/model.ts';
import { redactLinked } from '../../items/links.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { approvalSentence } from './sentence.ts';

type Json = Readonly<Record<string, unknown>>;
type Shown = Json & Pick<ApprovalDraft, 'kind' | 'resource' | 'flag' | 'inbox'>;

export type PresentedApproval = Record<string, unknown> & ApprovalTarget & Pick<ApprovalDraft, 'requestedBy'>;

const isHiddenRecord = (access: Access, ref: unknown): boolean =>
  isObject(ref) && !access.sees('resource', String(ref['resource']));

/** Returns an item, or the operation that creates one, without the records that the role doesn't see. */
export const redactRecords = (access: Access, values: unknown): unknown => {
  if (!isObject(values)) return values;
  const linked = redactLinked(access, values);
  return isHiddenRecord(access, values['record']) ? { ...linked, record: null } : linked;
};

/** Returns whether the role doesn't see the target: requesters see their own requests even when their role has lost the target. */
const hidesTarget = (access: Access, { kind, resource, flag, inbox }: Shown): boolean =>
  (kind === 'action' && resource !== null && !access.sees('resource', resource)) ||
  (kind === 'flag' && flag !== null && !access.sees('flag', flag)) ||
  ((kind === 'item' || kind === 'question') && inbox !== null && !access.sees('inbox', inbox));

/** Returns a redacted flag, or a redacted change of a flag, whose resource is then given; null and undefined stay. */
export const redactFlagJson = (access: Access, part: unknown, resource?: unknown): unknown =>
  isObject(part) ? redactFlag(part, access, resource ?? part['resource']) : part;

/** Returns the members of a flag's approval without targets and guards that the role doesn't see; the summary is made of what is left. */
const redactFlagChange = (access: Access, { flag, before, now, after, change, summary }: Shown): Json => {
  const seen = redactFlagJson(access, change, isObject(before) ? before['resource'] : null);
  const seenBefore = redactFlagJson(access, before);
  return {
    replaced: replacedRamp(seenBefore, change),
    before: seenBefore,
    now: redactFlagJson(access, now),
    after: redactFlagJson(access, after),
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

/** Returns the target of a bulk without the items and records that the role doesn't see. */
const redactBulkTarget = (access: Access, now: unknown): unknown => {
  if (!isObject(now) || !Array.isArray(now['items'])) return now;
  const seen = now['items'].filter((item) => isObject(item) && access.sees('inbox', String(item['inbox'])));
  const refs = Array.isArray(now['refs']) ? { refs: now['refs'].filter((ref) => !isHiddenRecord(access, ref)) } : {};
  return { ...now, ...refs, items: seen.map((item) => redactRecords(access, item)) };
};

/** Returns what was asked for, or decided, without what the role doesn't see of it. */
const redactAsked = (access: Access, { kind, before }: Shown, asked: unknown): unknown => {
  if (!isObject(asked)) return asked;
  if (kind === 'flag')
    return { change: redactFlagJson(access, asked['change'], isObject(before) ? before['resource'] : null) };
  return kind === 'item' ? { operation: redactRecords(access, asked['operation']) } : asked;
};

/** Returns the members of an approval without what the role doesn't see. */
const redact = <A extends Shown>(approval: A, access: Access): A => {
  const item =
    approval.inbox !== null && !access.sees('inbox', approval.inbox)
      ? { item: null, itemTitle: null, inbox: null }
      : {};
  const asked = {
    asked: redactAsked(access, approval, approval['asked']),
    decided: redactAsked(access, approval, approval['decided']),
  };
  if (hidesTarget(access, approval))
    return {
      ...approval,
      ...item,
      ...asked,
      leftOut: null,
      comments: [],
      replaced: null,
      before: null,
      now: null,
      after: null,
    };
  if (approval.kind === 'flag') return { ...approval, ...item, ...asked, ...redactFlagChange(access, approval) };
  if (approval.kind === 'bulk')
    return {
      ...approval,
      ...item,
      now: redactBulkTarget(access, approval.now),
      operation: redactRecords(access, approval['operation']),
    };
  if (approval.kind !== 'item') return { ...approval, ...item };
  const { before, now, after, operation } = approval;
  return {
    ...approval,
    ...item,
    ...asked,
    before: redactRecords(access, publicItemFields(before)),
    now: redactRecords(access, now),
    after: redactRecords(access, publicItemFields(after)),
    operation: redactRecords(access, operation),
  };
};

/** Returns the JSON of an approval for one reader at the time `at`. */
export const presentApproval = (approval: ApprovalDraft, reader: ApprovalReader, at: number): PresentedApproval => {
  const { access } = reader;
  const {
    label: _,
    total: __,
    declared: ___,
    barred: ____,
    currencies: _____,
    labels: ______,
    picked: _______,
    warned: ________,
    isAside: _________,
    ...shown
  } = redact(approval, access);
  const sentence = approvalSentence(approval, access);
  return {
    ...shown,
    // What an item or a record is called is part of it.
    ...(hidesTarget(access, approval) ? { summary: sentence } : {}),
    sentence,
    canDecide: canDecideApproval(approval, reader, at),
  };
};

/** Returns the JSON of an approval that has ended, for one role. */
export const endedApprovalJson = (definition: Definition, approval: Approval, access: Access): PresentedApproval =>
  presentApproval(
    orderApproval(definition, approvalJson(approval)),
    { access, id: null, role: null, decides: false },
    approval.decided_at ?? 0,
  );
