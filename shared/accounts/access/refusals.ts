/**
 * Audit rows of refused requests, written before the response, never on a timeline or the stream: for
 * api/middleware/observers.ts and api/mcp. Denials that repeat are counted; workers/sweeps/index.ts writes their number.
 */
import type { Environment } from '../../app/manifest/definition.ts';
import type { Fault } from '../../catalogue/errors.ts';
import type { Db } from '../../platform/db/knex.ts';
import { actor, actorValues, change, event, queryChange, writeChange } from '../../platform/journal/changeWriter.ts';
import { sameColumns } from '../../platform/journal/inserts.ts';
import { type Caller, toEventActor } from './principal.ts';

const inboxSql = "coalesce($inbox, (select i.inbox from items i where i.env = $env and i.id = $id and $type = 'item'))";

/** Counts a denial; inserts the event of any other refusal, and of the first denial of a principal, verb and target. */
const refusalChange = change('audit.denied', {
  counted: `
    insert into refusals as r (env, actor_type, actor, verb, target_type, target, since, last_at, count, code, inbox, actor_name, role, request_id, address)
    select $env::int, ${actor.actor_type}, coalesce(${actor.actor}, ''), $verb::text, $type::text, coalesce($id::text, ''), $at::bigint, $at::bigint, 0,
      $after::jsonb ->> 'code', ${inboxSql}, ${actor.actor_name}, ${actor.role}, ${actor.request_id}, ${actor.address}
    where $outcome::text = 'denied'
    on conflict (env, actor_type, actor, verb, target_type, target) do update set
      count = r.count + 1, last_at = greatest(r.last_at, excluded.last_at), code = excluded.code, request_id = excluded.request_id, address = excluded.address
    returning r.count`,
  happened: event(
    { verb: '$verb', target_type: '$type', target: '$id', outcome: '$outcome', after: '$after', inbox: inboxSql },
    { where: 'not exists (select from counted where count > 0)' },
  ),
});

/** How long denials of one principal, verb and target are counted, in ms. */
export const countedMs = 60_000;

/** Rows of one statement: a flood of different targets has many. */
const closedRows = 500;

const closeChange = change(
  'audit.closeRefusals',
  {
    closed: `
    delete from refusals where ctid = any (array(
      select ctid from refusals where since <= $until::bigint order by since limit ${String(closedRows)} for update skip locked))
    returning *`,
    happened: event(
      {
        ...sameColumns([
          'env',
          'verb',
          'target_type',
          'inbox',
          'actor_type',
          'actor_name',
          'role',
          'request_id',
          'address',
        ]),
        actor: "nullif(actor, '')",
        target: "nullif(target, '')",
        outcome: "'denied'",
        after: `jsonb_build_object('code', code, 'count', count, 'from', since, 'to', last_at)`,
      },
      { from: 'closed', where: 'count > 0', orderBy: 'since' },
    ),
  },
  'select count(*)::int as n from closed',
);

/** Inserts an event with the number of denials for each group whose time is over. */
export const closeRefusals = async (db: Db, now: number): Promise<void> => {
  let closed: number;
  do {
    const [done] = await queryChange<{ n: number }>(db, closeChange, { until: now - countedMs, at: now });
    closed = done?.n ?? 0;
  } while (closed === closedRows);
};

const failedStatuses = new Set([409, 412, 422, 502, 503, 504]);

/** Returns `denied` for 403 and 404, `failed` for a change that was allowed but couldn't be made, and null for a fault that isn't audited. */
export const auditOutcomeOf = ({ status, code }: Fault): 'denied' | 'failed' | null => {
  if (status === 403 || status === 404) return 'denied';
  return failedStatuses.has(status) && code !== 'unavailable' && code !== 'in_progress' ? 'failed' : null;
};

/** Longer ids name nothing that exists; this many characters are enough to recognise what was typed. */
const targetMax = 200;

/** Returns the inbox that a refusal is about, as only roles that see the inbox see the row; the statement finds the inbox of an item. */
const inboxOf = ({ definition }: Environment, { type, id }: AuditRefusal['target']): string | null =>
  type === 'inbox' && id !== null && definition.inboxes.has(id) ? id : null;

interface AuditRefusal {
  readonly verb: string;
  readonly target: { readonly type: string; readonly id: string | null };
  readonly outcome: 'denied' | 'failed';
  readonly code: string;
  readonly dryRun?: boolean;
}

/** Inserts the audit row of a refused request, or counts it. */
export const insertRefusal = async (
  db: Db,
  caller: Caller,
  { verb, target, outcome, code, dryRun = false }: AuditRefusal,
  at: number,
): Promise<void> => {
  const id = target.id?.replaceAll('\0', '').slice(0, targetMax).toWellFormed() ?? null;
  await writeChange(db, refusalChange, {
    env: caller.env.id,
    at,
    verb,
    type: target.type,
    id,
    outcome,
    after: { code, ...(dryRun ? { dryRun } : {}) },
    inbox: inboxOf(caller.env, target),
    ...actorValues(toEventActor(caller)),
  });
};
