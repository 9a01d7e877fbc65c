/**
 * A failover that loses commits, as one with an asynchronous standby may: the standby gets nothing more, what is written
 * meanwhile is told to streams, the primary dies, and the standby goes on without it until it is ahead of what was lost.
 */
import { until } from '../../../support/until.ts';
import { makeItems } from '../load.ts';
import { listItems, type Json } from '../oracle.ts';
import { pause } from '../pause.ts';
import { Recorder } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Cluster } from './cluster.ts';
import { startMarkedWork } from './marks.ts';

const env = 'failoverLoss';
const itemCount = 20;
/** ms of writes that both servers keep, before the loss and after it, and for streams to tell of the last ones. */
const keptMs = 3_000;
/** ms of writes that the standby does not get: enough for streams to have told of some. */
const lostMs = 4_000;

const positionOf = async (site: Site): Promise<number> =>
  (
    await site.sql<{ position: number }>(
      'select position from streams s join environments e on e.id = s.env where e.name = $1',
      [env],
    )
  )[0]?.position ?? 0;

/** A reader that was told of what is lost has to begin anew, exactly once the service knows, and misses nothing after it. */
const judgeReader = (run: Run, who: string, recorder: Recorder, list: readonly Json[]): void => {
  run.expect(recorder.resets.includes('epoch'), `${who} got no reset (${recorder.resets.join(', ') || 'none'})`);
  for (const problem of recorder.problems) run.problem(`${who}: ${problem}`);
  const items = new Map(list.map((item) => [item.id as string, item]));
  for (const [id, told] of recorder.items)
    run.expect(
      JSON.stringify(told) === JSON.stringify(items.get(id)),
      `${who} was told last of ${id} otherwise than it is`,
    );
};

/** Resolves once the streams' readers and the accepted writes have been judged. */
export const loseCommits = async (run: Run, site: Site, cluster: Cluster): Promise<void> => {
  await cluster.configure({ synchronous_mode: false, maximum_lag_on_failover: 2 ** 30 });
  await cluster.ready('replica');
  // Not one of the run's: its journal has writes that are lost.
  const { admin, journal } = await site.stage(env);
  const items = await makeItems(admin, itemCount);
  const stays = new Recorder(admin, { mayReset: true, turn: 1 });
  const leaves = new Recorder(admin, { mayReset: true });
  await Promise.all([stays.joined, leaves.joined]);
  const work = startMarkedWork({
    client: admin,
    name: 'loss',
    items,
    random: run.random.fork('loss'),
    writers: 4,
    hasApp: false,
  });
  await pause(keptMs);

  const primary = await cluster.primary();
  primary.relays.replication.cut();
  await pause(lostMs);
  const heard = leaves.messages;
  await until('the stream goes on', () => leaves.messages > heard, 10_000);
  await leaves.stop();
  const lostPosition = await positionOf(site);
  // Its memory is gone too, so that nobody but the client knows how far the stream had come.
  const [api] = site.apis;
  await api?.kill();
  run.tell({ kind: 'loseCommits', forMs: 0 });
  await primary.kill();
  await until('the standby goes on', async () => (await cluster.primary()) !== primary, 120_000);
  await until('the stream is ahead of what was lost', async () => (await positionOf(site)) > lostPosition + 20, 60_000);
  await api?.start();
  const back = new Recorder(admin, { mayReset: true, after: leaves.last });
  await back.joined;
  await pause(keptMs);
  await work.stop();
  await site.settled();

  const { accepted, lost, doubled } = await work.count();
  run.measure('loss: accepted', accepted);
  run.measure('loss: lost', lost);
  run.measure('loss: doubled', doubled);
  run.expect(lost > 0, 'nothing was lost, so that nothing was shown');
  run.expect(doubled === 0, `${String(doubled)} were done twice after a loss`);
  for (const violation of journal.violations) run.problem(violation);
  const newest = await positionOf(site);
  run.measure('loss: positions that came again', lostPosition);
  await until('the streams are at their end', async () => (await positionOf(site)) === newest, 10_000);
  await pause(keptMs);
  const list = await listItems(admin);
  await Promise.all([stays.stop(), back.stop()]);
  judgeReader(run, 'who stayed', stays, list);
  judgeReader(run, 'who came back', back, list);
  for (const problem of leaves.problems) run.problem(`who left: ${problem}`);
  await primary.mend();
  await cluster.ready('replica');
};
