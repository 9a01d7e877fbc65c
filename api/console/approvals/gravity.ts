/** How grave a request is: how dangerous what it asks for is declared to be, and whether, by which verbs and by which entry of the timeline it can be taken back. Used by the page of approvals. */
import { differences } from '../content/difference.ts';
import { isObject } from '../content/values.ts';
import { editedNames } from '../inbox/filter.ts';
import { useRead } from '../shell/session.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import { flagQuery } from '../wire/appQueries.ts';
import type { Approval, Entry } from '../wire/types.ts';

/** Returns the action of a request, or of the bulk that waits for it. */
const actionOf = ({ action, operation }: Approval): string | null => {
  const { action: ofBulk }: { readonly action?: unknown } = operation ?? {};
  return action ?? (typeof ofBulk === 'string' ? ofBulk : null);
};

/** Returns the danger of the action or the flag of a pending request; null: it has neither, or it is not declared; undefined: not known. */
const useDanger = (approval: Approval | undefined): string | null | undefined => {
  const pending = approval?.status === 'pending' ? approval : undefined;
  const named = pending === undefined ? null : actionOf(pending);
  const flag = pending?.flag ?? null;
  const actions = useRead(actionsQuery, { enabled: named !== null });
  const flags = useRead((http) => ({ ...flagQuery(http, flag ?? ''), enabled: flag !== null, retry: false }));
  if (named !== null) return actions.data?.find(({ name }) => name === named)?.danger;
  return flag === null ? null : flags.data?.danger;
};

/** Returns whether what a request asks for is known to be of high danger. */
export const useIsDangerous = (approval: Approval): boolean => useDanger(approval) === 'high';

/**
 * Returns whether approving a request needs a second word: what can't be undone, actions and flags of high danger, and actions that the
 * person does not know, as who decides need not be allowed to run them. True also as long as what is asked for is not known.
 */
export const useIsGrave = (approval: Approval | undefined): boolean => {
  const danger = useDanger(approval);
  if (approval?.reversible === false) return true;
  return approval?.canDecide.approve === true && (danger === undefined || danger === 'high');
};

/** The verb that giving back a member needs, by the member of an item and of an update, and by the operation of the same name. */
const verbs: Readonly<Record<string, string>> = {
  state: 'state',
  assignee: 'assign',
  assign: 'assign',
  tags: 'tags',
  snooze: 'snooze',
  snoozedUntil: 'snooze',
  links: 'note',
  ...Object.fromEntries(editedNames.map((name) => [name, 'edit'])),
};

/** Operations of bulks that have no inverse. */
const final: ReadonlySet<unknown> = new Set(['action', 'undo']);

/** How far an approved change can be taken back. */
type Undoable = 'whole' | 'butNote' | 'not';

type Changing = Pick<Approval, 'kind' | 'operation' | 'before' | 'after'>;

/** Returns the members of an item that taking an approved change back gives back, all of them at once; none: it can't be taken back. */
export const undonePartsOf = ({ kind, operation, before, after }: Changing): readonly string[] => {
  if (kind !== 'item' || operation === null) return [];
  const { type, ...members }: { readonly type?: unknown } = operation;
  const changed =
    'undo' in members
      ? differences(before, before, after).map(({ name }) => name)
      : type === 'update'
        ? Object.keys(members)
        : [String(type)];
  return Object.keys(verbs).filter((name) => changed.includes(name));
};

/** Returns the verbs that taking an approved change of an item back needs. */
export const undoVerbsOf = (approval: Changing): readonly string[] => [
  ...new Set(undonePartsOf(approval).flatMap((name) => verbs[name] ?? [])),
];

/** Returns how far what a request asks for can be taken back once it is approved; null: the API alone says it. */
export const undoableOf = (approval: Changing): Undoable | null => {
  const { kind, operation } = approval;
  const { type }: { readonly type?: unknown } = operation ?? {};
  if (kind === 'bulk') return type === 'undo' ? 'not' : null;
  if (kind !== 'item') return null;
  if (undoVerbsOf(approval).length === 0) return 'not';
  return isObject(operation) && 'note' in operation ? 'butNote' : 'whole';
};

/** Returns whether a bulk has an inverse. */
export const hasInverse = ({ operation }: Pick<Approval, 'operation'>): boolean => {
  const { type }: { readonly type?: unknown } = operation ?? {};
  return !final.has(type);
};

/** Types of the entries that changes of an item write. */
const changing: ReadonlySet<string> = new Set([
  'state',
  'assigned',
  'tags',
  'snoozed',
  'woken',
  'note',
  'linked',
  'unlinked',
  'edited',
  'delegated',
]);

/** Returns the id of the first entry that an approved change wrote, by which it is undone; `entries`: the newest first. */
export const firstEntryOf = (
  { requestedBy, decidedAt }: Pick<Approval, 'requestedBy' | 'decidedAt'>,
  entries: readonly Entry[],
): string | undefined =>
  entries.findLast(
    ({ type, at, actor, data }) =>
      changing.has(type) &&
      decidedAt !== null &&
      at >= decidedAt &&
      actor.id === requestedBy.id &&
      'approvedBy' in data,
  )?.id;
