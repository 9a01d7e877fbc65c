/**
 * The least that a run costs: prepared statements written by hand that insert one, mark it as dispatched, and settle it, with the
 * audit entries and live messages that it has. Used by programs/roundTrip.ts and programs/backgroundLimit.ts.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const event = `insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, before, after, request_id, address, is_update)`;
const live = (run: string, status: string): string =>
  `'[{"type":"run","run":{"id":"' || ${run} || '","action":"' || r.action || '","status":"${status}","attempts":1,"message":"Done.","blocks":[],"by":{"type":"agent","id":"' || r.actor || '","name":"bench"}}}]'`;

/** $1 id, $2 environment, $3 action, $4 agent, $5 now, $6 connection, $7 request id, $8 status. */
const insertSql = `
  with r as (
    insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, attempts, actor_type, actor, actor_name, role,
      requested_at, started_at, handed_at, connection, fence, request_id, address)
    values ($1, $2, $3, 'Run', '{}', $8, $8 = 'queued', false, 60000, case when $8 = 'queued' then 0 else 1 end, 'agent', $4, 'bench', 'admin',
      $5::bigint, case when $8 = 'queued' then null else $5::bigint end, case when $8 = 'queued' then null else $5::bigint end,
      case when $8 = 'queued' then null else $6::text end, case when $8 = 'queued' then 0 else 1 end, $7, '127.0.0.1')
    returning *),
  e as (
    ${event} select env, requested_at, 'agent', actor, 'bench', 'admin', 'action.run', 'run', id, null,
      jsonb_build_object('action', action, 'status', status, 'attempt', 1, 'record', null, 'resource', null, 'bulk', null), request_id, address, false from r
    returning id)
  insert into outbox (id, env, at, parts) select e.id, r.env, r.requested_at, ${live('r.id', 'running')} from r, e`;

/** $1 id, $2 now, $3 connection. */
const dispatchSql = `
  update runs set status = 'running', attempts = 1, fence = 1, started_at = $2::bigint, handed_at = $2::bigint, connection = $3::text
  where id = $1 and status = 'queued' and fence = 0`;

/** $1 id, $2 now. */
const settleSql = `
  with r as (
    update runs set status = 'succeeded', message = 'Done.', blocks = '[]', progress = 1, finished_at = $2::bigint
    where id = $1 and status = 'running' and fence = 1 returning *),
  e as (
    ${event} select env, finished_at, 'agent', actor, 'bench', 'admin', 'action.succeed', 'run', id, '{"status":"running"}',
      jsonb_build_object('action', action, 'status', status, 'record', null, 'resource', null), request_id, address, true from r
    returning id)
  insert into outbox (id, env, at, parts) select e.id, r.env, r.finished_at, ${live('r.id', 'succeeded')} from r, e`;

export interface RunTable {
  /** Returns the id of a new run. */
  insert(status: 'queued' | 'running'): Promise<string>;
  dispatch(id: string): Promise<void>;
  settle(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens as many connections as an API process has; the settings of the sessions are the service's. */
export const openRunTable = async (environment: string, agent: string, action: string): Promise<RunTable> => {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 6 });
  const { rows } = await pool.query<{ env: number; connection: string | null }>(
    'select e.id as env, (select c.id from app_connections c where c.env = e.id limit 1) as connection from environments e where e.name = $1',
    [environment],
  );
  const { env = 0, connection = null } = rows[0] ?? {};
  const prefix = `run_01${randomBytes(8).toString('hex')}`;
  let last = 0;
  const run = async (name: string, text: string, values: unknown[]): Promise<void> => {
    const { rowCount } = await pool.query({ name, text, values });
    if (rowCount !== 1) throw new Error(`${name} changed ${String(rowCount)} rows.`);
  };
  return {
    insert: async (status) => {
      last += 1;
      const id = `${prefix}${last.toString(36).padStart(8, '0')}`;
      await run('insert', insertSql, [id, env, action, agent, Date.now(), connection, `req_${String(last)}`, status]);
      return id;
    },
    dispatch: (id) => run('dispatch', dispatchSql, [id, Date.now(), connection]),
    settle: (id) => run('settle', settleSql, [id, Date.now()]),
    close: () => pool.end(),
  };
};
