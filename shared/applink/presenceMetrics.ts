/** The metric of environments whose app is offline, which every process shows alike. Served by API and workers. */
import { Registry } from 'prom-client';
import { isOnlineSql } from '../catalogue/states/connections.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import { addFigureGauges, createFigures } from '../platform/health/figures.ts';
import { dbNowSql } from '../platform/outbox/leaderLease.ts';
import { linkLimits } from './protocol.ts';

/** Reads a row for each environment and for each socket of an app, which are there only while it is. */
const presenceSql = statement(
  'health.apps',
  `
  with online as materialized (
    select distinct env from app_connections c where ${isOnlineSql('c', `${dbNowSql} - ${String(linkLimits.goneMs)}`)}
  )
  select count(o.env)::int as online, (count(*) - count(o.env))::int as offline
  from definitions d left join online o on o.env = d.env`,
);

interface PresenceRow {
  readonly online: number;
  readonly offline: number;
}

export const createPresenceMetrics = (db: Db): Registry => {
  const registry = new Registry();
  const read = createFigures(async () => queryRow<PresenceRow>(db, presenceSql));
  addFigureGauges(registry, read, [
    {
      name: 'console_apps',
      help: 'Environments that an app has declared something for, by whether it is connected: `state` online or offline. Of the whole database.',
      labelNames: ['state'],
      samples: (row) =>
        (['online', 'offline'] as const).map((state) => ({ value: row?.[state] ?? 0, labels: { state } })),
    },
  ]);
  return registry;
};
