/**
 * Requests generated from `/openapi.json`, valid and mutated, with an app connected that answers well, badly or not at
 * all: no 5xx but what the document has for apps, every answer as documented, and the process lives. `FUZZ_RUNS` sets how
 * many (5,000 when absent), `FUZZ_SEED` repeats a run.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { openFuzzWorld } from './fuzzWorld.ts';
import { createRequests } from './requests.ts';

/** Upgrades, sign-ins, and what ends with what it needs. */
const hard: ReadonlySet<string> = new Set([
  'open_stream',
  'open_app_link',
  'sign_in',
  'sign_in_fresh',
  'cancel_bulk',
  'retry_run',
  'end_my_session',
  'answer_question',
  'accept_loosening',
  'refuse_loosening',
]);

const runs = Number(process.env['FUZZ_RUNS'] ?? 5_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2_147_483_647);

describe('requests made from the document', function () {
  this.timeout(180_000 + runs * 150);
  let fuzzed: Awaited<ReturnType<typeof openFuzzWorld>>;

  before(async () => {
    fuzzed = await openFuzzWorld();
  });
  after(async () => {
    await fuzzed.app.close();
    await fuzzed.world.close();
  });

  it(`${String(runs)} of them, seed ${String(seed)}: no 5xx, and every answer as documented`, async () => {
    const { clients, documents } = fuzzed;
    const statuses = new Map<number, number>();
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(createRequests(fuzzed), async ({ operation, path, body, headers, client }) => {
        const caller = clients[client];
        if (caller === undefined) return;
        const reply = await caller.call(operation.method, path, body, { headers });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        // What an app answered badly or late is its own fault, and said to be.
        if (![502, 504].includes(reply.status))
          expect(
            reply.status,
            `${operation.method} ${path} ${JSON.stringify(body)?.slice(0, 500) ?? ''} ${reply.text}`,
          ).to.be.below(500);
        reached.add(`${operation.id} ${String(Math.floor(reply.status / 100))}`);
        documents.check(operation.method, path, reply);
      }),
      { numRuns: runs, seed },
    );
    // Neither only refusals nor only successes: both sides were reached.
    const share = (from: number): number =>
      [...statuses]
        .filter(([status]) => status >= from && status < from + 100)
        .reduce((sum, [, count]) => sum + count, 0) / runs;
    expect(share(200)).to.be.above(0.1);
    expect(share(400)).to.be.above(0.1);
    // Most endpoints did what they are for at least once, but for those that need what no generator finds; which ones is chance.
    const never = documents.operations.map(({ id }) => id).filter((id) => !reached.has(`${id} 2`) && !hard.has(id));
    if (runs >= 5_000)
      expect(never.length, `no request was ever right for ${never.join(', ')}`).to.be.below(
        documents.operations.length / 6,
      );
  });

  it('leaves a server that serves', async () => {
    const { clients, documents, world } = fuzzed;
    for (const client of clients.slice(0, 3)) {
      const reply = await client.get('/items?count=1');
      documents.check('GET', '/items', reply);
      expect(reply.status).to.equal(200);
    }
    expect((await fetch(new URL('/ready', world.base))).status).to.equal(200);
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
  });
});
