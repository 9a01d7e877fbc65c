/** The operations on items that supervised agents may request, by the name that approvals use, and the request. For the endpoints and decisions/. */
import { isDeepStrictEqual } from 'node:util';
import { fullAccess } from '../accounts/access/access.ts';
import { type Caller, withoutSupervision } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import type { ApprovalRequestData } from '../approvals/model.ts';
import { readNews } from '../approvals/news.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import { Fault, fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { type Item, readItems, readItemsByKeys } from './model.ts';
import { type BoundOperation, type ItemOperation, bindInput } from './operation.ts';
import { assignItem, assigneeName } from './operations/assign.ts';
import { type CreateInput, parseCreateInput } from './operations/create.ts';
import { noteItem } from './operations/note.ts';
import { replyToItem } from './operations/reply.ts';
import { setState } from './operations/setState.ts';
import { snoozeItem } from './operations/snooze.ts';
import { tagItem } from './operations/tag.ts';
import { triageItem } from './operations/triage.ts';
import { updatedMembers, updateItem } from './operations/update.ts';
import { requireMayCreate } from './perform/create.ts';
import { decideItemChange, createDecisionContext } from './perform/perform.ts';
import { presentItem } from './present.ts';
import { readKnowledge, type SeenPlace } from './seen.ts';
import { sortedTags } from './tags.ts';

interface SupervisedOperation {
  /** Checks the stored members and returns the operation bound to them. Throws `invalid`. */
  readonly bind: (members: object, at: number) => BoundOperation;
  /** Returns the members of an item that the operation sets, which must not change between request and approval. */
  readonly members: (operation: object) => readonly (keyof Item)[];
}

const defineSupervisedOperation = <I>(
  operation: ItemOperation<I>,
  members: readonly (keyof Item)[] | SupervisedOperation['members'],
): SupervisedOperation => ({
  members: typeof members === 'function' ? members : () => members,
  bind: (given, at) => bindInput(operation, operation.check(given, at)),
});

/** Triage sets its answers, and the members that its input names. */
const triageMembers: SupervisedOperation['members'] = (operation) => [
  'triage',
  ...('state' in operation || 'close' in operation ? ['state' as const] : []),
  ...('tags' in operation ? ['tags' as const] : []),
  ...('assignee' in operation ? ['assignee' as const] : []),
];

/** A reply sets what is to follow it. */
const replyMembers: SupervisedOperation['members'] = (operation) =>
  'then' in operation && isObject(operation.then) ? updatedMembers(operation.then) : [];

export const supervisedOperations: ReadonlyMap<string, SupervisedOperation> = new Map([
  ['state', defineSupervisedOperation(setState, ['state'])],
  ['assign', defineSupervisedOperation(assignItem, ['assignee', 'delegate'])],
  ['tags', defineSupervisedOperation(tagItem, ['tags'])],
  ['snooze', defineSupervisedOperation(snoozeItem, ['snoozedUntil', 'closed'])],
  ['note', defineSupervisedOperation(noteItem, [])],
  ['reply', defineSupervisedOperation(replyToItem, replyMembers)],
  ['triage', defineSupervisedOperation(triageItem, triageMembers)],
  ['update', defineSupervisedOperation(updateItem, updatedMembers)],
]);

/** Returns the name of an operation in approvals: `state` for `item.state`. */
const supervisedOperationType = ({ name }: Pick<ItemOperation, 'name'>): string => name.slice('item.'.length);

/** Returns the members of an item that a change gives another value. */
const changedMembers = (before: object, after: object): Readonly<Record<string, unknown>> => {
  const known = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).filter(([member, value]) => !isDeepStrictEqual(value, known.get(member))),
  );
};

type SavePendingResponse = (status: number, body: string) => SavedResponse | null;

export const pendingResponseBody = (approval: string): string => JSON.stringify({ pending: true, approval });

interface ItemChangeRequest<I> {
  readonly operation: ItemOperation<I>;
  readonly id: string;
  readonly input: I;
  readonly ifMatch: number | undefined;
  /** The place that the token `seen` names. null: the call has no token. undefined: the operation takes none. */
  readonly seen: SeenPlace | null | undefined;
}

/** Returns the approval's id, or the item when the operation changes nothing. Throws the fault that the change itself would have. */
export const requestItemChange = async <I>(
  deps: DomainDeps,
  caller: Caller,
  { operation, id, input, ifMatch, seen }: ItemChangeRequest<I>,
  save: SavePendingResponse,
): Promise<{ approval: string } | { unchanged: Item }> => {
  const acting: Caller = { ...caller, principal: withoutSupervision(caller.principal) };
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  const change = decideItemChange(
    { caller: acting, operation, input, ifMatch, known: await readKnowledge(deps.db, acting, item, seen) },
    item,
    createDecisionContext(deps, acting),
  );
  if (change instanceof Fault) throw change;
  if (item === undefined) throw fault('not_found');
  if (change === 'unchanged') return { unchanged: item };
  const type = supervisedOperationType(operation);
  const { links } = change.item;
  const given = isObject(input) ? input : {};
  const relinks = 'links' in given || !isDeepStrictEqual(links, item.links);
  const after = {
    ...changedMembers(presentItem(item, fullAccess), presentItem(change.item, fullAccess)),
    ...(relinks ? { links } : {}),
  };
  const isNewsSensitive = type === 'reply' || 'state' in after;
  const news = isNewsSensitive ? { news: await readNews(deps.db, caller.env.id, id, caller.principal.id) } : {};
  const { approval } = await requestApproval(deps, caller, {
    kind: 'item',
    summary: `${type}: ${item.title}`,
    label: assigneeName(deps.directory, caller.env, { ...given, ...after }),
    request: { operation: { type, ...given }, target: id, inbox: item.inbox, after, ...news },
    before: {
      ...presentItem(item, caller.principal.access),
      closed: item.closed,
      triage: item.triage,
      ...(relinks ? { links: item.links } : {}),
    },
    fingerprint: ['item', type, id, input],
    expiresMs: limits.approvalMs,
    item: { id, inbox: item.inbox },
    save: (asked) => save(202, pendingResponseBody(asked.approval)),
  });
  return { approval };
};

/** Returns the members of a request for a change of an item with another operation of the same type. Throws the fault that a change by the caller would have. */
export const editedItemRequest = async (
  deps: DomainDeps,
  caller: Caller,
  { type, values, target }: { readonly type: string; readonly values: object; readonly target: string },
): Promise<Pick<ApprovalRequestData['item'], 'operation' | 'after'>> => {
  const operation = supervisedOperations.get(type)?.bind(values, deps.clock.now());
  if (operation === undefined) throw fault('conflict');
  const item = (await readItems(deps.db, caller.env.id, [target])).get(target);
  const change = decideItemChange(
    { caller, operation, input: null, ifMatch: undefined },
    item,
    createDecisionContext(deps, caller),
  );
  if (change instanceof Fault) throw change;
  const known = item === undefined || change === 'unchanged' ? null : { item, now: change.item };
  const after =
    known === null ? {} : changedMembers(presentItem(known.item, fullAccess), presentItem(known.now, fullAccess));
  return { operation: { type, ...values }, after };
};

/** Returns the members of a request for a new item with other values in the same inbox. Throws the fault that creating it would have. */
export const editedCreation = (
  caller: Caller,
  values: object,
  inbox: string,
): Pick<ApprovalRequestData['item'], 'operation' | 'after'> => {
  const input = parseCreateInput(values);
  if (input.inbox !== inbox) throw invalidAt('operation.inbox', 'must stay as it was asked for');
  requireMayCreate(caller, input);
  return { operation: { type: 'create', ...input }, after: createdMembers(caller, input) };
};

/** Returns the members of a new item that are known before it is created. */
const createdMembers = (
  { env }: Caller,
  { inbox, title, data = {}, record, tags = [] }: CreateInput,
): Readonly<Record<string, unknown>> => ({
  inbox,
  title,
  state: env.definition.inboxes.get(inbox)?.initial ?? null,
  record: record ?? null,
  tags: sortedTags(tags),
  fields: data,
});

/** Returns the item that a report of the same key would be added to, or null. */
const readKeyed = async ({ db }: DomainDeps, { env }: Caller, { inbox, key }: CreateInput): Promise<Item | null> =>
  key === undefined ? null : ((await readItemsByKeys(db, env.id, [{ inbox, key }], false))[0] ?? null);

/**
 * Returns the id of the approval for a new item, or for an occurrence of the item that has the key. Throws the fault that
 * creating it would have.
 */
export const requestItemCreation = async (
  deps: DomainDeps,
  caller: Caller,
  input: CreateInput,
  save: SavePendingResponse,
): Promise<string> => {
  const acting: Caller = { ...caller, principal: withoutSupervision(caller.principal) };
  requireMayCreate(acting, input);
  const keyed = await readKeyed(deps, caller, input);
  const { approval } = await requestApproval(deps, caller, {
    kind: 'item',
    summary: `${keyed === null ? 'create' : 'occurrence'}: ${input.title}`,
    request: {
      operation: { type: 'create', ...input },
      target: null,
      inbox: input.inbox,
      ...(keyed === null ? { after: createdMembers(caller, input) } : {}),
    },
    before: keyed === null ? null : presentItem(keyed, caller.principal.access),
    fingerprint: ['item', 'create', input],
    expiresMs: limits.approvalMs,
    ...(keyed === null ? {} : { item: { id: keyed.id, inbox: keyed.inbox } }),
    save: (asked) => save(202, pendingResponseBody(asked.approval)),
  });
  return approval;
};
