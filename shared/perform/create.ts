/** Performs the creation of an item, or the occurrence that it turns out to be: the same writing as every change. */
import { Fault, fault } from '../catalogue/errors.ts';
import { newId } from '../core/ids.ts';
import { isConflict, isDuplicate } from '../db/errors.ts';
import type { Db, Tx } from '../db/knex.ts';
import { row, statement } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../agents/principal.ts';
import { channels } from '../redis/bus.ts';
import { countsUser, readItemByKey, type Item } from '../items/model.ts';
import { decideCreate, type CreateFacts, type CreateInput } from '../items/operations/create.ts';
import { modeProblem, visibleInbox } from './gates.ts';
import type { Inbox } from '../environments/definition.ts';
import { momentOf } from './perform.ts';
import { newTelling, type Decided } from './tell.ts';
import { writeBatch, type SavedAnswer } from './write.ts';

export interface Created {
  readonly item: Item;
  /** false: an occurrence was added to the item that had the key. */
  readonly isNew: boolean;
}

type Save = (created: Created) => SavedAnswer | null;

const recordTitle = statement('records.title', 'select title from records where env = $1 and resource = $2 and id = $3');

/** Optimistic rounds before the row is locked, and rounds before giving up. */
const optimisticRounds = 3;
const roundsMax = 20;

const factsOf = async (db: Db | Tx, caller: Caller, existing: Item | null, { record, user }: CreateInput): Promise<CreateFacts> => ({
  recordTitle: record === undefined || existing !== null ? null : ((await row<{ title: string }>(db, recordTitle, [caller.env.id, record.resource, record.id]))?.title ?? null),
  knownUser: existing !== null && user !== undefined && (await countsUser(db, caller.env.id, existing.id, user)),
});

const allowedInbox = (caller: Caller, name: string): Inbox => {
  const inbox = visibleInbox(caller, name);
  if (inbox === undefined) throw fault('not_found');
  const problem = modeProblem(caller.principal);
  if (problem !== null) throw problem;
  if (!caller.principal.access.can('inbox', name, 'create')) throw fault('forbidden', `Your role does not allow create in the inbox ${name}.`);
  return inbox;
};

/** One round: decides on what is there now and writes it; null when that changed underneath. */
const round = async (deps: Deps, db: Db | Tx, caller: Caller, input: CreateInput, save: Save, lock: boolean): Promise<Created | null> => {
  const inbox = allowedInbox(caller, input.inbox);
  const moment = momentOf(deps, caller);
  const existing = input.key === undefined ? null : await readItemByKey(db, caller.env.id, input.inbox, input.key, lock);
  const facts = await factsOf(db, caller, existing, input);
  const change = decideCreate(existing, inbox, input, facts, moment, (resource) => caller.principal.access.sees('resource', resource));
  if (change instanceof Fault) throw change;
  if (change === 'unchanged') throw new Error('Creating always changes something.');
  const item = existing === null ? change.item : { ...change.item, version: existing.version + 1, updatedAt: moment.at };
  const decided: Decided = { before: existing, effect: { ...change, item } };
  const told = newTelling(caller, moment.at, () => newId('ent'));
  told.add(decided);
  const created: Created = { item, isNew: existing === null };
  const written = await writeBatch(db, caller, { verb: created.isNew ? 'item.create' : 'item.occur', changed: [decided], told, saved: save(created), results: null }, moment.at);
  return written.size === 1 ? created : null;
};

/** Creates an item, or adds an occurrence to the one with the same key. Throws the fault that stands in the way. */
export const performCreate = async (deps: Deps, caller: Caller, input: CreateInput, save: Save): Promise<Created> => {
  for (let attempt = 0; attempt < roundsMax; attempt++) {
    try {
      const created = await (attempt < optimisticRounds
        ? round(deps, deps.db, caller, input, save, false)
        : deps.db.transaction((tx) => round(deps, tx, caller, input, save, true)));
      if (created !== null) {
        deps.bus.publish(channels.nudge, 'outbox');
        return created;
      }
    } catch (error) {
      if (!isDuplicate(error, 'items_key') && !isConflict(error)) throw error;
    }
  }
  throw fault('conflict', 'This item is being changed by many at once; try again.');
};
