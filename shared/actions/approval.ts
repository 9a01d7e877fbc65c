/** A run that a person has to approve first: written as pending, with the approval that it waits for. */
import type { By } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../agents/principal.ts';
import { newId } from '../core/ids.ts';
import { isDuplicate } from '../db/errors.ts';
import { row, run, statement } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { SavedAnswer } from '../perform/write.ts';
import { keepAnswer } from '../perform/once.ts';
import { channels } from '../redis/bus.ts';
import type { Accepted } from './accept.ts';
import type { Ready } from './check.ts';
import type { Run } from './model.ts';
import { beginRun } from './write.ts';

export interface Requested {
  readonly run: Run;
  /** Tells equal requests of one principal apart from others. */
  readonly fingerprint: Buffer;
  readonly record: Ready['record'];
}

const insert = statement('approvals.insert', `
  insert into approvals (id, env, kind, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request, before, run, item, entry, request_id, address)
  values ($1, $2, 'action', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);

const same = statement('approvals.same', `
  select id, run from approvals where env = $1 and actor = $2 and fingerprint = $3 and status = 'pending' and expires_at > $4`);

const sameRequest = async (deps: Deps, env: number, { run: { actor }, fingerprint }: Requested): Promise<Accepted | null> => {
  const found = await row<{ id: string; run: string }>(deps.db, same, [env, actor, fingerprint, deps.clock.now()]);
  return found === undefined ? null : { kind: 'pending', run: found.run, approval: found.id };
};

const summaryOf = ({ label, resource, record }: Run): string => (record === null ? label : `${label}: ${resource ?? ''} ${record}`);

/** The same request by the same principal while one is pending answers with that one. */
export const requestApproval = async (deps: Deps, caller: Caller, wanted: Requested, save: (accepted: Accepted) => SavedAnswer | null): Promise<Accepted> => {
  const { db, bus, clock } = deps;
  const found = await sameRequest(deps, caller.env.id, wanted);
  if (found !== null) return repeated(deps, found, save(found));
  const approval = newId('apr');
  const pending: Run = { ...wanted.run, status: 'pending', approval };
  const accepted: Accepted = { kind: 'pending', run: pending.id, approval };
  const by: By = { type: pending.actor_type, id: pending.actor, name: pending.actor_name };
  const at = clock.now();
  try {
    await db.transaction(async (tx) => {
      await beginRun(tx, pending, { due: null, saved: save(accepted), unlessQueued: false });
      await run(tx, insert, [
        approval, caller.env.id, summaryOf(pending), by.type, by.id, by.name, at, at + limits.approvalMs, wanted.fingerprint,
        JSON.stringify({ action: pending.action, resource: pending.resource, record: pending.record, item: pending.item, input: pending.input }),
        wanted.record === null || wanted.record === 'unverified' ? null : JSON.stringify(wanted.record),
        pending.id, pending.item, pending.entry, caller.requestId, caller.address,
      ]);
    });
  } catch (error) {
    const other = isDuplicate(error, 'approvals_same') ? await sameRequest(deps, caller.env.id, wanted) : null;
    if (other === null) throw error;
    return repeated(deps, other, save(other));
  }
  bus.publish(channels.nudge, 'outbox');
  return accepted;
};

const repeated = async ({ db, clock }: Deps, accepted: Accepted, saved: SavedAnswer | null): Promise<Accepted> => {
  if (saved !== null) await keepAnswer(db, saved, clock.now());
  return accepted;
};
