/** How many files of the API process one warm request runs: what a newcomer has to read who follows it. */
import { sleep } from '../../../shared/platform/time/clock.ts';
import { newApiClient } from '../apiClient.ts';
import { appEnvironment, prepareApp } from '../appEnvironment.ts';
import type { Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { key } from '../flagKinds.ts';
import { atMost } from '../report.ts';

/** ms in which a request has ended, with all that it sets off in the process; the same is watched without a request. */
const windowMs = 1_000;
/** Requests before the one that is counted, and windows of each kind: what a timer runs differs from one to the other. */
const [warmUps, rounds] = [20, 3];

/** Files, each with the functions of it that were called. */
type Ran = Readonly<Record<string, readonly string[]>>;

export const paths: Suite = {
  name: 'paths',
  run: async (bench) => {
    const app = await prepareApp(bench);
    const [api, customer] = await Promise.all([bench.api(), bench.start('customerApp')]);
    const base = (env: string): string => `http://127.0.0.1:${String(api.port)}/api/env/${env}`;
    await customer.call('start', { url: base(appEnvironment), key: app.key });
    const { token } = await bench.database.token('admin');
    const call = newApiClient(base(environment), token);
    const ids = (await call<{ items: { id: string }[] }>('/items?inbox=support&limit=10')).items.map(({ id }) => id);
    let n = 0;
    const next = <T>(values: readonly T[]): T | undefined => values[(n += 1) % values.length];
    const states = ['open', 'waiting', 'closed'];
    const requests: readonly (readonly [string, number, () => Promise<unknown>])[] = [
      ['state change', 50, () => call(`/items/${String(ids[0])}/state`, { state: next(states) })],
      ['bulk', 42, () => call('/bulk', { ids, operation: { type: 'state', state: next(states) } })],
      ['action', 65, () => newApiClient(base(appEnvironment), app.agent.token)('/actions', { action: 'now' })],
      [
        'start of a ramp',
        42,
        () => call(`/flags/${key}`, { change: { ramp: { to: 100, over: 3_600_000, every: 60_000 } }, confirmed: true }),
      ],
      ['list', 45, () => call('/items?inbox=support&limit=50')],
    ];
    const watch = async (request?: () => Promise<unknown>): Promise<Ran> => {
      await api.call('takeCode');
      await request?.();
      await sleep(windowMs);
      return api.call<Ran>('takeCode');
    };
    await api.call('watchCode');
    const figures = [];
    for (const [what, goal, request] of requests) {
      for (let i = 0; i < warmUps; i++) await request();
      const idle = new Set<string>();
      for (let i = 0; i < rounds; i++)
        for (const [file, called] of Object.entries(await watch()))
          for (const one of called) idle.add(`${file} ${one}`);
      let least: Ran | null = null;
      for (let i = 0; i < rounds; i++) {
        const ran = Object.entries(await watch(request)).flatMap(([file, called]) => {
          const own = called.filter((one) => !idle.has(`${file} ${one}`));
          return own.length === 0 ? [] : [[file, own] as const];
        });
        if (least === null || ran.length < Object.keys(least).length) least = Object.fromEntries(ran);
      }
      const functions = Object.values(least ?? {}).flat().length;
      bench.say(
        Object.keys(least ?? {})
          .sort()
          .join('\n'),
      );
      figures.push({
        suite: 'paths',
        what: `one ${what}`,
        unit: 'files',
        ...atMost(Object.keys(least ?? {}).length, goal, 'files'),
        note: `${String(functions)} functions`,
      });
    }
    return figures;
  },
};
