/**
 * 26. Somebody who reads and writes every key and channel of Redis, while calls, runs and jobs go through it: what he forges,
 * repeats, alters and holds back has no effect, he reads nothing that people or apps wrote, and the log says that he is there.
 */
import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { jobs } from '../../../shared/catalogue/jobs.ts';
import { openRedisAttacker, type RedisAttacker } from '../../support/redisAttacker.ts';
import { until } from '../../support/until.ts';
import { Customer } from '../support/customer.ts';
import { makeItems } from '../support/load.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import { effectsOf, endedRuns, judgeAudit, judgeOnce } from '../support/runs.ts';
import type { Site } from '../support/site.ts';

const prefix = 'chaos';
/** In every input and item, and never in Redis. */
const canary = 'canary-7c1e';

/** Forges, repeats and alters messages until `signal` is aborted; returns how many. */
const attackMessages = async (run: Run, attacker: RedisAttacker, signal: AbortSignal): Promise<number> => {
  let sent = 0;
  while (!signal.aborted) {
    const known = [...attacker.heard];
    for (let n = 0; n < 200 && known.length > 0; n++, sent++) {
      const { channel, bytes } = run.random.pick(known);
      const altered = Buffer.from(bytes);
      const place = run.random.int(0, altered.length - 1);
      altered[place] = (altered[place] ?? 0) ^ run.random.int(1, 255);
      const message = run.random.pick([bytes, altered, randomBytes(bytes.length), Buffer.from('{"kind":"batch"}')]);
      await attacker.publish(run.random.pick([channel, run.random.pick(known).channel]), message);
    }
    await pause(5);
  }
  return sent;
};

/** Adds jobs of rows that are done, not due or leased, and of none, until `signal` is aborted; returns how many. */
const attackJobs = async (run: Run, site: Site, signal: AbortSignal): Promise<number> => {
  const queues = [...new Set(Object.values(jobs).map(({ queue }) => queue))].map(
    (name) => new Queue(name, { connection: { url: site.redis.url }, prefix: `${prefix}:{${name}}` }),
  );
  const seen: string[] = [];
  let added = 0;
  while (!signal.aborted) {
    seen.push(...(await site.sql<{ id: string }>('select id from staged_jobs')).map(({ id }) => id));
    for (const queue of queues) {
      const data = run.random.pick([{ staged: run.random.pick(['none', ...seen]) }, { staged: { id: 1 } }, {}]);
      await queue.add('forged', data, { removeOnComplete: true, removeOnFail: true }).catch(() => undefined);
      added += 1;
    }
    await pause(20);
  }
  await Promise.all(queues.map((queue) => queue.close()));
  return added;
};

const judgeSecrecy = (run: Run, texts: readonly string[], words: readonly string[]): void => {
  for (const word of words) {
    const found = texts.find((text) => text.includes(word));
    run.expect(found === undefined, `Redis had ${word}: ${String(found).slice(0, 200)}`);
  }
};

export const redisAttacker: Invariant = {
  number: 26,
  title: 'whoever has Redis can neither act nor read, and is noticed',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'attacked');
    const attacker = await openRedisAttacker(site.redis.url, prefix);
    const customer = await Customer.open(site, stage);
    const recorder = new Recorder(stage.admin, {});
    await recorder.joined;
    const attack = new AbortController();
    const attacks = [attackMessages(run, attacker, attack.signal), attackJobs(run, site, attack.signal)];
    try {
      const items = await makeItems(stage.admin, 20);
      const calls = run.size('calls', { short: 100, long: 2_000 });
      for (let n = 0; n < calls; n += 10)
        await Promise.all(
          Array.from({ length: 10 }, async (_, i) => {
            const action = run.random.pick(['act', 'actAgain', 'job', 'jobAgain']);
            const input = { mark: `${canary}:${String(n + i)}` };
            const item = run.random.pick(items);
            const { status, text } = await stage.admin.post('/actions', { action, item, input });
            run.expect(status === 200 || status === 202, `${input.mark} was answered with ${String(status)} ${text}`);
            await stage.admin.post(`/items/${item}/notes`, { text: `${canary} ${String(n + i)}` });
          }),
        );
      const runs = await endedRuns(stage.admin, 120_000);
      attack.abort();
      const [messages, added] = await Promise.all(attacks);
      run.measure('messages of the attacker', messages ?? 0);
      run.measure('jobs of the attacker', added ?? 0);
      run.expect(runs.size === calls, `${String(runs.size)} runs are there of ${String(calls)}`);
      judgeOnce(run, runs, effectsOf(customer.lines()));
      await judgeAudit(run, stage.admin, runs);
      judgeSecrecy(
        run,
        [...attacker.commands.map((args) => args.join(' ')), ...(await attacker.stored())],
        [canary, stage.admin.token, 'example.com'],
      );
      for (const why of ['repeated', 'forged', 'malformed', 'bad job'])
        await until(
          `the log has what was ${why}`,
          () => [...site.apis, ...site.workers].some((unit) => unit.log().includes(`"why":"${why}"`)),
          10_000,
        );
      for (const problem of recorder.problems) run.problem(problem);
    } finally {
      attack.abort();
      await Promise.all(attacks.map((each) => each.catch(() => undefined)));
      await Promise.all([customer.close(), recorder.stop(), attacker.close()]);
    }
  },
};
