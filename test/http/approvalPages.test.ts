/** Pages of approvals whose targets are large: they end before they are too much to send, and none is left out. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  flags: ['beta', 'gamma'].map((key) => ({ key, kind: 'boolean', default: false })),
};
const asked = 6;

describe('http: pages of large approvals', () => {
  let world: World;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    person = await world.person('admin');
    const supervised = await world.agent('admin', { mode: 'supervised' });
    for (let n = 0; n < asked; n++) {
      const targets = Object.fromEntries(Array.from({ length: 5_000 }, () => [randomBytes(40).toString('hex'), true]));
      const reply = await supervised.post('/flags/beta', { change: { targets, rollout: n } });
      expect(reply.status, reply.text.slice(0, 200)).to.equal(202);
    }
  });
  after(() => world.close());

  const walk = async (
    client: Client,
    query: string,
  ): Promise<{ readonly pages: number[]; readonly rollouts: number[] }> => {
    const pages: number[] = [];
    const rollouts: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await client.get(`/approvals?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      pages.push(body.approvals.length);
      rollouts.push(...body.approvals.map(({ change }: { change: { rollout: number } }) => change.rollout));
      cursor = body.cursor;
    }
    return { pages, rollouts };
  };

  it('are short, and have each request once, newest first', async () => {
    const { pages, rollouts } = await walk(person, 'limit=50');
    expect(Math.max(...pages)).to.be.below(asked);
    expect(rollouts).to.deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it('are whole where the limit asks for fewer', async () => {
    const { pages, rollouts } = await walk(person, 'limit=1');
    expect(pages).to.deep.equal([1, 1, 1, 1, 1, 1]);
    expect(rollouts).to.deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it('lead to what is seen, whatever large requests are hidden before and behind it', async () => {
    await world.role('decider', [
      { on: 'approvals', can: ['*'] },
      { on: 'flag:gamma', can: ['see'] },
    ]);
    const decider = await world.person('decider');
    const supervised = await world.agent('admin', { mode: 'supervised' });
    const all = async (): Promise<number[]> => (await walk(decider, 'limit=50')).rollouts;
    expect(await all()).to.deep.equal([]);
    const reply = await supervised.post('/flags/gamma', { change: { rollout: 7 } });
    expect(reply.status, reply.text).to.equal(202);
    expect(await all()).to.deep.equal([7]);
    await world.sql("update approvals set id = 'apr_00000000000000000000000000' where id = $1", [reply.body.approval]);
    expect(await all()).to.deep.equal([7]);
  });
});
