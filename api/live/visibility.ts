/**
 * Which parts of the stream a viewer sees, and how they are redacted. Called once per part and group of equal viewers by
 * the live stream, and once per part by `GET /changes`. A part without a rule is visible to no one.
 */
import type { Access } from '../../shared/accounts/access/access.ts';
import type { ApprovalDraft } from '../../shared/approvals/model.ts';
import { canSeeApproval } from '../../shared/approvals/rights.ts';
import { redactBulk } from '../../shared/bulk/present.ts';
import { seesBulkCounts, seesBulkScope, toBulkScope } from '../../shared/bulk/scope.ts';
import type { LivePart } from '../../shared/catalogue/events.ts';
import { redactFlag } from '../../shared/flags/model.ts';
import { seesScope } from '../../shared/items/filters/savedView.ts';
import { redactEntry, type TimelineEntry } from '../../shared/items/timeline.ts';
import { redactRun } from '../../shared/runs/present.ts';
import { presentApproval } from '../../shared/views/approvals/present.ts';
import type { InboxCounts } from './counts.ts';
import { type ReadPart, type ShownRead, presentRead } from './reads.ts';

interface CountsPart {
  readonly type: 'counts';
  readonly inboxes: Readonly<Record<string, InboxCounts>>;
  /** null: unchanged. Counts of approvals differ by principal, so each session sends its own (sentCounts.ts). */
  readonly approvals: null;
}

export type StreamPart = LivePart | CountsPart | ReadPart;
type ViewPart = Extract<LivePart, { readonly type: 'view' }>;
/** A part as a viewer gets it. */
export type ShownPart = Exclude<StreamPart, ReadPart | ViewPart> | ShownRead | Omit<ViewPart, 'scopes'>;

/** The types and inboxes that a stream was narrowed to; null: all that the role sees. */
export interface Narrowing {
  readonly types: ReadonlySet<string> | null;
  readonly inboxes: ReadonlySet<string> | null;
  /** The agent whose reads the stream has; null: none. */
  readonly agent: string | null;
}

export interface Viewer extends Narrowing {
  readonly access: Access;
  /** Whether it is a person who may decide approvals. */
  readonly decides: boolean;
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
 * Returns a run as the role sees it: without what it does not see of the target and the item, and with those blocks of the
 * result that need no query; `GET /runs/:id` has the blocks with items and actions too.
 */
const presentRunPart = (
  { type, inbox = null, run: whole }: Extract<StreamPart, { readonly type: 'run' }>,
  access: Access,
): ShownPart => {
  const run = redactRun(access, whole);
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
) => ShownPart | null;

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
  claim: (part, viewer) => (wantsInbox(viewer, part.inbox) ? part : null),
  bulk: ({ type, bulk: { scope: given, ...bulk } }, { access }, principal) => {
    const own = principal !== null && bulk.by.id === principal;
    const scope = toBulkScope(given);
    // Who sees a part of its items reads the bulk, which counts theirs.
    const seesOthers = access.may('audit', 'see') && seesBulkScope(access, scope) && seesBulkCounts(access, scope);
    if (!own && !seesOthers) return null;
    const unknown = member(bulk['operation'], 'type') === 'action' ? undefined : null;
    return { type, bulk: redactBulk(access, bulk, scope === null ? unknown : scope.resource) };
  },
  run: (part, { access }, principal) => {
    const own = principal !== null && part.run.by.id === principal;
    const looks =
      access.can('action', part.run.action, 'run') &&
      (part.run.resource === null || access.sees('resource', part.run.resource));
    return own || looks ? presentRunPart(part, access) : null;
  },
  approval: (part, { access, decides }, id) => {
    if (!canSeeApproval(access, id !== null && part.approval.requestedBy.id === id, part.approval)) return null;
    // An earlier release has written less.
    const draft = {
      reason: null,
      after: null,
      reversible: null,
      label: null,
      total: null,
      declared: null,
      currencies: null,
      labels: null,
      picked: null,
      barred: [],
      ...part.approval,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the approval
    const approval = draft as unknown as ApprovalDraft;
    return { ...part, approval: presentApproval(approval, { access, decides, id, role: null }, approval.requestedAt) };
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
  view: ({ type, view, scopes }, { access }, principal) =>
    (principal !== null && view.owner.id === principal) || scopes.some((scope) => seesScope(access, scope))
      ? { type, view }
      : null,
  read: (part, { access, agent }) =>
    agent !== null && part.agent.id === agent && access.may('audit', 'see') ? presentRead(part, access) : null,
};

/**
 * Returns the part as `viewer` sees it, or null. It is the same object when nothing had to be redacted, so that its JSON
 * can be shared. `principal` is the viewer's own id; groups of several principals pass null and so leave out the parts
 * that only their author sees.
 */
export const presentPart = (part: StreamPart, viewer: Viewer, principal: string | null): ShownPart | null => {
  if (viewer.types !== null && !viewer.types.has(part.type)) return null;
  if (!Object.hasOwn(visibilityRules, part.type)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rule is found by the type of the part
  return (visibilityRules[part.type] as Rule<StreamPart['type']>)(part, viewer, principal);
};

/** Returns the ids of the principals to whom a part looks different from what others of their role get: whose it is, and who may not decide it. */
export const partAuthors = (part: StreamPart): readonly string[] => {
  const subject = member(part, part.type);
  const id = member(member(subject, 'by') ?? member(subject, 'requestedBy') ?? member(subject, 'owner'), 'id');
  const barred = member(subject, 'barred');
  const people: readonly unknown[] = Array.isArray(barred) ? barred : [];
  return [id, ...people].filter((one) => typeof one === 'string');
};
