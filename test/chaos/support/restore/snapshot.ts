/** An older copy of the data is put back on the same timeline, and nobody runs `new-epoch`: the publisher has to notice. Used by restore.ts. */
import { until } from '../../../support/until.ts';
import { makeItems } from '../load.ts';
import { pause } from '../pause.ts';
import { Recorder } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { judgeParts } from './judgeWork.ts';
import { comeBack, judgeReaders, openReaders } from './readers.ts';
import type { RestorableServer } from './server.ts';
import { startAll, stopAll } from './steps.ts';
import { readMarks, startTimedWork } from './timedWork.ts';

const env = 'snapshot';
/** ms of writes that the snapshot has, that come after it, and that come once the readers are back. */
const [keptMs, lostMs, backMs] = [3_000, 4_000, 3_000];
const said = 'less than streams have told of';

export const putSnapshotBack = async (run: Run, site: Site, server: RestorableServer): Promise<void> => {
  const { admin, journal } = await site.stage(env);
  const items = await makeItems(admin, 20);
  const readers = await openReaders(admin);
  const random = run.random.fork('snapshot');
  const work = startTimedWork({ client: admin, items, random, writers: 4, record: null });
  await pause(keptMs);
  await readers.early.stop();
  const target = await server.takeSnapshot();
  const late = new Recorder(admin, { mayReset: true });
  await pause(lostMs);
  const heard = late.messages;
  await until('the stream goes on', () => late.messages > heard, 10_000);
  await late.stop();
  run.tell({ kind: 'putSnapshotBack', forMs: 0 });
  await server.destroy();
  const gone = Date.now();
  await stopAll(site);
  await server.putSnapshotBack();
  const restarted = Date.now();
  await startAll(site);
  await until('a worker says it', () => site.workers.some((unit) => unit.log().includes(said)), 10_000).catch(() => {
    run.problem('no worker has said that the data have gone back');
  });
  const back = await comeBack(admin, { ...readers, late });
  await pause(backMs);
  await work.stop();
  await site.settled();
  judgeParts(run, work.parts, await readMarks(admin, items), { target, gone, restarted });
  // Who left before goes on: nothing was lost up to there.
  await judgeReaders(run, admin, back, ['who stayed', 'who was told of what is lost']);
  run.expect(back.get('who left before')?.resets.length === 0, 'who left before had to begin anew');
  for (const problem of [...readers.ids.problems, ...journal.violations]) run.problem(problem);
};
