/** 12. A revoked token ends at once on every process, a narrowed role shows nothing forbidden, with Redis and without. */
import { WebSocket } from 'ws';
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';
import { redisOutage } from '../support/faults.ts';
import { makeItems, startWriters } from '../support/load.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const httpMs = 1_000;
const closeMs = { with: 2_000, without: 5_000 };
const narrowMs = 2_000;
/** As long nothing forbidden may come before it is taken to be over. */
const calmMs = 1_000;

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  readonly ids: readonly string[];
}
type Redis = keyof typeof closeMs;

/** Whether a request succeeded so lately that others may; no longer asked once the promise is broken. */
const isRecent = (last: number, at: number): boolean => at - last < httpMs && last <= httpMs * patience;

/** Polls each API until all is refused; returns how many ms after `since` the last request that still succeeded was sent. */
const lastGood = async (
  { stage: { bases } }: Scene,
  ask: (base: string) => Promise<boolean>,
  since: number,
): Promise<number> => {
  const each = await Promise.all(
    bases().map(async (base) => {
      let last = 0;
      for (let at = 0; at < 2 * httpMs || isRecent(last, at); at = Date.now() - since) {
        if (await ask(base)) last = at;
        await pause(10);
      }
      return last;
    }),
  );
  return Math.max(...each);
};

const openSockets = async (
  { stage: { bases } }: Scene,
  token: string,
): Promise<{ socket: WebSocket; closed: Promise<{ code: number; at: number }> }[]> =>
  Promise.all(
    bases().map(async (base) => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/live`, {
        headers: { authorization: `Bearer ${token}` },
      });
      socket.on('error', () => undefined);
      const closed = new Promise<{ code: number; at: number }>((resolve) =>
        socket.on('close', (code) => {
          resolve({ code, at: Date.now() });
        }),
      );
      await new Promise((resolve) => socket.once('message', resolve));
      return { socket, closed };
    }),
  );

const revoke = async (scene: Scene, redis: Redis): Promise<void> => {
  const { run, stage } = scene;
  const agent = await stage.agent('viewer');
  const sockets = await openSockets(scene, agent.token);
  run.tell({ kind: 'revoke', forMs: 0 });
  await stage.revoke(agent.id);
  const since = Date.now();
  const late = setTimeout(() => {
    for (const { socket } of sockets) socket.terminate();
  }, 20_000);
  const [ms, ...closes] = await Promise.all([
    lastGood(scene, async (base) => (await agent.once('GET', `${base}/me`)).status !== 401, since),
    ...sockets.map(({ closed }) => closed),
  ]);
  clearTimeout(late);
  const closedMs = Math.max(...closes.map(({ at }) => at - since));
  run.worst(`last good answer after a revocation ${redis} Redis ms`, ms);
  run.worst(`last close after a revocation ${redis} Redis ms`, closedMs);
  run.expectWithin(ms, httpMs, `a revoked token was good for ${String(ms)} ms ${redis} Redis`);
  run.expectWithin(
    closedMs,
    closeMs[redis],
    `a revoked token's stream was closed after ${String(closedMs)} ms ${redis} Redis`,
  );
  run.expect(
    closes.every(({ code }) => code === 4401),
    `streams were closed with ${closes.map(({ code }) => String(code)).join(', ')}`,
  );
};

const narrow = async (scene: Scene, redis: Redis, round: number): Promise<void> => {
  const { run, stage } = scene;
  const name = `narrow${String(round)}${redis}`;
  const seeAll = [
    { on: 'inbox:mail', can: ['see'] },
    { on: 'inbox:bugs', can: ['see'] },
  ];
  const role = await stage.role(name, seeAll);
  const agent = await stage.agent(name);
  let forbidden = 0;
  const onMessage = (message: { type: string; item: { inbox: string } }): void => {
    if (message.type === 'item' && message.item.inbox === 'bugs') forbidden = Date.now();
  };
  const recorders = stage.bases().map((_, turn) => new Recorder(agent, { turn, onMessage }));
  await Promise.all(recorders.map(({ joined }) => joined));
  const writers = startWriters(stage.admin, scene.ids, 2, run.random.fork(name), 20);
  await until('bugs are told of', () => forbidden > 0);
  await stage.narrow(role, seeAll.slice(0, 1));
  const since = Date.now();
  const ms = await lastGood(
    scene,
    async (base) => (await agent.once('GET', `${base}/items?inbox=bugs`)).status !== 404,
    since,
  );
  await pause(narrowMs + calmMs - (Date.now() - since));
  while (Date.now() - forbidden < calmMs && forbidden - since <= narrowMs * patience) await pause(100);
  await writers.stop();
  run.worst(`last forbidden list ${redis} Redis ms`, ms);
  run.worst(`last forbidden message ${redis} Redis ms`, forbidden - since);
  run.expectWithin(ms, httpMs, `a narrowed role listed for ${String(ms)} ms ${redis} Redis`);
  run.expectWithin(
    forbidden - since,
    narrowMs,
    `a narrowed role heard for ${String(forbidden - since)} ms ${redis} Redis`,
  );
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  for (const { problems } of recorders) {
    run.expect(
      problems.length === 1 && problems[0] === 'a reset: role',
      `a narrowed stream told ${JSON.stringify(problems)} instead of one reset`,
    );
  }
};

export const revocation: Invariant = {
  number: 12,
  title: 'a revoked token and a narrowed role end at once',
  site: { short: { apis: 2, workers: 1 }, long: { apis: 2, workers: 1 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'revocation');
    const scene: Scene = { run, site, stage, ids: await makeItems(stage.admin, 20, 'bugs') };
    const rounds = run.size('rounds', { short: 1, long: 6 });
    const all = async (redis: Redis): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        await revoke(scene, redis);
        await narrow(scene, redis, round);
      }
    };
    await all('with');
    let away = true;
    const outage = redisOutage(site, async () => until('all rounds are over', () => !away, 600_000));
    run.tell({ kind: 'restartRedis', forMs: 0 });
    await until('Redis is away', () => site.redis.exited().then(() => true));
    await all('without').finally(() => {
      away = false;
    });
    await outage;
  },
};
