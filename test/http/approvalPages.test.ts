/** Pages of approvals whose targets are large: they end before they are too much to send, and none is left out. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = { flags: [{ key: 'beta', kind: 'boolean', default: false }] } as const;
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
});
