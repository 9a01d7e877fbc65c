/**
 * Opens the demo for the day, over HTTP as any agent would: a few pending approvals and a flag with a running ramp.
 * Run by `npm start` once everything runs, with the environment's address on this machine as `--url`; does nothing once it is
 * done.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readDataDir } from '../../platform/core/config.ts';
import { sleep } from '../../platform/core/wait.ts';
import { parseAccess, type DemoAccess } from './access.ts';

type Body = Readonly<Record<string, unknown>>;

/** ms for which calls are repeated: everything else starts at the same time, and on a busy machine the first answers are late. */
const patienceMs = 120_000;
const giveUpAt = performance.now() + patienceMs;

type Attempt = { readonly body: Body } | { readonly problem: string; readonly retryAfterMs: number };

/** Sends a request once. Throws for an answer that would be the same the next time. */
const attempt = async (url: string, init: RequestInit): Promise<Attempt> => {
  let reply: Response;
  let text: string;
  try {
    reply = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
    text = await reply.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { problem: `can’t be reached: ${String(cause)}`, retryAfterMs: 500 };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API answers these calls with objects
  if (reply.ok) return { body: JSON.parse(text) as Body };
  const problem = `answered ${String(reply.status)}: ${text}`;
  if (reply.status !== 503 && reply.status !== 429) throw new Error(`${url} ${problem}`);
  return { problem, retryAfterMs: Math.min(Number(reply.headers.get('retry-after') ?? 1) * 1_000 || 1_000, 10_000) };
};

/** Returns the answer to a call, which is repeated under one idempotency key while the API is busy or can't be reached. */
const call = async ({ baseUrl, agents }: DemoAccess, path: string, body?: Body): Promise<Body> => {
  const url = `${baseUrl}${path}`;
  const change = { method: 'POST', body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${agents.operator}`, 'content-type': 'application/json' };
  // The one read that has a body takes no key.
  const key = body === undefined || path === '/available' ? {} : { 'idempotency-key': randomUUID() };
  const init = { ...(body === undefined ? {} : change), headers: { ...headers, ...key } };
  for (;;) {
    const found = await attempt(url, init);
    if ('body' in found) return found.body;
    if (performance.now() + found.retryAfterMs > giveUpAt)
      throw new Error(`${url} ${found.problem} (tried for ${String(patienceMs / 1_000)} s)`);
    await sleep(found.retryAfterMs);
  }
};

const listed = (answer: Body, plural: string): readonly Body[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the lists of the API have only objects
  (answer[plural] ?? []) as readonly Body[];

/** The flag of the last step, which nothing else changes before. */
const lastFlag = '/flags/ai_summaries';

/** Returns whether the last step was done. One that ended before is begun anew: a request that is pending answers the same one. */
const wasOpened = async (access: DemoAccess): Promise<boolean> =>
  listed(await call(access, `${lastFlag}/history?limit=1`), 'entries').length > 0;

const hourMs = 3_600_000;

const open = async (access: DemoAccess): Promise<void> => {
  const items = listed(await call(access, '/items?inbox=refunds&state=approved&limit=20'), 'items');
  let asked = 0;
  for (const { id, record, fields } of items) {
    const { amount, reason } = (fields ?? {}) as { amount?: number; reason?: string };
    const { id: order } = (record ?? {}) as { id?: string };
    if (order === undefined || asked === 3) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API answers this call so
    const { available } = (await call(access, '/available', { refs: [{ resource: 'order', id: order }] })) as {
      available: readonly { actions: readonly { action: string }[] }[];
    };
    if (available[0]?.actions.some(({ action }) => action === 'refund_payment') !== true) continue;
    await call(access, '/actions', {
      action: 'refund_payment',
      record: order,
      item: id,
      input: { amount, reason },
      confirmed: true,
    });
    asked += 1;
  }
  await call(access, '/flags/usage_billing', { change: { rollout: 5 }, confirmed: true });
  await call(access, lastFlag, {
    change: { ramp: { to: 50, over: 24 * hourMs, every: hourMs, at: null } },
  });
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { url: { type: 'string' } } });
  const written = parseAccess(JSON.parse(readFileSync(join(readDataDir(), 'access.json'), 'utf8')));
  const access = { ...written, baseUrl: values.url ?? written.baseUrl };
  if (!(await wasOpened(access))) await open(access);
};

main().catch((error: unknown) => {
  process.stderr.write(`The demo could not be opened: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
