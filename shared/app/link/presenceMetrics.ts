/** The metrics of environments whose app is online or offline, which every process shows alike. Served by API and workers. */
import { Registry } from 'prom-client';
import { isOnlineSql } from '../../catalogue/states/connections.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import type { PlatformDeps } from '../../platform/deps.ts';
import { addFigureGauges, createFigures, figuresOwner } from '../../platform/health/figures.ts';
import { dbNowSql } from '../../platform/leases/leaderLease.ts';
import { linkLimits } from './protocol.ts';

/** Reads a row for each environment whose app is to be there: it has declared something, and has a key that was used and is not revoked. */
const presenceSql = statement(
  'health.apps',
  `
  with online as materialized (
    select distinct env from app_connections c where ${isOnlineSql('c', `${dbNowSql} - ${String(linkLimits.goneMs)}`)}
  )
  select e.name as environment, o.env is not null as online
  from environments e join definitions d on d.env = e.id left join online o on o.env = e.id
  where o.env is not null or exists (select from app_keys k where k.env = e.id and k.revoked_at is null and k.last_used_at is not null)`,
);

interface PresenceRow {
  readonly environment: string;
  readonly online: boolean;
}

export const createPresenceMetrics = ({ reads }: Pick<PlatformDeps, 'reads'>): Registry => {
  const registry = new Registry();
  const read = createFigures(async () => queryRows<PresenceRow>(reads.of(figuresOwner), presenceSql));
  addFigureGauges(registry, read, [
    {
      name: 'console_app_online',
      help: '1 while the app of the `environment` is connected, else 0; of environments of which an app key that is not revoked was used. Of the whole database.',
      labelNames: ['environment'],
      samples: (rows) => rows.map(({ environment, online }) => ({ value: online ? 1 : 0, labels: { environment } })),
    },
  ]);
  return registry;
};
