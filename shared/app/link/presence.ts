/**
 * Presence: the connections of apps as rows of `app_connections`, by PostgreSQL's clock. The process that has a socket writes
 * its row, all processes read them, and a sweep of the workers deletes those of killed processes. Changes are published here.
 */
import { isOnlineSql } from '../../catalogue/states/connections.ts';
import { isParkedJobSql } from '../../catalogue/states/stagedJobs.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import {
  type NamedValues,
  namedStatement,
  queryNamedRows,
  executeStatement,
  queryRows,
  statement,
} from '../../platform/db/sql.ts';
import { dbNowSql } from '../../platform/leases/leaderLease.ts';
import { channels, type Bus, type EphemeralMessage } from '../../platform/redis/bus.ts';
import type { Clock } from '../../platform/time/clock.ts';
import { linkLimits } from './protocol.ts';

interface PresenceDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** A connection as api/applink writes it at registration. */
export interface ConnectionRegistration {
  readonly id: string;
  readonly envId: number;
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

/** Whether the row `c` is of a connection that is online. */
const freshSql = isOnlineSql('c', `${dbNowSql} - ${String(linkLimits.goneMs)}`);

/** Another row of the same instance is its former socket, which this one replaces. */
const insertConnectionSql = namedStatement(
  'applink.arrive',
  () => `
  with replaced as (delete from app_connections where env = $env and instance = $instance and id <> $id returning id, process),
  arrived as (
    insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at)
    values ($id, $env, $app_key, $instance, $process, $declares, $started_at, ${dbNowSql}, ${dbNowSql})
  )
  select coalesce((select json_agg(json_build_object('id', id, 'process', process)) from replaced), '[]') as replaced,
    not exists (select from app_connections c where c.env = $env and ${freshSql}) as first`,
);
/** Inserts a row that was swept (after a frozen process or an outage of PostgreSQL), unless its instance has a later socket. */
const reinsertConnectionSql = namedStatement(
  'applink.return',
  () => `
  insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at)
  select $id, $env, $app_key, $instance, $process, $declares, $started_at, ${dbNowSql}, ${dbNowSql}
  where not exists (select from app_connections where env = $env and instance = $instance and id <> $id)
  on conflict (id) do nothing
  returning not exists (select from app_connections c where c.env = $env and c.id <> $id and ${freshSql}) as first`,
);
const renewConnectionsSql = statement(
  'applink.renew',
  `
  update app_connections c set seen_at = ${dbNowSql}, busy = held.busy
  from unnest($1::text[], $2::int[]) as held (id, busy) where c.id = held.id returning c.id`,
);
const narrowConnectionSql = statement('applink.narrow', 'update app_connections set declares = $2 where id = $1');
/** Deletes the connections `c` that `which` selects. Their keys were used until then. */
const deletionSql = (which: string): string => `
  with gone as (delete from app_connections c where ${which} returning env, app_key, seen_at),
  used as (
    update app_keys k set last_used_at = u.at
    from (
      select l.id, g.at from app_keys l join (select app_key, max(seen_at) as at from gone group by app_key) g on g.app_key = l.id
      where g.at > coalesce(l.last_used_at, 0) for update of l skip locked) u
    where k.id = u.id
  )
  select env from gone`;
const deleteConnectionsSql = statement('applink.leave', deletionSql('c.id = any($1)'));
/** SQL for whether a connection has not been heard of for too long. */
export const areConnectionsExpiredSql = `exists (select from app_connections c where not ${freshSql})`;
const deleteExpiredConnectionsSql = statement('applink.sweep', deletionSql(`not ${freshSql}`));
/** A separate statement after the commit of the removal: of two connections that end at once, one sees that none is left. */
const offlineEnvsSql = statement(
  'applink.left',
  `select env from unnest($1::int[]) as asked (env)
  where not exists (select from app_connections c where c.env = asked.env and ${freshSql})`,
);
const connectionsSql = statement(
  'applink.connected',
  `
  select id, instance, process, declares, busy, seen_at as "seenAt" from app_connections c where env = $1 and ${freshSql}`,
);
const parkedEnvsSql = statement(
  'applink.waiting',
  `
  select distinct env from app_connections c
  where ${freshSql} and exists (select from staged_jobs j where j.env = c.env and ${isParkedJobSql('j')})`,
);

/** Publishes a hint to every process, and a live message when `changed`: otherwise other instances of the app remain. */
const emitPresence = ({ bus, clock }: PresenceDeps, envId: number, online: boolean, changed: boolean): void => {
  bus.publish(channels.app, JSON.stringify({ envId, online, changed }));
  if (!changed) return;
  const message: EphemeralMessage = { kind: 'passing', at: clock.now(), part: { type: 'app', online } };
  bus.publish(channels.live(envId), JSON.stringify(message));
};

const registrationValues = ({
  id,
  envId,
  appKey,
  instance,
  process,
  declares,
  startedAt,
}: ConnectionRegistration): NamedValues => ({
  id,
  instance,
  process,
  declares,
  env: envId,
  app_key: appKey,
  started_at: startedAt,
});

/** Inserts a connection, and returns the sockets that it replaces. */
export const insertConnection = async (
  parts: PresenceDeps,
  arrival: ConnectionRegistration,
): Promise<readonly { readonly id: string; readonly process: string }[]> => {
  const [arrived] = await queryNamedRows<{ replaced: { id: string; process: string }[]; first: boolean }>(
    parts.db,
    insertConnectionSql,
    registrationValues(arrival),
  );
  emitPresence(parts, arrival.envId, true, arrived?.first === true);
  return arrived?.replaced ?? [];
};

/** Inserts a connection whose row was swept. Returns false when a later socket of the same instance is connected. */
export const reinsertConnection = async (parts: PresenceDeps, arrival: ConnectionRegistration): Promise<boolean> => {
  const [returned] = await queryNamedRows<{ first: boolean }>(
    parts.db,
    reinsertConnectionSql,
    registrationValues(arrival),
  );
  if (returned !== undefined) emitPresence(parts, arrival.envId, true, returned.first);
  return returned !== undefined;
};

/** Renews the rows of connections (the heartbeat), and returns the ids that still have one. */
export const renewConnections = async (
  db: Db,
  held: readonly { readonly id: string; readonly busy: number }[],
): Promise<Set<string>> => {
  const found = await queryRows<{ id: string }>(db, renewConnectionsSql, [
    held.map(({ id }) => id),
    held.map(({ busy }) => busy),
  ]);
  return new Set(found.map(({ id }) => id));
};

/** Writes what a connection still takes calls for, which is less than it has declared. */
export const narrowConnection = async (
  parts: PresenceDeps,
  { id, envId, declares }: ConnectionRegistration,
): Promise<void> => {
  await executeStatement(parts.db, narrowConnectionSql, [id, declares]);
  emitPresence(parts, envId, true, false);
};

/** Publishes the presence of the environments whose connections have ended. */
const emitRemovals = async (parts: PresenceDeps, gone: readonly { readonly env: number }[]): Promise<void> => {
  const envIds = [...new Set(gone.map(({ env }) => env))];
  if (envIds.length === 0) return;
  const empty = new Set((await queryRows<{ env: number }>(parts.db, offlineEnvsSql, [envIds])).map(({ env }) => env));
  for (const envId of envIds) emitPresence(parts, envId, !empty.has(envId), empty.has(envId));
};

/** Deletes connections that have ended. */
export const deleteConnections = async (parts: PresenceDeps, ids: readonly string[]): Promise<void> =>
  emitRemovals(parts, await queryRows<{ env: number }>(parts.db, deleteConnectionsSql, [ids]));

/** Deletes connections whose process has not renewed them for `linkLimits.goneMs`. */
export const deleteExpiredConnections = async (parts: PresenceDeps): Promise<void> =>
  emitRemovals(parts, await queryRows<{ env: number }>(parts.db, deleteExpiredConnectionsSql));

/** Returns the connections of an environment. */
export const readConnections = (db: Db, envId: number): Promise<PresenceRow[]> =>
  queryRows<PresenceRow>(db, connectionsSql, [envId]);

const keysInUseSql = statement(
  'applink.keysInUse',
  `select app_key as key, max(seen_at) as "seenAt" from app_connections c group by app_key`,
);

/** Returns when a connection by each app key that has one was heard of last, by the key's id; epoch milliseconds. */
export const readKeysInUse = async (db: Db | Tx): Promise<ReadonlyMap<string, number>> => {
  const keys = await queryRows<{ key: string; seenAt: number }>(db, keysInUseSql);
  return new Map(keys.map(({ key, seenAt }) => [key, seenAt]));
};

/** Returns the environments whose app is online while parked jobs wait for it. */
export const readEnvIdsWithParkedJobs = async (db: Db): Promise<number[]> =>
  (await queryRows<{ env: number }>(db, parkedEnvsSql)).map(({ env }) => env);
