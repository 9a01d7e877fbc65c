/** `GET /changes` over HTTP, narrowed to types and inboxes, and the tool that leaves out what its caller did. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = { inboxes: [{ name: 'mail' }, { name: 'bugs' }, { name: 'secret' }] };

interface Message {
  readonly type: string;
  readonly inbox?: string;
  readonly item?: { readonly inbox: string } | string;
}

describe('changes, narrowed', () => {
  let world: World;
  let agent: Client;
  let other: Client;

  before(async () => {
    world = await newWorld({ manifest });
    const grants = ['mail', 'bugs'].map((name) => ({ on: `inbox:${name}`, can: ['*'] }));
    await world.role('clerk', grants);
    agent = await world.agent('clerk');
    other = await world.agent('clerk');
  });
  after(() => world.close());

  const inboxOf = ({ inbox, item }: Message): unknown => inbox ?? (typeof item === 'object' ? item.inbox : null);

  it('have only these types, of these inboxes, and go on behind what they leave out', async () => {
    const { cursor } = (await agent.get('/changes')).body;
    for (const inbox of ['mail', 'bugs'])
      expect((await agent.post('/items', { inbox, title: `In ${inbox}` })).status).to.equal(201);
    await world.settled();
    const read = async (query: string): Promise<readonly Message[]> => {
      const { status, body, text } = await agent.get(`/changes?after=${String(cursor)}${query}`);
      expect(status, text).to.equal(200);
      return (body as { changes: Message[] }).changes;
    };
    const all = await read('');
    expect(new Set(all.map(({ type }) => type))).to.deep.equal(new Set(['item', 'timeline']));
    expect(await read('&types=item,timeline&inboxes=mail,bugs')).to.have.length(all.length);
    const items = await read('&types=item');
    expect(new Set(items.map(({ type }) => type))).to.deep.equal(new Set(['item']));
    const mail = await read('&inboxes=mail');
    expect(mail).not.to.have.length(0);
    expect(new Set(mail.map(inboxOf))).to.deep.equal(new Set(['mail']));
    expect((await read('&types=item&inboxes=bugs')).map(inboxOf)).to.deep.equal(['bugs']);
    const { body } = await agent.get(`/changes?after=${String(cursor)}&types=flag`);
    expect(body.changes).to.deep.equal([]);
    expect(body.cursor).not.to.equal(cursor);
  });

  it('refuse types that the log does not keep, and inboxes that are hidden as those that are not there', async () => {
    for (const types of ['read', 'nothing', '']) {
      const { status, body } = await agent.get(`/changes?types=${types}`);
      expect([status, body.code], types).to.deep.equal([400, 'invalid']);
    }
    const [hidden, none] = await Promise.all(['secret', 'nobody'].map((name) => agent.get(`/changes?inboxes=${name}`)));
    expect([hidden?.status, none?.status]).to.deep.equal([404, 404]);
    expect(hidden?.text.replaceAll('secret', 'nobody')).to.equal(none?.text);
  });

  it('of a tool leave out what the caller did with exceptMe', async () => {
    const { cursor } = (await callTool(agent, 'list_changes')).body;
    await agent.post('/items', { inbox: 'mail', title: 'Mine' });
    await other.post('/items', { inbox: 'mail', title: 'Theirs' });
    await world.settled();
    const { body, status } = await callTool(agent, 'list_changes', {
      since: cursor,
      exceptMe: true,
      types: ['timeline'],
      inboxes: 'mail',
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((body as { changes: object[] }).changes).to.have.length(1);
    expect((await agent.get('/changes?exceptMe=1')).status).to.equal(400);
  });
});
