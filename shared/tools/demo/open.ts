/**
 * Opens the demo for the day, over HTTP as any agent would: a few pending approvals and a flag with a running ramp.
 * Run by `npm start` once everything runs, with the environment's address on this machine as `--url`; does nothing once it is
 * done.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readDataDir } from '../../platform/config/config.ts';
import { sleep } from '../../platform/time/clock.ts';
import { parseAccess } from './access.ts';

type Body = Readonly<Record<string, unknown>>;

/** ms for which calls are repeated: everything else starts at the same time, and on a busy machine the first answers are late. */
const patienceMs = 120_000;
const giveUpAt = performance.now() + patienceMs;

const { values } = parseArgs({ options: { url: { type: 'string' } } });
const access = parseAccess(JSON.parse(readFileSync(join(readDataDir(), 'access.json'), 'utf8')));

/** Returns the answer to a call, which is repeated under one idempotency key while the API is busy or can't be reached. */
const call = async <T extends object>(path: string, body?: Body): Promise<T> => {
  const url = `${values.url ?? access.baseUrl}${path}`;
  // The one read that has a body takes no key.
  const key = body === undefined || path === '/available' ? {} : { 'idempotency-key': randomUUID() };
  const headers = { authorization: `Bearer ${access.agents.operator}`, 'content-type': 'application/json', ...key };
  const init = body === undefined ? { headers } : { method: 'POST', body: JSON.stringify(body), headers };
  for (;;) {
    const { status, text, wait } = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }).then(
      async (reply) => ({ status: reply.status, text: await reply.text(), wait: reply.headers.get('retry-after') }),
      (error: unknown) => ({
        status: 0,
        text: String(error instanceof Error ? (error.cause ?? error) : error),
        wait: null,
      }),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API answers these calls so
    if (status >= 200 && status < 300) return JSON.parse(text) as T;
    const isOver = performance.now() > giveUpAt;
    if (![0, 429, 503].includes(status) || isOver) throw new Error(`${url} answered ${String(status)}: ${text}`);
    await sleep(Math.min(Number(wait ?? 0.5) * 1_000 || 1_000, 10_000));
  }
};

interface Refund {
  readonly id: string;
  readonly record: { readonly id: string };
  readonly fields: { readonly amount: number; readonly reason: string };
}

type Availability = readonly { readonly actions: readonly { readonly action: string }[] }[];
const action = 'refund_payment';

/** Requests approvals of the refunds of three items. */
const askForRefunds = async (): Promise<void> => {
  const { items } = await call<{ items: readonly Refund[] }>('/items?inbox=refunds&state=approved&limit=20');
  let left = 3;
  for (const { id, record, fields } of items) {
    if (left === 0) return;
    const refs = [{ resource: 'order', id: record.id }];
    const { available } = await call<{ available: Availability }>('/available', { refs });
    if (available[0]?.actions.some((one) => one.action === action) !== true) continue;
    const input = { amount: fields.amount, reason: fields.reason };
    await call('/actions', { action, record: record.id, item: id, input, confirmed: true });
    left -= 1;
  }
};

/** The flag of the last step, which nothing else changes before: one that ended before it is begun anew. */
const lastFlag = '/flags/ai_summaries';
const hourMs = 3_600_000;

const main = async (): Promise<void> => {
  const { entries } = await call<{ entries: readonly Body[] }>(`${lastFlag}/history?limit=1`);
  if (entries.length > 0) return;
  await askForRefunds();
  await call('/flags/usage_billing', { change: { rollout: 5 }, confirmed: true });
  await call(lastFlag, { change: { ramp: { to: 50, over: 24 * hourMs, every: hourMs, at: null } } });
};

main().catch((error: unknown) => {
  process.stderr.write(`The demo could not be opened: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
