/** The steps of docs/production.md by which a database is restored to a point in time, and how long each takes. Used by restore.ts. */
import { until } from '../../../support/until.ts';
import { admin, adminJson, doctor, migrate } from '../commands.ts';
import type { Json } from '../oracle.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { RestorableServer } from './server.ts';

export interface Restored {
  /** Epoch ms at which processes began to start. */
  readonly restarted: number;
}

interface RestoreOptions {
  readonly server: RestorableServer;
  /** In epoch ms. */
  readonly target: number;
  readonly env: string;
  /** The audit chain's hash, kept elsewhere: the last one before the target and the last one before the disaster. */
  readonly heads: { readonly before: string; readonly after: string };
}

const processes = ({ apis, workers }: Site): Site['apis'] => [...apis, ...workers];

export const stopAll = async (site: Site): Promise<void> => {
  await Promise.all(processes(site).map((unit) => unit.terminate()));
};

/** Resolves once every API process answers `/ready` with 200. */
export const startAll = async (site: Site): Promise<void> => {
  await Promise.all(processes(site).map((unit) => unit.start()));
  const isReady = async (base: string): Promise<boolean> =>
    fetch(new URL('/ready', base)).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(
    'every API is ready',
    async () => (await Promise.all(site.bases('-').map(isReady))).every(Boolean),
    60_000,
  );
};

export const restoreSite = async (run: Run, site: Site, options: RestoreOptions): Promise<Restored> => {
  const { server, target, env, heads } = options;
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const since = Date.now();
    const done = await work();
    run.worst(`step ${name}: s`, (Date.now() - since) / 1_000);
    return done;
  };
  await step('1 stop', () => stopAll(site));
  await step('2 restore', () => server.restoreTo(target));
  await step('3 migrate', () => migrate(site));
  await step('4 new-epoch', async () => {
    const { environments } = await adminJson(site, 'environment', 'list');
    for (const { name } of environments as readonly Json[])
      await adminJson(site, 'environment', 'new-epoch', String(name));
  });
  await step('5 audit verify', async () => {
    const kept = await admin(site, 'audit', 'verify', '--environment', env, '--head', heads.before);
    run.expect(kept.code === 0, `audit verify with the head of before the target: ${kept.output}`);
    const lost = await admin(site, 'audit', 'verify', '--environment', env, '--head', heads.after);
    run.expect(lost.code === 1, `audit verify misses nothing of after the target: ${lost.output}`);
  });
  await step('6 doctor', async () => {
    const { code, output } = await doctor(site);
    run.expect(code === 0, `doctor: ${output}`);
  });
  const restarted = Date.now();
  await step('8 start', () => startAll(site));
  return { restarted };
};

export const headOf = async (site: Site, env: string): Promise<string> => {
  const { heads } = await adminJson(site, 'audit', 'head', '--environment', env);
  return String((heads as readonly Json[])[0]?.hash ?? '');
};
