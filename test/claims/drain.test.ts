/** Agents that drain an inbox by claims through two APIs, while connections break: each item is held by one at a time, and answered once. */
import { expect } from 'chai';
import { clientOf, type Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { newRandom } from '../support/random.ts';
import { newWorld, type World } from '../support/world.ts';

const items = 120;
const agents = 8;

describe('agents that drain an inbox by claims', () => {
  let world: World;
  before(async () => {
    world = await newWorld({
      manifest: { inboxes: [{ name: 'desk', claims: 'enforce', unseen: 'refuse', reply: { via: 'app' } }] },
    });
  });
  after(() => world.close());

  it('give each item one answer, and never hold one together', async () => {
    const person = await world.person('operator', 'Ana Lind');
    await world.app({ 'reply.send': () => null });
    const second = await world.api();
    for (let n = 0; n < items; n++) await person.post('/items', { inbox: 'desk', title: `Item ${String(n)}` });
    const live = await openLive(person);
    const random = newRandom(7);
    let isDone = false;
    const breaking = (async () => {
      while (!isDone) {
        await world.sql(
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and usename = 'console_app' order by random() limit 1) x`,
        );
        await world.sql('select pg_sleep(0.05)');
      }
    })();
    /** Works until nothing is left; some items are given back, and some claims forgotten. Who hears nothing asks again. */
    const work = async (client: Client): Promise<void> => {
      for (;;) {
        const claimed = await client.post('/items/claim', { lease: 10_000, count: random.int(1, 3) });
        if (claimed.status !== 200) continue;
        if (claimed.body.items.length === 0) return;
        for (const { id } of claimed.body.items as { id: string }[]) {
          if (random.int(0, 5) === 0) {
            await client.post(`/items/${id}/release`);
            continue;
          }
          const { body } = await client.get(`/items/${id}`);
          await client.post(`/items/${id}/reply`, { text: 'Hello', seen: body?.seen, then: { state: 'closed' } });
        }
      }
    };
    const workers = await Promise.all(
      Array.from({ length: agents }, async (_, n) => {
        const client = await world.agent('operator', { name: `Agent ${String(n)}` });
        return n % 2 === 0 ? client : clientOf(second.base(), client.token, client.id);
      }),
    );
    await Promise.all(workers.map(work));
    isDone = true;
    await breaking;
    // A claim whose answer was lost is free when its lease is over.
    world.clock.advance(11_000);
    for (const client of workers) await work(client);
    await world.settled();
    const answers = await world.sql<{ n: number }>(
      `select count(*)::int as n from events where type = 'reply' and not is_update group by item`,
    );
    expect(answers.map(({ n }) => n)).to.deep.equal(Array.from({ length: items }, () => 1));
    const [left] = await world.sql<{ n: number }>('select count(*)::int as n from items where claim is not null');
    expect(left?.n).to.equal(0);
    const claims = new Map<string, { readonly by: string; readonly until: number } | null>();
    for (const message of live.messages) {
      if (message.type !== 'claim') continue;
      const { item, claim, at } = message;
      const former = claims.get(item as string) ?? null;
      const isTaken = claim !== null && former !== null && former.by !== claim.by.id && at < former.until;
      expect(isTaken, `${String(item)} was given to a second agent`).to.equal(false);
      claims.set(item as string, claim === null ? null : { by: claim.by.id as string, until: claim.until as number });
    }
    expect(claims.size).to.equal(items);
    await live.close();
  });
});
