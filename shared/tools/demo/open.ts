/**
 * Opens the demo for the day, over HTTP as any agent would: a few pending approvals and a flag with a running ramp.
 * Run by `npm start` once everything runs; does nothing if there are requests already.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDataDir } from '../../platform/core/config.ts';
import { parseAccess, type DemoAccess } from './access.ts';

type Body = Readonly<Record<string, unknown>>;

const call = async ({ baseUrl, agents }: DemoAccess, path: string, body?: Body): Promise<Body> => {
  const reply = await fetch(`${baseUrl}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${agents.operator}`, 'content-type': 'application/json' },
  });
  if (!reply.ok) throw new Error(`${path} answered ${String(reply.status)}: ${await reply.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API answers these calls with objects
  return (await reply.json()) as Body;
};

const listed = (answer: Body, plural: string): readonly Body[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the lists of the API have only objects
  (answer[plural] ?? []) as readonly Body[];

const wasOpened = async (access: DemoAccess): Promise<boolean> => {
  for (const status of ['pending', 'approved', 'rejected']) {
    if (listed(await call(access, `/approvals?status=${status}&limit=1`), 'approvals').length > 0) return true;
  }
  return false;
};

const hourMs = 3_600_000;

const open = async (access: DemoAccess): Promise<void> => {
  const items = listed(await call(access, '/items?inbox=refunds&state=approved&limit=20'), 'items');
  let asked = 0;
  for (const { id, record } of items) {
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
      input: { reason: 'unused' },
      confirmed: true,
    });
    asked += 1;
  }
  await call(access, '/flags/usage_billing', { change: { rollout: 5 }, confirmed: true });
  await call(access, '/flags/ai_summaries', {
    change: { ramp: { to: 50, over: 24 * hourMs, every: hourMs, at: null } },
  });
};

const main = async (): Promise<void> => {
  const access = parseAccess(JSON.parse(readFileSync(join(readDataDir(), 'access.json'), 'utf8')));
  if (!(await wasOpened(access))) await open(access);
};

main().catch((error: unknown) => {
  process.stderr.write(`The demo could not be opened: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
