/** Audit rows of refused requests, for api/middleware/refusalAudit.ts and api/mcp: written before the response, never on a timeline or the stream. */
import type { Fault } from '../catalogue/errors.ts';
import type { Environment } from '../environments/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert, toEventActor } from '../platform/journal/events.ts';
import type { Caller } from './principal.ts';

const insertRefusalSql = statement(
  'audit.denied',
  eventInsert({
    env: '$1',
    at: '$2',
    verb: '$3',
    target_type: '$4',
    target: '$5',
    outcome: '$6',
    after: '$7',
    inbox: "coalesce($8, (select i.inbox from items i where i.env = $1 and i.id = $5 and $4 = 'item'))",
    ...actorParameters(9),
  }),
);

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
}

/** Inserts the audit row of a refused request. */
export const insertRefusal = async (
  db: Db,
  caller: Caller,
  { verb, target, outcome, code }: AuditRefusal,
  at: number,
): Promise<void> => {
  const id = target.id?.replaceAll('\0', '').slice(0, targetMax).toWellFormed() ?? null;
  await executeStatement(db, insertRefusalSql, [
    caller.env.id,
    at,
    verb,
    target.type,
    id,
    outcome,
    JSON.stringify({ code }),
    inboxOf(caller.env, target),
    ...actorValues(toEventActor(caller)),
  ]);
};
