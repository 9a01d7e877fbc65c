/**
 * Who is connected, as rows in PostgreSQL by its clock: written by the process that holds a socket, read by all, and
 * swept by the workers when that process was killed. Coming online and going offline is told here.
 */
import type { Clock } from '../platform/core/clock.ts';
import type { Db } from '../platform/db/knex.ts';
import { row, rows, statement } from '../platform/db/sql.ts';
import { nowSql } from '../platform/outbox/lease.ts';
import { channels, type Bus, type PassingMessage } from '../platform/redis/bus.ts';
import { linkLimits } from './protocol.ts';

export interface PresenceParts {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** A connection as it registers. */
export interface Arrival {
  readonly id: string;
  readonly env: number;
  readonly appKey: string;
  readonly instance: string;
  readonly process: string;
  readonly declares: readonly string[];
  readonly startedAt: number;
}

export interface PresenceRow {
  readonly id: string;
  readonly instance: string;
  readonly process: string;
  readonly declares: readonly string[];
  readonly busy: number;
  readonly seenAt: number;
}

const freshSql = `seen_at > ${nowSql} - ${String(linkLimits.goneMs)}`;

/** Another row of the same instance is its socket of before, whose place this one takes. */
const arriveRow = statement('applink.arrive', `
  with replaced as (delete from app_connections where env = $2 and instance = $4 and id <> $1 returning id, process),
  arrived as (
    insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${nowSql}, ${nowSql})
  )
  select coalesce((select json_agg(json_build_object('id', id, 'process', process)) from replaced), '[]') as replaced,
    not exists (select from app_connections where env = $2 and ${freshSql}) as first`);
/** Back after its row was swept (a process that was frozen, PostgreSQL away), unless a later socket of its instance is there. */
const returnRow = statement('applink.return', `
  insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at)
  select $1, $2, $3, $4, $5, $6, $7, ${nowSql}, ${nowSql}
  where not exists (select from app_connections where env = $2 and instance = $4 and id <> $1)
  on conflict (id) do nothing
  returning not exists (select from app_connections where env = $2 and id <> $1 and ${freshSql}) as first`);
const renewRows = statement('applink.renew', `
  update app_connections c set seen_at = ${nowSql}, busy = held.busy
  from unnest($1::text[], $2::int[]) as held (id, busy) where c.id = held.id returning c.id`);
const leaveRows = statement('applink.leave', 'delete from app_connections where id = any($1) returning env');
const sweepRows = statement('applink.sweep', `delete from app_connections where not ${freshSql} returning env`);
/** A statement of its own, after the removal has committed: of two who leave at once, one sees that nobody is left. */
const leftIn = statement('applink.left', `select env from unnest($1::int[]) as asked (env)
  where not exists (select from app_connections c where c.env = asked.env and ${freshSql})`);
const connected = statement('applink.connected', `
  select id, instance, process, declares, busy, seen_at as "seenAt" from app_connections where env = $1 and ${freshSql}`);
const waitingEnvs = statement('applink.waiting', `
  select distinct env from app_connections c
  where ${freshSql} and exists (select from staged_jobs j where j.env = c.env and j.waits_for_app)`);

/** Tells every process (a hint) and every live stream. `changed` false: another instance came or went, which only processes want to know. */
const tell = ({ bus, clock }: PresenceParts, env: number, online: boolean, changed: boolean): void => {
  bus.publish(channels.app, JSON.stringify({ env, online, changed }));
  if (!changed) return;
  const message: PassingMessage = { kind: 'passing', at: clock.now(), part: { type: 'app', online } };
  bus.publish(channels.live(env), JSON.stringify(message));
};

const values = ({ id, env, appKey, instance, process, declares, startedAt }: Arrival): Parameters<typeof row>[2] => [id, env, appKey, instance, process, declares, startedAt];

/** Answers the sockets whose place it takes. */
export const arrive = async (parts: PresenceParts, arrival: Arrival): Promise<readonly { readonly id: string; readonly process: string }[]> => {
  const found = await row<{ replaced: { id: string; process: string }[]; first: boolean }>(parts.db, arriveRow, values(arrival));
  tell(parts, arrival.env, true, found?.first === true);
  return found?.replaced ?? [];
};

/** False: a later socket of the same instance is there. */
export const comeBack = async (parts: PresenceParts, arrival: Arrival): Promise<boolean> => {
  const found = await row<{ first: boolean }>(parts.db, returnRow, values(arrival));
  if (found !== undefined) tell(parts, arrival.env, true, found.first);
  return found !== undefined;
};

/** Answers the ids that are still there. */
export const renew = async (db: Db, held: readonly { readonly id: string; readonly busy: number }[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(db, renewRows, [held.map(({ id }) => id), held.map(({ busy }) => busy)]);
  return new Set(found.map(({ id }) => id));
};

const told = async (parts: PresenceParts, gone: readonly { readonly env: number }[]): Promise<void> => {
  const envs = [...new Set(gone.map(({ env }) => env))];
  if (envs.length === 0) return;
  const empty = new Set((await rows<{ env: number }>(parts.db, leftIn, [envs])).map(({ env }) => env));
  for (const env of envs) tell(parts, env, !empty.has(env), empty.has(env));
};

export const leave = async (parts: PresenceParts, ids: readonly string[]): Promise<void> => told(parts, await rows<{ env: number }>(parts.db, leaveRows, [ids]));

/** Removes those whose process has not spoken for them for 15 s. */
export const sweepGone = async (parts: PresenceParts): Promise<void> => told(parts, await rows<{ env: number }>(parts.db, sweepRows));

export const presentIn = (db: Db, env: number): Promise<PresenceRow[]> => rows<PresenceRow>(db, connected, [env]);

/** Environments whose app is there while jobs wait for it. */
export const waitingWhileOnline = async (db: Db): Promise<number[]> => (await rows<{ env: number }>(db, waitingEnvs)).map(({ env }) => env);
