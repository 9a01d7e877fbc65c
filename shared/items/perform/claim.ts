/**
 * Claims: gives an item to whoever works on it, for a time. A claim changes no version. It is given only where the item is as it was
 * read, and a change of the item is written only where its claim is as it was read (writeSql.ts), so that the row of the item decides.
 */
import { type Caller, findVisibleInbox, toActorRef, toEventActor } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { ItemClaim } from '../../catalogue/events.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { retryOnConflict } from '../../platform/db/retryOnConflict.ts';
import { queryRow, statement, takeLock } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import {
  actorValues,
  change,
  event,
  insertSavedResponse,
  keep,
  live,
  savedValues,
  writeChange,
} from '../../platform/journal/changeWriter.ts';
import { withEventIds } from '../../platform/journal/events.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { claimedFault, delegatedFault, liveClaim } from '../claims.ts';
import { claimEnd, claimHolder, readItems, type Item } from '../model.ts';
import { claimMessage } from './eventBatch.ts';
import { claimSetSql } from './writeSql.ts';

const heldSql = statement(
  'claims.held',
  `select count(*)::int as n from items i where i.env = $1 and i.claim is not null and ${claimHolder('i')} = $2 and ${claimEnd('i')} > $3`,
);

/** Returns how many items of an environment somebody holds. */
const countHeld = async (db: Db | Tx, { env, principal }: Caller, at: number): Promise<number> =>
  (await queryRow<{ n: number }>(db, heldSql, [env.id, principal.id, at]))?.n ?? 0;

const tooManyFault = (): Fault =>
  fault('rate_limited', `You hold ${String(limits.claims)} items already; release some of them.`, {
    headers: { 'retry-after': '10' },
  });

/** Claims that statements of the same principal may add before this one sees them. */
const underWay = 64;

/**
 * Runs `give` with the number of claims that the caller may still get. Near the limit the caller's calls run one after the other, so
 * that they do not pass it together. Throws `rate_limited` where none is left.
 */
export const withinLimit = async <T>(
  { db }: DomainDeps,
  caller: Caller,
  { at, wanted }: { readonly at: number; readonly wanted: number },
  give: (db: Db | Tx, left: number) => Promise<T>,
): Promise<T> => {
  const giveUpTo = (to: Db | Tx, held: number): Promise<T> => {
    if (held >= limits.claims) throw tooManyFault();
    return give(to, limits.claims - held);
  };
  const held = await countHeld(db, caller, at);
  if (held + wanted <= limits.claims - underWay) return giveUpTo(db, held);
  return db.transaction(async (tx) => {
    await takeLock(tx, `claims ${caller.principal.id ?? ''}`, caller.env.id);
    return giveUpTo(tx, await countHeld(tx, caller, at));
  });
};

const claimOne = change(
  'claims.one',
  {
    moved: claimSetSql('(select $item::text as id, $claim::jsonb as claim)', {
      where: 'i.version = $version::int and i.claim is not distinct from $held::jsonb',
      returning: 'i.id, i.inbox',
    }),
    numbered: withEventIds('moved', 'moved.id as item, inbox', 'id'),
    happened: event(
      { id: 'id', inbox: 'inbox', item: 'item', entry: '$entry', type: "'claim_taken'", data: '$data::jsonb' },
      { from: 'numbered' },
    ),
    told: live({ id: 'id', inbox: 'inbox', deltas: '$deltas::jsonb', whole: 'true' }, { from: 'numbered' }),
    kept: keep({ where: 'exists (select from moved)' }),
  },
  'select item from numbered',
);

interface OneClaim {
  readonly item: Item;
  readonly claim: ItemClaim | null;
  readonly at: number;
  readonly saved: SavedResponse | null;
}

/** Gives or ends the claim of an item that is as it was read. Returns whether it was. */
const writeClaim = async (db: Db | Tx, caller: Caller, { item, claim, at, saved }: OneClaim): Promise<boolean> => {
  const former = liveClaim(item, at);
  const takenFrom = claim !== null && former !== null && former.by.id !== claim.by.id ? former.by : null;
  const actor = toActorRef(caller.principal);
  const entry = { id: newId('ent'), item: item.id, type: 'claim_taken', at, actor, data: { from: takenFrom } };
  const told = `{"type":"timeline","inbox":"${item.inbox}","change":"created","item":"${item.id}","entry":${JSON.stringify(entry)}}`;
  const messages = [claimMessage({ ...item, claim }), ...(takenFrom === null ? [] : [told])];
  const difference = Number(claim !== null) - Number(item.claim !== null);
  const written = await writeChange(
    db,
    claimOne,
    {
      env: caller.env.id,
      item: item.id,
      claim,
      version: item.version,
      held: item.claim,
      at,
      entry: entry.id,
      data: entry.data,
      live: `[${messages.join(',')}]`,
      deltas: difference === 0 ? {} : { claimed: difference },
      ...actorValues(toEventActor(caller)),
      ...savedValues(saved),
    },
    { has: { happened: takenFrom !== null } },
  );
  return written > 0;
};

/** Throws `not_found` for an item that the caller does not see, and `forbidden` where they claim nothing. */
const requireMayClaim = (caller: Caller, item: Item | undefined): Item => {
  if (item === undefined || findVisibleInbox(caller, item.inbox) === undefined) throw fault('not_found');
  if (caller.principal.mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
  if (!caller.principal.access.can('inbox', item.inbox, 'claim'))
    throw fault('forbidden', `Your role does not allow claim in the inbox ${item.inbox}.`);
  return item;
};

const roundsMax = 20;

interface ClaimedItem {
  readonly item: Item;
  readonly changed: boolean;
}

type SaveClaimed = (claimed: ClaimedItem) => SavedResponse | null;

/** Reads an item and writes the claim that `decide` gives it, again where the item changes meanwhile. `unchanged`: it stays as it is. */
const performClaim = (
  deps: DomainDeps,
  caller: Caller,
  id: string,
  save: SaveClaimed,
  decide: (item: Item, at: number) => ItemClaim | null | 'unchanged',
): Promise<ClaimedItem> =>
  retryOnConflict<ClaimedItem>(
    async () => {
      const at = deps.clock.now();
      const item = requireMayClaim(caller, (await readItems(deps.db, caller.env.id, [id])).get(id));
      const claim = decide(item, at);
      if (claim === 'unchanged') {
        const same = { item, changed: false };
        const saved = save(same);
        if (saved !== null) await insertSavedResponse(deps.db, saved, at);
        return same;
      }
      const claimed = { item: { ...item, claim }, changed: true };
      const write = (db: Db | Tx): Promise<boolean> =>
        writeClaim(db, caller, { item, claim, at, saved: save(claimed) });
      const isMore = claim !== null && liveClaim(item, at)?.by.id !== caller.principal.id;
      if (!(await (isMore ? withinLimit(deps, caller, { at, wanted: 1 }, write) : write(deps.db)))) return null;
      deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
      return claimed;
    },
    { limit: roundsMax },
  );

/**
 * Claims an item, or renews the caller's claim. With `takeOver` a person takes it from another. Throws `claimed` where another works on
 * it, of an agent where another agent is its delegate, and `rate_limited` at `limits.claims`.
 */
export const claimItem = (
  deps: DomainDeps,
  caller: Caller,
  { id, lease, takeOver }: { readonly id: string; readonly lease: number; readonly takeOver: boolean },
  save: SaveClaimed,
): Promise<ClaimedItem> => {
  const by = toActorRef(caller.principal);
  return performClaim(deps, caller, id, save, (item, at) => {
    if (takeOver && by.type !== 'person') throw fault('person_required', 'Only a person takes an item over.');
    const held = liveClaim(item, at);
    if (held !== null && held.by.id !== by.id && !takeOver) throw claimedFault(held, by.type);
    if (by.type === 'agent' && item.delegate !== null && item.delegate !== by.id) throw delegatedFault(item.delegate);
    return { by, until: at + lease };
  });
};

/** Ends the caller's claim of an item. Nothing changes where the caller has none. */
export const releaseItem = (deps: DomainDeps, caller: Caller, id: string, save: SaveClaimed): Promise<ClaimedItem> =>
  performClaim(deps, caller, id, save, (item, at) =>
    liveClaim(item, at)?.by.id === caller.principal.id ? null : 'unchanged',
  );
