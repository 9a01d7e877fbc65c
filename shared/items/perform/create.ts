/**
 * Creates items, or adds occurrences to the items with the same keys, by the statement of every change (write.ts). One at
 * a time for `POST /items`, many at once for the reports of an app (reports/report.ts).
 */
import {
  type Caller,
  unknownName,
  findVisibleInbox,
  principalModeFault,
  reasonFault,
} from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault, invalidAt } from '../../catalogue/errors.ts';
import { isSerializationFailure, isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { contendedFault, retryOnConflict } from '../../platform/db/retryOnConflict.ts';
import { newId } from '../../platform/ids.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { inStatementSpan } from '../../platform/tracing/span.ts';
import { visibleInboxes } from '../filters/filters.ts';
import type { Item } from '../model.ts';
import type { OccurrenceBatch } from '../operations/addOccurrences.ts';
import { decideCreate, requireFitsInbox, toOccurrence, type CreateInput } from '../operations/create.ts';
import { readCreateStates, type CreateState } from './createState.ts';
import { createEventBatch, type DecidedChange } from './eventBatch.ts';
import { createDecisionContext } from './perform.ts';
import { writeItems, type ItemWrite } from './write.ts';

interface CreateResult {
  readonly item: Item;
  /** false: an occurrence was added to the existing item with the key. */
  readonly isNew: boolean;
  /** Whether jobs were staged. */
  readonly staged: boolean;
}

/** An item to create, whose input has passed `checkCreate`. */
export interface CreateRequest {
  readonly input: CreateInput;
  /** null: once, now. */
  readonly happened: OccurrenceBatch | null;
  /** Of the reports that it is made of; `first`: of the one that makes the item, if it is new. */
  readonly deliveries: readonly { readonly delivery: string; readonly first: boolean }[];
}

type SaveCreated = (created: CreateResult) => SavedResponse | null;

const saveNothing: SaveCreated = () => null;

/** Rounds before giving up. */
const roundsMax = 20;

/** Returns the inbox of the input. Throws the fault for a caller who may not create in it, or for input that doesn't fit it. */
export const requireMayCreate = (caller: Caller, input: CreateInput): InboxDefinition => {
  const { access } = caller.principal;
  const inbox = findVisibleInbox(caller, input.inbox);
  if (inbox === undefined) throw unknownName('inbox', input.inbox, visibleInboxes(caller));
  if (input.record?.title !== undefined && caller.principal.type !== 'app')
    throw invalidAt('record.title', 'is taken from the app alone');
  const problem = principalModeFault(caller.principal);
  if (problem !== null) throw problem;
  if (!access.can('inbox', input.inbox, 'create'))
    throw fault('forbidden', `Your role does not allow create in the inbox ${input.inbox}.`);
  const missing = inbox.reasonRequired && caller.approvedBy === undefined ? reasonFault(caller) : null;
  if (missing !== null) throw missing;
  requireFitsInbox(inbox, input, caller.env.definition.resources, (resource) => access.sees('resource', resource));
  return inbox;
};

interface CreateDecision {
  readonly request: CreateRequest;
  readonly decided: DecidedChange;
}

const decideOnRequest = (
  deps: DomainDeps,
  caller: Caller,
  request: CreateRequest,
  { existing, facts, moment }: CreateState,
): CreateDecision => {
  const { input } = request;
  const { at } = moment;
  const inbox = requireMayCreate(caller, input);
  const happened: OccurrenceBatch = request.happened ?? [toOccurrence(inbox, input, at)];
  const change = decideCreate({ existing, inbox, input, happened, facts }, moment);
  if (change instanceof Fault) throw change;
  if (change === 'unchanged') throw new Error('Creating always changes something.');
  const item = existing === null ? change.item : { ...change.item, version: existing.version + 1, updatedAt: at };
  return { request, decided: { before: existing, effect: { ...change, item } } };
};

/** Compares in one order for all processes, so that those that write the same keys at once don't deadlock. */
const byKey = (a: CreateDecision, b: CreateDecision): number => {
  const [first, second] = [a.request.input.key ?? '', b.request.input.key ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
};

const toCreateResult = ({ before, effect }: DecidedChange): CreateResult => ({
  item: effect.item,
  isNew: before === null,
  staged: (effect.jobs ?? []).length > 0,
});

/** Writes new items, or changed ones. Returns the ids of those that were unchanged since they were read. */
const writeCreations = async (
  db: Db | Tx,
  caller: Caller,
  some: readonly CreateDecision[],
  { at, save }: { at: number; save: SaveCreated },
): Promise<Set<string>> => {
  const [first] = some;
  if (first === undefined) return new Set();
  const told = createEventBatch(caller, at, () => newId('ent'));
  for (const { decided } of some) told.add(decided);
  const created = toCreateResult(first.decided);
  const deliveries = some.flatMap(({ request, decided: { before, effect } }) =>
    request.deliveries.map(({ delivery, first: makes }) => ({
      delivery,
      item: effect.item.id,
      created: makes && before === null,
    })),
  );
  const write: ItemWrite = {
    caller,
    at,
    verb: created.isNew ? 'item.create' : 'item.occur',
    changed: some.map(({ decided }) => decided),
    events: told,
    saved: save(created),
    results: null,
    deliveries,
  };
  return inStatementSpan(caller.span, 'items.write', () => writeItems(db, write));
};

/** Performs one round over inputs of different keys: decides on the present rows and writes; null for rows that changed concurrently. */
const tryCreate = async (
  deps: DomainDeps,
  db: Db | Tx,
  caller: Caller,
  all: readonly CreateRequest[],
  { save, lock }: { save: SaveCreated; lock: boolean },
): Promise<(CreateResult | Error | null)[]> => {
  const moment = createDecisionContext(deps, caller);
  const found = await readCreateStates(db, caller, all, moment, lock);
  const decisions = all.map((request, i): CreateDecision | Fault => {
    try {
      return decideOnRequest(
        deps,
        caller,
        request,
        found[i] ?? { existing: null, facts: { recordTitle: null, newUsers: [] }, moment },
      );
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  });
  const outcomes = new Map<CreateRequest, CreateResult | Error>();
  for (const isNew of [true, false]) {
    const some = decisions.filter(
      (decision): decision is CreateDecision =>
        !(decision instanceof Fault) && (decision.decided.before === null) === isNew,
    );
    some.sort(byKey);
    try {
      const written = await writeCreations(db, caller, some, { at: moment.at, save });
      for (const { request, decided } of some)
        if (written.has(decided.effect.item.id)) outcomes.set(request, toCreateResult(decided));
    } catch (error) {
      if (all.length === 1 || !(error instanceof Error)) throw error;
      // The error of one rolled back all of them: each is retried by itself.
      if (!isUniqueViolation(error) && !isSerializationFailure(error))
        for (const { request } of some) outcomes.set(request, error);
    }
  }
  return decisions.map((decision) => (decision instanceof Fault ? decision : (outcomes.get(decision.request) ?? null)));
};

const notifyCreated = ({ bus }: DomainDeps, { env }: Caller, staged: boolean): void => {
  bus.publish(channels.workAvailable, outboxOf(env.id));
  if (staged) bus.publish(channels.workAvailable, 'jobs');
};

/** Returns whether another has made an item with the key meanwhile, or nothing was done. */
export const isCreateConflict = (error: unknown): boolean =>
  isUniqueViolation(error, 'items_key') || isSerializationFailure(error);

const createWithRetries = (
  deps: DomainDeps,
  caller: Caller,
  request: CreateRequest,
  save: SaveCreated,
): Promise<CreateResult> =>
  retryOnConflict(
    async ({ lock }) => {
      const [created] = await (lock
        ? deps.db.transaction((tx) => tryCreate(deps, tx, caller, [request], { save, lock }))
        : tryCreate(deps, deps.db, caller, [request], { save, lock }));
      if (created instanceof Error) throw created;
      return created ?? null;
    },
    {
      limit: roundsMax,
      isConflict: isCreateConflict,
      exhausted: () => contendedFault('item'),
    },
  );

/** Creates an item, or adds an occurrence to the one with the same key. Throws the fault that prevents it. */
export const createItem = async (
  deps: DomainDeps,
  caller: Caller,
  input: CreateInput,
  save: SaveCreated,
): Promise<CreateResult> => {
  const created = await createWithRetries(deps, caller, { input, happened: null, deliveries: [] }, save);
  notifyCreated(deps, caller, created.staged);
  return created;
};

/**
 * Does the same as `createItem` inside an open transaction, in one round: after `isCreateConflict` the caller repeats the
 * transaction. The caller sends the wake signal for the outbox after the commit.
 */
export const createItemTx = async (
  deps: DomainDeps,
  tx: Tx,
  caller: Caller,
  input: CreateInput,
): Promise<CreateResult> => {
  const [created] = await tryCreate(deps, tx, caller, [{ input, happened: null, deliveries: [] }], {
    save: saveNothing,
    lock: true,
  });
  if (created instanceof Error) throw created;
  if (created === null || created === undefined) throw contendedFault('item');
  return created;
};

/**
 * The same for many inputs of different keys, in few statements, with the deliveries that they answer. What stands in the
 * way of one is answered in its place: a fault, or PostgreSQL's error when a delivery was there already (`isDelivered`).
 */
export const createItems = async (
  deps: DomainDeps,
  caller: Caller,
  all: readonly CreateRequest[],
): Promise<(CreateResult | Error)[]> => {
  const done = all.length === 1 ? [] : await tryCreate(deps, deps.db, caller, all, { save: saveNothing, lock: false });
  const results: (CreateResult | Error)[] = [];
  for (const [i, request] of all.entries()) {
    const result =
      done[i] ??
      (await createWithRetries(deps, caller, request, saveNothing).catch((error: unknown) =>
        error instanceof Error ? error : new Error(String(error)),
      ));
    results.push(result);
  }
  notifyCreated(
    deps,
    caller,
    results.some((result) => !(result instanceof Error) && result.staged),
  );
  return results;
};

export const isDuplicateDelivery = (error: unknown): boolean => isUniqueViolation(error, 'deliveries_pkey');
