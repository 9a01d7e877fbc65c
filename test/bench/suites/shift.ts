/** An agent’s shift on the demo through tools: how many calls it makes, and how many bytes their answers have. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '../../../shared/platform/db/knex.ts';
import { sleep } from '../../../shared/platform/time/clock.ts';
import type { DemoAccess } from '../../../shared/tools/demo/access.ts';
import { loadDemo } from '../../../shared/tools/demo/loadDemo.ts';
import { openSample } from '../../sample-app/sample.ts';
import { isIndexed, workShift, type Cost, type ShiftOptions } from '../../support/shift.ts';
import type { Bench, Suite } from '../bench.ts';
import { atMost, type Figure } from '../report.ts';

const environment = 'shift';

/** Loads the demo into an environment of its own; resolves once its texts are found. */
const load = async ({ database }: Bench, publicUrl: string): Promise<DemoAccess> => {
  const db = openDb({ url: database.ownerUrl, poolSize: 2, applicationName: 'demo' });
  const { access } = await loadDemo(db, { now: Date.now(), environment, items: 5_000, publicUrl });
  await db.destroy();
  const [loaded] = await database.sql<{ last: string }>('select max(id)::text as last from events');
  while (!(await isIndexed(database.sql, loaded?.last))) await sleep(50);
  return access;
};

const post = async (url: string, body: object, token?: string): Promise<{ readonly token: string }> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}: ${await answer.text()}`);
  return (await answer.json()) as { readonly token: string };
};

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

const bySteps = (steps: Readonly<Record<string, Cost>>): string =>
  Object.entries(steps)
    .map(([name, { calls, wire }]) => `${name} ${String(calls)}/${kilobytes(wire)}`)
    .join(', ');

export const shift: Suite = {
  name: 'shift',
  run: async (bench) => {
    const [api] = await Promise.all([bench.api(), bench.start('workers')]);
    const publicUrl = `http://127.0.0.1:${String(api.port)}`;
    const { agents, people, appKey, baseUrl } = await load(bench, publicUrl);
    const dir = mkdtempSync(join(tmpdir(), 'console-shift-'));
    const sample = await openSample({ url: baseUrl, key: appKey, dir, onError: () => undefined });
    await sample.goOnline();
    while (!sample.shop.pushed) await sleep(50);
    const [person] = people;
    const { token } = await post(`${baseUrl}/sign-in`, { email: person?.email, password: person?.password });
    const work = async (answers: ShiftOptions['answers']): Promise<Figure[]> => {
      const began = performance.now();
      const { total, steps } = await workShift(
        { baseUrl, token: agents.operator },
        {
          answers,
          approve: async (approval) => void (await post(`${baseUrl}/approvals/${approval}/approve`, {}, token)),
        },
      );
      const note = `in ${((performance.now() - began) / 1000).toFixed(1)} s; calls/KB: ${bySteps(steps)}`;
      const what = answers === 'text' ? 'a shift, answers as text' : 'a shift, answers as structuredContent';
      return [
        { suite: 'shift', what, unit: 'calls', ...atMost(total.calls, 60, 'calls') },
        { suite: 'shift', what: `${what}: what a model reads`, unit: 'KB', ...atMost(total.text / 1000, 120, 'KB') },
        {
          suite: 'shift',
          what: `${what}: what comes over HTTP`,
          unit: 'KB',
          ...atMost(total.wire / 1000, 120, 'KB'),
          note,
        },
      ];
    };
    try {
      return [...(await work('text')), ...(await work('structured'))];
    } finally {
      await sample.stop();
      rmSync(dir, { recursive: true });
    }
  },
};
