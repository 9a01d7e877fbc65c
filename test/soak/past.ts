/** A month that has passed, with entries of its own, and its archiving by the command while everything else goes on. Used by soak.ts. */
import { join } from 'node:path';
import { runAdminChange, systemAdministrator } from '../../shared/accounts/settings/adminChange.ts';
import { createEnvironment } from '../../shared/accounts/settings/environments/environments.ts';
import { createRole } from '../../shared/accounts/settings/roles.ts';
import { openDb } from '../../shared/platform/db/knex.ts';
import { admin } from '../chaos/support/commands.ts';
import type { Run } from '../chaos/support/run.ts';
import type { Site } from '../chaos/support/site.ts';
import { beginMonthsAgo, turnMonth } from '../support/months.ts';
import { until } from '../support/until.ts';

const dayMs = 86_400_000;
/** Between two months' parts, whatever day it is. */
const monthMs = 30.5 * dayMs;
const months = 3;
const entries = 200;
const silent = { publish: (): void => undefined };

/** Writes entries of three months ago, then lets the months up to this one begin. */
export const writePast = async (site: Pick<Site, 'postgres' | 'sql'>): Promise<void> => {
  await beginMonthsAgo(site, months);
  const db = openDb({ url: site.postgres.ownerUrl, poolSize: 1, applicationName: 'soak-past' });
  try {
    const at = Date.now() - months * monthMs;
    const administrator = systemAdministrator('soak', at);
    // What concerns every environment is an entry of each.
    await runAdminChange(db, silent, (tx) => createEnvironment(tx, administrator, { name: 'soakpast' }));
    for (let n = 0; n < entries; n++)
      await runAdminChange(db, silent, (tx) => createRole(tx, administrator, { name: `past${String(n)}`, grants: [] }));
  } finally {
    await db.destroy();
  }
  for (let month = months - 1; month > 0; month--) await turnMonth(site, month);
  await site.sql('select prepare_event_months()');
};

interface Printed {
  readonly archives?: readonly { readonly file: string; readonly events: number }[];
  readonly environments?: readonly { readonly problems: readonly string[] }[];
}

const dateBefore = (ms: number): string => new Date(Date.now() - ms).toISOString().slice(0, 10);

export interface ArchiveResult {
  readonly events: number;
  readonly seconds: number;
}

/** Archives the old month, and proves its file. What is not chained yet when it begins is waited for. */
export const archivePast = async (run: Run, site: Site): Promise<ArchiveResult> => {
  const since = performance.now();
  const words = ['archive', '--before', dateBefore(2 * monthMs), '--to', join(site.dir, 'archives')];
  const done = await until(
    'the month can be archived',
    async () => {
      const tried = await admin(site, ...words, '--json');
      return !/not all (chained|indexed) yet/.test(tried.output) && tried;
    },
    60_000,
  );
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  run.expect(done.code === 0, `archive ended with ${String(done.code)}: ${done.output}`);
  const { archives = [] } = done.code === 0 ? (JSON.parse(done.output) as Printed) : {};
  const events = archives.reduce((sum, archive) => sum + archive.events, 0);
  run.expect(events >= entries, `the archive has ${String(events)} of ${String(entries)} entries`);
  for (const { file } of archives) {
    const { code, output } = await admin(site, 'archive', 'verify', file, '--json');
    run.expect(code === 0, `${file} does not prove itself: ${output}`);
  }
  return { events, seconds };
};

/** Proves the whole audit log by its chain, the archived entries aside. */
export const judgeChain = async (run: Run, site: Site): Promise<void> => {
  const { code, output } = await admin(site, 'audit', 'verify', '--json');
  run.expect(code === 0, `the chain of the audit log does not hold: ${output.slice(0, 1_000)}`);
};
