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

  const walk = async (query: string): Promise<{ readonly pages: number[]; readonly rollouts: number[] }> => {
    const pages: number[] = [];
    const rollouts: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await person.get(`/approvals?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      pages.push(body.approvals.length);
      rollouts.push(...body.approvals.map(({ change }: { change: { rollout: number } }) => change.rollout));
      cursor = body.cursor;
    }
    return { pages, rollouts };
  };

  it('are short, and have each request once, newest first', async () => {
    const { pages, rollouts } = await walk('limit=50');
    expect(Math.max(...pages)).to.be.below(asked);
    expect(rollouts).to.deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it('are whole where the limit asks for fewer', async () => {
    const { pages, rollouts } = await walk('limit=1');
    expect(pages).to.deep.equal([1, 1, 1, 1, 1, 1]);
    expect(rollouts).to.deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it('have no cursor behind which there is only what is hidden, nor are they empty before what is seen', async () => {
    await world.role('decider', [
      { on: 'approvals', can: ['*'] },
      { on: 'flag:gamma', can: ['see'] },
    ]);
    const decider = await world.person('decider');
    const supervised = await world.agent('admin', { mode: 'supervised' });
    const all = async (): Promise<unknown[]> => {
      const { body } = await decider.get('/approvals?limit=50');
      return [body.approvals.length, body.cursor];
    };
    expect(await all()).to.deep.equal([0, null]);
    const reply = await supervised.post('/flags/gamma', { change: { rollout: 7 } });
    expect(reply.status, reply.text).to.equal(202);
    expect(await all()).to.deep.equal([1, null]);
    await world.sql("update approvals set id = 'apr_00000000000000000000000000' where id = $1", [reply.body.approval]);
    expect(await all()).to.deep.equal([1, null]);
  });
});
