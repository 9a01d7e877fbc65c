/**
 * Performs the creation of items, or the occurrences that they turn out to be: the same writing as every change. One
 * at a time for `POST /items`, many at once for the reports of an app (items/report.ts).
 */
import { Fault, fault } from '../../catalogue/errors.ts';
import { newId } from '../../platform/core/ids.ts';
import { isConflict, isDuplicate } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import type { Caller } from '../../access/principal.ts';
import { channels } from '../../platform/redis/bus.ts';
import type { Item } from '../model.ts';
import { checkDeclared, decideCreate, type CreateInput, type Happening } from '../operations/create.ts';
import { readFacts, type Found } from './createFacts.ts';
import { modeProblem, visibleInbox } from '../../access/gates.ts';
import type { Inbox } from '../../environments/definition.ts';
import { momentOf } from './perform.ts';
import { newTelling, type Decided } from './tell.ts';
import { writeBatch } from './write.ts';
import type { SavedAnswer } from '../../platform/journal/answers.ts';

export interface Created {
  readonly item: Item;
  /** false: an occurrence was added to the item that had the key. */
  readonly isNew: boolean;
  /** Whether jobs follow from it. */
  readonly staged: boolean;
}

/** What is to be created: its input has passed `checkCreate`. */
export interface Asked {
  readonly input: CreateInput;
  /** null: once, now. */
  readonly happened: Happening | null;
  /** Of the reports that it is made of; `first`: of the one that makes the item, if it is new. */
  readonly deliveries: readonly { readonly delivery: string; readonly first: boolean }[];
}

type Save = (created: Created) => SavedAnswer | null;

const saveNothing: Save = () => null;

/** Optimistic rounds before the row is locked, and rounds before giving up. */
const optimisticRounds = 3;
const roundsMax = 20;

/** The inbox that the input names, if the caller may create there what fits it. Throws the fault that stands in the way. */
export const checkAllowed = (caller: Caller, input: CreateInput): Inbox => {
  const { access } = caller.principal;
  const inbox = visibleInbox(caller, input.inbox);
  if (inbox === undefined) throw fault('not_found');
  const problem = modeProblem(caller.principal);
  if (problem !== null) throw problem;
  if (!access.can('inbox', input.inbox, 'create')) throw fault('forbidden', `Your role does not allow create in the inbox ${input.inbox}.`);
  checkDeclared(inbox, input, caller.env.definition.resources, (resource) => access.sees('resource', resource));
  return inbox;
};

interface Decision {
  readonly asked: Asked;
  readonly decided: Decided;
}

const decide = (deps: DomainDeps, caller: Caller, asked: Asked, { existing, facts, moment }: Found): Decision => {
  const { input } = asked;
  const { at } = moment;
  const happened = asked.happened ?? { count: 1, from: at, to: at, users: input.user === undefined ? [] : [input.user] };
  const change = decideCreate({ existing, inbox: checkAllowed(caller, input), input, happened, facts }, moment);
  if (change instanceof Fault) throw change;
  if (change === 'unchanged') throw new Error('Creating always changes something.');
  const item = existing === null ? change.item : { ...change.item, version: existing.version + 1, updatedAt: at };
  return { asked, decided: { before: existing, effect: { ...change, item } } };
};

/** In one order, so that two processes that write the same keys at once don't wait for each other in a circle. */
const byKey = (a: Decision, b: Decision): number => {
  const [first, second] = [a.asked.input.key ?? '', b.asked.input.key ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
};

const createdOf = ({ before, effect }: Decided): Created => ({ item: effect.item, isNew: before === null, staged: (effect.jobs ?? []).length > 0 });

/** Writes new items, or changed ones; answers the ids of those that were still as they had been read. */
const write = async (db: Db | Tx, caller: Caller, some: readonly Decision[], { at, save }: { at: number; save: Save }): Promise<Set<string>> => {
  const [first] = some;
  if (first === undefined) return new Set();
  const told = newTelling(caller, at, () => newId('ent'));
  for (const { decided } of some) told.add(decided);
  const created = createdOf(first.decided);
  const deliveries = some.flatMap(({ asked, decided: { before, effect } }) =>
    asked.deliveries.map(({ delivery, first: makes }) => ({ delivery, item: effect.item.id, created: makes && before === null })));
  return writeBatch(db, caller, {
    verb: created.isNew ? 'item.create' : 'item.occur', changed: some.map(({ decided }) => decided), told, saved: save(created), results: null, deliveries,
  }, at);
};

/** One round over inputs of different keys: decides on what is there now and writes it; null for what changed underneath. */
const round = async (deps: DomainDeps, db: Db | Tx, caller: Caller, all: readonly Asked[], { save, lock }: { save: Save; lock: boolean }): Promise<(Created | Error | null)[]> => {
  const moment = momentOf(deps, caller);
  const found = await readFacts(db, caller, all, moment, lock);
  const decisions = all.map((asked, i): Decision | Fault => {
    try {
      return decide(deps, caller, asked, found[i] ?? { existing: null, facts: { recordTitle: null, newUsers: [] }, moment });
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  });
  const outcomes = new Map<Asked, Created | Error>();
  for (const isNew of [true, false]) {
    const some = decisions.filter((decision) => !(decision instanceof Fault) && (decision.decided.before === null) === isNew) as Decision[];
    some.sort(byKey);
    try {
      const written = await write(db, caller, some, { at: moment.at, save });
      for (const { asked, decided } of some) if (written.has(decided.effect.item.id)) outcomes.set(asked, createdOf(decided));
    } catch (error) {
      if (all.length === 1 || !(error instanceof Error)) throw error;
      // One of many stood in the way of all: nothing was written, and each is done by itself.
      if (!isDuplicate(error) && !isConflict(error)) for (const { asked } of some) outcomes.set(asked, error);
    }
  }
  return decisions.map((decision) => (decision instanceof Fault ? decision : (outcomes.get(decision.asked) ?? null)));
};

const nudge = ({ bus }: DomainDeps, staged: boolean): void => {
  bus.publish(channels.nudge, 'outbox');
  if (staged) bus.publish(channels.nudge, 'jobs');
};

const performOne = async (deps: DomainDeps, caller: Caller, asked: Asked, save: Save): Promise<Created> => {
  for (let attempt = 0; attempt < roundsMax; attempt++) {
    try {
      const [created] = await (attempt < optimisticRounds
        ? round(deps, deps.db, caller, [asked], { save, lock: false })
        : deps.db.transaction((tx) => round(deps, tx, caller, [asked], { save, lock: true })));
      if (created instanceof Error) throw created;
      if (created !== null && created !== undefined) return created;
    } catch (error) {
      if (!isDuplicate(error, 'items_key') && !isConflict(error)) throw error;
    }
  }
  throw fault('conflict', 'This item is being changed by many at once; try again.');
};

/** Creates an item, or adds an occurrence to the one with the same key. Throws the fault that stands in the way. */
export const performCreate = async (deps: DomainDeps, caller: Caller, input: CreateInput, save: Save): Promise<Created> => {
  const created = await performOne(deps, caller, { input, happened: null, deliveries: [] }, save);
  nudge(deps, created.staged);
  return created;
};

/** The same inside an open transaction. The caller nudges the outbox after the commit. */
export const performCreateIn = async (deps: DomainDeps, tx: Tx, caller: Caller, input: CreateInput): Promise<Created> => {
  const [created] = await round(deps, tx, caller, [{ input, happened: null, deliveries: [] }], { save: saveNothing, lock: true });
  if (created instanceof Error) throw created;
  if (created === null || created === undefined) throw fault('conflict', 'This item is being changed by many at once; try again.');
  return created;
};

/**
 * The same for many inputs of different keys, in few statements, with the deliveries that they answer. What stands in the
 * way of one is answered in its place: a fault, or PostgreSQL's error when a delivery was there already (`isDelivered`).
 */
export const performCreates = async (deps: DomainDeps, caller: Caller, all: readonly Asked[]): Promise<(Created | Error)[]> => {
  const done = all.length === 1 ? [] : await round(deps, deps.db, caller, all, { save: saveNothing, lock: false });
  const results: (Created | Error)[] = [];
  for (const [i, asked] of all.entries()) {
    const result = done[i] ?? await performOne(deps, caller, asked, saveNothing).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    results.push(result);
  }
  nudge(deps, results.some((result) => !(result instanceof Error) && result.staged));
  return results;
};

export const isDelivered = (error: unknown): boolean => isDuplicate(error, 'deliveries_pkey');
