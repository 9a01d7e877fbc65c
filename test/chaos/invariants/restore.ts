/**
 * 33. PostgreSQL's data are destroyed under load and restored to a point in time by the steps of docs/production.md: what was
 * answered before it is there, nothing of what was sent after it is, nothing is done twice, and every reader is told. And an older
 * copy of the data that is put back without a new timeline is noticed.
 */
import { Customer } from '../support/customer.ts';
import { makeItems } from '../support/load.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import { fateOf, judgeParts, judgeRuns, type Moments } from '../support/restore/judgeWork.ts';
import { comeBack, judgeReaders, openReaders } from '../support/restore/readers.ts';
import { RestorableServer } from '../support/restore/server.ts';
import { putSnapshotBack } from '../support/restore/snapshot.ts';
import { headOf, restoreSite } from '../support/restore/steps.ts';
import { readMarks, startTimedWork, type Part } from '../support/restore/timedWork.ts';
import type { Invariant, Run } from '../support/run.ts';
import { endedRuns } from '../support/runs.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const env = 'restore';

/** The chain is lengthened each 5 s. */
const chainedMs = 12_000;

/** Background work that the app has not done when the disaster comes; its jobs are in Redis, and its rows will be gone. */
const leaveJobs = async (run: Run, site: Site, { admin }: Stage): Promise<void> => {
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      admin.post('/actions', { action: 'job', input: { mark: `left-${String(n)}`, ms: 3_000 } }),
    ),
  );
  const [staged] = await site.sql<{ n: number }>(
    "select count(*)::int as n from staged_jobs where (enqueued_at is not null or lease_until is not null) and name = 'actionRun'",
  );
  run.measure('jobs that Redis has of the lost time', staged?.n ?? 0);
};

/** A key whose request was lost is good for the same request, and one whose request was kept answers as it did. */
const repeatKeys = async (run: Run, { admin }: Stage, parts: readonly Part[], moments: Moments): Promise<Part[]> => {
  const notes = parts.filter(({ kind }) => kind === 'note');
  const repeat = async ({ path, body, key }: Part): Promise<string> =>
    (await admin.once('POST', `${admin.bases()[0] ?? ''}${path}`, body, { 'idempotency-key': key })).text;
  const kept = notes.filter((part) => fateOf(part, moments) === 'kept').slice(-10);
  for (const part of kept)
    run.expect((await repeat(part)) === part.answer.text, `the key of ${part.mark} was answered otherwise than before`);
  const lost = notes.filter((part) => fateOf(part, moments) === 'lost').slice(-10);
  for (const part of lost) await repeat(part);
  run.expect(lost.length > 0, 'nothing was lost, so that nothing was shown');
  // From now on they are as sent since.
  return parts.map((part) => (lost.includes(part) ? { ...part, answeredAt: Date.now() } : part));
};

const judgeOffset = async (run: Run, { admin }: Stage, offset: string): Promise<void> => {
  const { status, body, text } = await admin.get(`/changes?after=${encodeURIComponent(offset)}`);
  run.expect(status === 200 && body.reset === 'epoch', `GET /changes after a lost offset: ${text.slice(0, 200)}`);
};

const restoreToTime = async (run: Run, site: Site, server: RestorableServer): Promise<void> => {
  // Not one of the run's: its journal has writes that are lost.
  const stage = await site.stage(env);
  const { admin, journal } = stage;
  const customer = await Customer.open(site, stage, { records: 1 });
  const items = await makeItems(admin, run.size('items', { short: 20, long: 200 }));
  const readers = await openReaders(admin);
  const writers = run.size('writers', { short: 4, long: 8 });
  const beforeMs = run.size('ms before the target', { short: 4_000, long: 60_000 });
  const afterMs = run.size('ms after it', { short: 4_000, long: 30_000 });
  const work = startTimedWork({ client: admin, items, random: run.random.fork('work'), writers, record: 't0' });
  await pause(beforeMs);
  const since = Date.now();
  await server.backUp();
  run.measure('base backup: s', (Date.now() - since) / 1_000);
  await pause(Math.max(beforeMs, chainedMs));
  const before = await headOf(site, env);
  await readers.early.stop();

  const target = Date.now();
  const late = new Recorder(admin, { mayReset: true });
  await pause(Math.max(afterMs, chainedMs));
  const after = await headOf(site, env);
  await late.stop();
  await server.archived();
  await leaveJobs(run, site, stage);
  const disaster = Date.now();
  run.tell({ kind: 'destroyData', forMs: 0 });
  await server.destroy();
  const gone = Date.now();
  const { restarted } = await restoreSite(run, site, { server, target, env, heads: { before, after } });
  run.measure('disaster to ready: s', (Date.now() - disaster) / 1_000);
  const moments = { target, gone, restarted };
  await judgeOffset(run, stage, late.last ?? '');
  const back = await comeBack(admin, { ...readers, late });
  // Writes that readers are told of who have come back.
  await pause(3_000);
  await work.stop();
  const parts = await repeatKeys(run, stage, work.parts, moments);
  const runs = await endedRuns(admin, 180_000);
  await site.settled();

  judgeParts(run, parts, await readMarks(admin, items), moments);
  judgeRuns(run, { parts, runs, lines: customer.lines() }, moments);
  await judgeReaders(run, admin, back, [...back.keys()]);
  run.measure('ids of entries', readers.ids.size);
  for (const problem of [...readers.ids.problems, ...journal.violations]) run.problem(problem);
  for (const [name, n] of Object.entries(server.sizes())) run.measure(`size of ${name}`, n);
  await customer.close();
};

export const restore: Invariant = {
  number: 33,
  name: 'restore',
  title: 'a restore to a point in time keeps what was before it, does nothing twice, and tells every reader',
  site: {
    short: { apis: 2, workers: 2, postgres: (dir) => RestorableServer.open(dir) },
    long: { apis: 2, workers: 4, postgres: (dir) => RestorableServer.open(dir) },
  },
  run: async (run, site) => {
    const server = site.postgres;
    if (!(server instanceof RestorableServer)) throw new Error('This site has no PostgreSQL that can be restored.');
    await restoreToTime(run, site, server);
    await putSnapshotBack(run, site, server);
  },
};
