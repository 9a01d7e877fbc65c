/**
 * Which parts of the stream a viewer sees, and how they are redacted. Called once per part and group of equal viewers by
 * the live stream, and once per part by `GET /changes`. A part without a rule is visible to no one.
 */
import type { Access } from '../../shared/access/access.ts';
import { canSeeApproval } from '../../shared/approvals/visibility.ts';
import type { LivePart } from '../../shared/catalogue/events.ts';
import { redactFlag } from '../../shared/flags/model.ts';
import { redactEntry, type TimelineEntry } from '../../shared/items/timeline.ts';
import { redactApproval } from '../../shared/views/approvals/present.ts';
import type { InboxCounts } from './counts.ts';

interface CountsPart {
  readonly type: 'counts';
  readonly inboxes: Readonly<Record<string, InboxCounts>>;
}

export type StreamPart = LivePart | CountsPart;

/** The types and inboxes that a stream was narrowed to; null: all that the role sees. */
export interface Narrowing {
  readonly types: ReadonlySet<string> | null;
  readonly inboxes: ReadonlySet<string> | null;
}

export interface Viewer extends Narrowing {
  readonly access: Access;
}

const member = (value: unknown, name: string): unknown =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any object can be read by a name
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Returns an item as the role sees it: the same object, or a copy with `record: null` where the role does not see its resource. */
export const redactItem = (item: Record<string, unknown>, access: Access): Record<string, unknown> => {
  const record = item['record'];
  if (record === null || record === undefined) return item;
  const resource = member(record, 'resource');
  return typeof resource === 'string' && access.sees('resource', resource) ? item : { ...item, record: null };
};

/**
 * Returns a run as the role sees it: without an item that the role does not see, and with those blocks of the result that
 * need no query; `GET /runs/:id` has the blocks with items and actions too.
 */
const presentRunPart = (
  { type, inbox = null, run }: Extract<StreamPart, { readonly type: 'run' }>,
  access: Access,
): StreamPart => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the run
  const blocks = run['blocks'] as { readonly type: string; readonly record?: { readonly resource: string } }[] | null;
  const shown = blocks?.filter(
    (block) =>
      block.type !== 'items' &&
      block.type !== 'actions' &&
      (block.type !== 'record' || access.sees('resource', block.record?.resource ?? '')),
  );
  return {
    type,
    run: { ...run, item: inbox === null || access.sees('inbox', inbox) ? run['item'] : null, blocks: shown ?? null },
  };
};

const wantsInbox = ({ access, inboxes }: Viewer, inbox: string): boolean =>
  access.sees('inbox', inbox) && (inboxes?.has(inbox) ?? true);

const pickVisible = <V>(
  from: Readonly<Record<string, V>>,
  keep: (name: string) => boolean,
): Record<string, V> | null => {
  const kept = Object.entries(from).filter(([name]) => keep(name));
  return kept.length === 0 ? null : Object.fromEntries(kept);
};

type Rule<T> = (
  part: Extract<StreamPart, { readonly type: T }>,
  viewer: Viewer,
  principal: string | null,
) => StreamPart | null;

const visibilityRules: { readonly [T in StreamPart['type']]: Rule<T> } = {
  item: (part, viewer) => {
    if (!wantsInbox(viewer, part.inbox)) return null;
    const item = redactItem(part.item, viewer.access);
    return item === part.item ? part : { ...part, item };
  },
  timeline: (part, viewer) => {
    if (!wantsInbox(viewer, part.inbox)) return null;
    const entry = redactEntry(
      viewer.access,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the entry
      part.entry as Record<string, unknown> & Pick<TimelineEntry, 'type' | 'data'>,
    );
    return entry === null ? null : entry === part.entry ? part : { ...part, entry };
  },
  bulk: (part, { access }, principal) =>
    (principal !== null && part.bulk.by.id === principal) || access.may('audit', 'see') ? part : null,
  run: (part, { access }, principal) => {
    const own = principal !== null && part.run.by.id === principal;
    const looks =
      access.can('action', part.run.action, 'run') &&
      (part.run.resource === null || access.sees('resource', part.run.resource));
    return own || looks ? presentRunPart(part, access) : null;
  },
  approval: (part, { access }, principal) => {
    const { approval } = part;
    const own = principal !== null && approval.requestedBy.id === principal;
    return canSeeApproval(access, own, approval) ? { ...part, approval: redactApproval(approval, access) } : null;
  },
  flag: (part, { access }) => {
    if (!access.sees('flag', part.flag.flag)) return null;
    const flag = redactFlag(part.flag, access);
    return flag === part.flag ? part : { ...part, flag };
  },
  app: (part) => part,
  counts: (part, viewer) => {
    const inboxes = pickVisible(part.inboxes, (inbox) => wantsInbox(viewer, inbox));
    return inboxes === null ? null : { ...part, inboxes };
  },
};

/**
 * Returns the part as `viewer` sees it, or null. It is the same object when nothing had to be redacted, so that its JSON
 * can be shared. `principal` is the viewer's own id; groups of several principals pass null and so leave out the parts
 * that only their author sees.
 */
export const presentPart = (part: StreamPart, viewer: Viewer, principal: string | null): StreamPart | null => {
  if (viewer.types !== null && !viewer.types.has(part.type)) return null;
  if (!Object.hasOwn(visibilityRules, part.type)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rule is found by the type of the part
  return (visibilityRules[part.type] as Rule<StreamPart['type']>)(part, viewer, principal);
};

/** Returns the id of the principal who sees a part because it is their own, whatever their role sees; else null. */
export const partAuthor = (part: StreamPart): string | null => {
  const subject = member(part, part.type);
  const id = member(member(subject, 'by') ?? member(subject, 'requestedBy'), 'id');
  return typeof id === 'string' ? id : null;
};
