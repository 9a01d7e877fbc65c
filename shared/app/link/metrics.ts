/** Metrics of the app link in this process, and of the presence of apps in the whole installation. Served by API and workers. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isOnlineSql } from '../../catalogue/states/connections.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import type { PlatformDeps } from '../../platform/deps.ts';
import { addFigureGauges, createFigures, figuresOwner } from '../../platform/health/figures.ts';
import { dbNowSql } from '../../platform/leases/leaderLease.ts';
import type { CallOutcome } from './link.ts';
import { linkLimits } from './protocol.ts';

export const linkRegistry = new Registry();
const registers = [linkRegistry];

export const connectionGauge = new Gauge({
  name: 'console_app_connections',
  help: 'Sockets of apps that this process holds.',
  registers,
});
export const droppedFrameCounter = new Counter({
  name: 'console_app_dropped_total',
  help: 'Frames of apps that had no effect, by `why`: late or unknown (nobody waited for the answer), garbage.',
  labelNames: ['why'],
  registers,
});
export const requestCounter = new Counter({
  name: 'console_app_requests_total',
  help: 'Requests of apps, by `method` and `outcome`: ok or refused.',
  labelNames: ['method', 'outcome'],
  registers,
});
const callCounter = new Counter({
  name: 'console_app_calls_total',
  help: 'Calls to apps, by `method` and `outcome`: answer, error, garbled, offline, timeout, lost.',
  labelNames: ['method', 'outcome'],
  registers,
});
const callSeconds = new Histogram({
  name: 'console_app_call_seconds',
  help: 'Time from a call to an app to its outcome, by `method`. Of `action.run` from handing the run over to its answer, also in the background.',
  labelNames: ['method'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 60],
  registers,
});

/** Counts a call and its duration. */
export const observeCall = (method: string, outcome: CallOutcome<unknown>['kind'], ms: number): void => {
  callCounter.inc({ method, outcome });
  callSeconds.observe({ method }, ms / 1000);
};

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
