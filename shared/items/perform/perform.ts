/**
 * Performs an operation on items for whoever changes them (docs/architecture.md): read without locks, decide (the gate, the expected
 * version, the operation's decision), write in one conditional statement; on a version conflict read and decide again; after three
 * conflicts with the rows locked, so that a much-wanted item always progresses.
 */
import {
  type Caller,
  toActorRef,
  reasonFault,
  findVisibleInbox,
  principalModeFault,
} from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault, type ErrorCode } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { retryOnConflict } from '../../platform/db/retryOnConflict.ts';
import { newId, newIdOf } from '../../platform/ids.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import type { Warning } from '../../platform/json/schema.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { inStatementSpan } from '../../platform/tracing/span.ts';
import { workFault, workWarnings } from '../claims.ts';
import type { Item } from '../model.ts';
import type { DecisionContext, ItemOperation, ItemDecision } from '../operation.ts';
import { changedSinceFault } from '../operations/restore.ts';
import { knewOf, readAnswered, readKnowledge, unreadBy, type Knowledge, type SeenPlace } from '../seen.ts';
import { type DecidedChange, type WrittenEntry, createEventBatch } from './eventBatch.ts';
import { type ItemStore, gatheringStore, ownStore, textLength } from './store.ts';
import type { BulkResultInsert, ItemWrite } from './write.ts';

/** Returns the item with its inbox, or the fault that the caller gets. `needed`: a verb, or several; null: only the service itself may. */
export const gateItemChange = (
  caller: Caller,
  needed: InboxVerb | readonly InboxVerb[] | null,
  item: Item | undefined,
): { item: Item; inbox: InboxDefinition } | Fault => {
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  if (item === undefined || inbox === undefined) return fault('not_found');
  if (needed === null) return caller.principal.type === 'system' ? { item, inbox } : fault('forbidden');
  const problem = principalModeFault(caller.principal);
  if (problem !== null) return problem;
  const { access } = caller.principal;
  const lacking =
    typeof needed === 'string'
      ? access.can('inbox', item.inbox, needed)
        ? undefined
        : needed
      : needed.find((verb) => !access.can('inbox', item.inbox, verb));
  return lacking === undefined
    ? { item, inbox }
    : fault('forbidden', `Your role does not allow ${lacking} in the inbox ${item.inbox}.`);
};

export interface DecisionRequest<I> {
  readonly caller: Caller;
  readonly operation: ItemOperation<I>;
  readonly input: I;
  /** The version that the item must have; absent: any. */
  readonly ifMatch?: number | undefined;
  /** The entries that the agent has not read. null or absent: they do not matter for the change. */
  readonly known?: Knowledge | null;
}

/** Returns the fault of a change without the reason that its inbox demands; null for one that a person has approved. */
const missingReasonFault = <I>(
  caller: Caller,
  { reasonRequired }: InboxDefinition,
  { needsReason }: ItemOperation<I>,
  input: I,
): Fault | null =>
  reasonRequired && caller.approvedBy === undefined && needsReason(input) ? reasonFault(caller) : null;

const neededVerbs = <I>({ verb }: ItemOperation<I>, input: I): InboxVerb | readonly InboxVerb[] | null =>
  typeof verb === 'function' ? verb(input) : verb;

/** Returns what the caller is warned of when an operation was decided on the item. */
const warningsFor = <I>(
  { caller, operation, input, known = null }: DecisionRequest<I>,
  item: Item,
  at: number,
): readonly Warning[] => {
  const inbox = findVisibleInbox(caller, item.inbox);
  return inbox === undefined
    ? []
    : workWarnings(caller, inbox, item, { needed: neededVerbs(operation, input), known, at });
};

/** Returns the decision for an item; always a fault for one that doesn't exist or isn't seen. */
export const decideItemChange = <I>(
  { caller, operation, input, ifMatch, known = null }: DecisionRequest<I>,
  item: Item | undefined,
  moment: DecisionContext,
): ItemDecision => {
  const needed = neededVerbs(operation, input);
  const seen = gateItemChange(caller, needed, item);
  if (seen instanceof Fault) return seen;
  if (ifMatch !== undefined && seen.item.version !== ifMatch)
    return fault('version_conflict', undefined, { body: { current: seen.item } });
  return (
    missingReasonFault(caller, seen.inbox, operation, input) ??
    workFault(caller, seen.inbox, seen.item, { needed, known, at: moment.at }) ??
    operation.decide(seen.item, seen.inbox, input, moment)
  );
};

const conflicts: ReadonlySet<ErrorCode> = new Set(['claimed', 'claim_required', 'unseen']);

/** Returns the outcome as which a bulk's results and a dry run count a fault: `conflict` is for an undo whose item has changed since, and an item that another works on, or that an agent has not read. */
export const toBulkOutcome = (problem: Fault): BulkOutcome => {
  if (problem === changedSinceFault || conflicts.has(problem.code)) return 'conflict';
  return problem.code === 'forbidden' || problem.code === 'not_found' ? problem.code : 'failed';
};

/** The outcome of one item. `warnings`: what an agent is warned of, of a call for one item. */
export type ItemOutcome =
  | {
      readonly id: string;
      readonly kind: 'changed';
      readonly item: Item;
      readonly entries: readonly WrittenEntry[];
      readonly warnings: readonly Warning[];
    }
  | { readonly id: string; readonly kind: 'unchanged'; readonly item: Item; readonly warnings: readonly Warning[] }
  | { readonly id: string; readonly kind: 'fault'; readonly fault: Fault };

interface PerformOptions {
  /** Each item must be at this version (`*` has been taken out before). */
  readonly ifMatch?: number;
  /** Makes the response that is saved with the effect under an idempotency key; for one item. */
  readonly save?: (outcome: ItemOutcome) => SavedResponse | null;
  /** The place that the token `seen` names. null: the call has no token. Absent: the operation takes none. */
  readonly seen?: SeenPlace | null | undefined;
  /** Results are written with the effects; `seq` of each id. A second result of a `seq` undoes the whole statement. */
  readonly bulk?: { readonly id: string; readonly seqs: ReadonlyMap<string, number> };
}

/** Rounds before giving up; with the rows locked only a deadlock is left that makes another necessary. */
const roundsMax = 22;

export const createDecisionContext = (
  deps: Pick<DomainDeps, 'clock' | 'directory'>,
  caller: Caller,
): DecisionContext => {
  const at = deps.clock.now();
  return {
    at,
    by: toActorRef(caller.principal),
    env: caller.env,
    person: (id) => deps.directory.person(id),
    agent: (id) => deps.directory.agent(id),
    isAnswered: () => false,
    seesResource: (name) => caller.env.definition.resources.has(name) && caller.principal.access.sees('resource', name),
    // Items are found by the time in their id, where they are looked for by their creation.
    newId: (prefix) => (prefix === 'itm' ? newIdOf(prefix, at) : newId(prefix)),
  };
};

/** Returns the item at its next version. A closed one is nobody's work. */
const nextVersion = (item: Item, version: number, at: number): Item => ({
  ...item,
  claim: item.closed ? null : item.claim,
  version,
  updatedAt: Math.max(at, item.createdAt),
});

interface Round<I> {
  readonly deps: DomainDeps;
  readonly caller: Caller;
  readonly operation: ItemOperation<I>;
  readonly input: I;
  readonly options: PerformOptions;
}

const toBulkResult = (outcome: ItemOutcome, seq: number): BulkResultInsert => {
  const base = { seq, item: outcome.id };
  if (outcome.kind !== 'fault') return { ...base, outcome: outcome.kind };
  return { ...base, outcome: toBulkOutcome(outcome.fault), error: outcome.fault.message, code: outcome.fault.code };
};

interface RoundResult {
  readonly done: ItemOutcome[];
  readonly retryIds: string[];
  /** Whether jobs follow. */
  readonly staged: boolean;
}

/** Counts the part of a bulk's write that was done, which no answer shows that is counted. */
const countBulk = ({ meter }: DomainDeps, write: ItemWrite, part: number): void => {
  const { caller, results } = write;
  if (results === null) return;
  const bytes = textLength(write) + JSON.stringify(results.rows).length;
  meter.count(caller.principal.id ?? '', caller.env.id, Math.round(bytes * part));
};

const nothing: ReadonlySet<string> = new Set();

/** Performs one round: reads, decides and writes. Returns the settled outcomes and the ids that changed concurrently. */
const tryRound = async <I>(context: Round<I>, store: ItemStore, ids: readonly string[]): Promise<RoundResult> => {
  const { deps, caller, operation, input, options } = context;
  const found = await inStatementSpan(caller.span, 'items.read', () => store.read(caller.env.id, ids));
  // Behind the items, so that what is written later raises their versions.
  const [known, answered] = await Promise.all([
    options.bulk === undefined
      ? readKnowledge(deps.db, caller, found.get(ids[0] ?? ''), options.seen)
      : unreadBy(caller),
    operation.name === 'item.reply' ? readAnswered(deps.db, caller, ids) : nothing,
  ]);
  const asked = { caller, operation, input, ifMatch: options.ifMatch, known };
  const moment = { ...createDecisionContext(deps, caller), isAnswered: (id: string) => answered.has(id) };
  const warningsOf = (item: Item): readonly Warning[] => (ids.length === 1 ? warningsFor(asked, item, moment.at) : []);
  const outcomes = new Map<string, ItemOutcome>();
  const changed: DecidedChange[] = [];
  const told = createEventBatch(caller, moment.at, () => newId('ent'), knewOf(known));
  for (const id of ids) {
    const item = found.get(id);
    const change = decideItemChange(asked, item, moment);
    if (change === 'unchanged' && item !== undefined)
      outcomes.set(id, { id, kind: 'unchanged', item, warnings: warningsOf(item) });
    else if (change instanceof Fault) outcomes.set(id, { id, kind: 'fault', fault: change });
    else if (typeof change === 'object' && item !== undefined) {
      const decided: DecidedChange = {
        before: item,
        effect: { ...change, item: nextVersion(change.item, item.version + 1, moment.at) },
      };
      changed.push(decided);
      outcomes.set(id, {
        id,
        kind: 'changed',
        item: decided.effect.item,
        warnings: warningsOf(item),
        entries: told.add(decided),
      });
    }
  }
  const results =
    options.bulk === undefined
      ? null
      : {
          bulk: options.bulk.id,
          rows: [...outcomes.values()].map((outcome) =>
            toBulkResult(outcome, options.bulk?.seqs.get(outcome.id) ?? -1),
          ),
        };
  const first = outcomes.get(ids[0] ?? '');
  const saved = first === undefined ? null : (options.save?.(first) ?? null);
  if (changed.length === 0 && saved === null && results === null)
    return { done: [...outcomes.values()], retryIds: [], staged: false };
  const write = { caller, at: moment.at, verb: operation.name, changed, events: told, saved, results };
  const written = await inStatementSpan(caller.span, 'items.write', () => store.write(write));
  const lost = (outcome: ItemOutcome): boolean => outcome.kind === 'changed' && !written.has(outcome.id);
  const all = [...outcomes.values()];
  const done = all.filter((outcome) => !lost(outcome));
  countBulk(deps, write, done.length / all.length);
  return {
    done,
    retryIds: all.filter(lost).map((outcome) => outcome.id),
    staged: changed.some(({ effect }) => (effect.jobs ?? []).length > 0),
  };
};

/**
 * Performs `operation` on each of `ids` for `caller` and returns an outcome per id, in the order of `ids`. Each change
 * is committed with its events, jobs, bulk result and saved response when this resolves. Throws when PostgreSQL is unavailable,
 * or with its duplicate-key error when the saved response's key or a bulk result exists already.
 */
export const performOperation = async <I>(
  deps: DomainDeps,
  caller: Caller,
  operation: ItemOperation<I>,
  ids: readonly string[],
  input: I,
  options: PerformOptions = {},
): Promise<ItemOutcome[]> => {
  const context: Round<I> = { deps, caller, operation, input, options };
  const outcomes = new Map<string, ItemOutcome>();
  let pending: readonly string[] = ids;
  // Who meets another goes on alone, as a shared statement does not wait for locked rows.
  let store = gatheringStore(deps.db);
  const tryPending = async ({ lock }: { readonly lock: boolean }): Promise<true | null> => {
    const current = pending;
    const settled = lock
      ? await deps.db.transaction((tx) => tryRound(context, ownStore(tx, true), current))
      : await tryRound(context, store, current);
    store = ownStore(deps.db, false);
    for (const outcome of settled.done) outcomes.set(outcome.id, outcome);
    pending = settled.retryIds;
    if (settled.staged) deps.bus.publish(channels.workAvailable, 'jobs');
    return pending.length === 0 ? true : null;
  };
  if (ids.length > 0) await retryOnConflict(tryPending, { limit: roundsMax });
  if ([...outcomes.values()].some((outcome) => outcome.kind === 'changed'))
    deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return ids.flatMap((id) => outcomes.get(id) ?? []);
};

/** Performs an operation on one item inside an open transaction, for what must commit with it. The caller nudges the outbox after the commit. */
export const performOperationTx = async <I>(
  deps: DomainDeps,
  tx: Tx,
  caller: Caller,
  operation: ItemOperation<I>,
  id: string,
  input: I,
): Promise<ItemOutcome> => {
  const {
    done: [outcome],
  } = await tryRound({ deps, caller, operation, input, options: {} }, ownStore(tx, true), [id]);
  if (outcome === undefined) throw new Error('A locked item was changed by another.');
  return outcome;
};

export const isDuplicateIdempotencyKey = (error: unknown): boolean => isUniqueViolation(error, 'idempotency_keys_pkey');
/** Each month of results has a primary key of its own. */
export const isDuplicateBulkResult = (error: unknown): boolean =>
  isUniqueViolation(error, /^bulk_results_(?:\w+_)?pkey$/);
