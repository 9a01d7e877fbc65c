/** The access log of a real API: a line for each request and socket, and nothing in it that is nobody's business. */
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import { clientOf, request, type Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

type Line = Readonly<Record<string, unknown>>;

describe('the access log', () => {
  let world: World;
  let api: Program;
  let agent: Client;
  let key: Client;

  const at = ({ token, id }: Client): Client => clientOf(`http://127.0.0.1:${api.port}/api/env/demo`, token, id);

  before(async () => {
    world = await newWorld({ server: false, workers: false });
    api = await startProgram(world, 'api/main.ts', { ACCESS_LOG: 'on', TRUST_PROXY: '1' });
    agent = at(await world.agent('admin'));
    key = at(await world.appKey());
  });
  after(async () => {
    await api.end();
    await world.close();
  });

  const lines = (): Line[] =>
    api
      .said()
      .split('\n')
      .flatMap((line) => (line.includes('"access":') ? [JSON.parse(line) as Line] : []));
  /** Resolves with the line of the request that was sent with this id. */
  const lineOf = (requestId: string, access = 'request'): Promise<Line> =>
    until(`there is a line of ${requestId}`, () =>
      lines().find((line) => line['requestId'] === requestId && line['access'] === access),
    );
  const headers = (id: string) => ({ headers: { 'x-request-id': id, 'x-forwarded-for': '192.0.2.7' } });

  it('has a line for each request: who, what by its pattern, from where, how it ended', async () => {
    const { text } = await agent.get('/items?inbox=mail&search=hidden', headers('req-list'));
    const line = await lineOf('req-list');
    expect(line).to.include({
      access: 'request',
      method: 'GET',
      route: '/items',
      status: 200,
      bytes: Buffer.byteLength(text),
      address: '192.0.2.7',
      environment: 'demo',
      principal: agent.id,
    });
    expect(line['ms']).to.be.a('number');
    expect(line).not.to.have.property('trace');
  });

  it('says of what fails which endpoint it was, and of a path that is none nothing', async () => {
    await agent.get('/items/itm_hidden', headers('req-missing'));
    expect(await lineOf('req-missing')).to.include({ route: '/items/:id', status: 404 });
    await agent.get('/hidden/path', headers('req-path'));
    expect(await lineOf('req-path')).to.include({ route: null, status: 404, environment: 'demo' });
    const nobody = at(world.nobody());
    await nobody.get('/me', headers('req-nobody'));
    expect(await lineOf('req-nobody')).to.include({ route: null, status: 401, environment: null, principal: null });
    const body = { email: 'hidden@example.com', password: 'hidden' };
    await request('POST', `${agent.base}/sign-in`, body, null, headers('req-sign-in'));
    expect(await lineOf('req-sign-in')).to.include({ method: 'POST', route: '/sign-in', status: 401, principal: null });
  });

  it('says why a request failed: the code, and of one that is not valid the places, without what the client called them', async () => {
    await agent.get('/items/itm_hidden', headers('req-why-missing'));
    expect(await lineOf('req-why-missing')).to.include({ status: 404, code: 'not_found' });
    await agent.post('/items', { inbox: 'mail', title: 7, hidden: 'hidden' }, headers('req-why-invalid'));
    const invalid = await lineOf('req-why-invalid');
    expect(invalid).to.include({ status: 400, code: 'invalid' });
    expect(invalid['fields']).to.deep.equal(['title']);
    await agent.get('/me', headers('req-why-not'));
    expect(await lineOf('req-why-not')).not.to.have.any.keys('code', 'fields');
    const viewer = at(await world.agent('viewer'));
    await viewer.post('/items', { inbox: 'mail', title: 'a' }, headers('req-why-denied'));
    expect(await lineOf('req-why-denied')).to.include({ status: 403, code: 'forbidden' });
  });

  it('names the tool of a call by a model', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
    await agent.post('/mcp', call, headers('req-tool'));
    expect(await lineOf('req-tool')).to.include({ route: '/mcp', tool: 'get_me', status: 200 });
    const unknown = { ...call, params: { name: 'hidden_tool', arguments: {} } };
    await agent.post('/mcp', unknown, headers('req-no-tool'));
    expect(await lineOf('req-no-tool')).not.to.have.property('tool');
  });

  it('has sockets: opened, closed with code and duration, refused', async () => {
    const before = lines().length;
    await (await openLive(agent)).close();
    const app = await connectApp(key, { headers: { 'x-request-id': 'req-app' } });
    await app.close();
    const opened = await lineOf('req-app', 'socket opened');
    expect(opened).to.include({ route: '/app', environment: 'demo', principal: key.id });
    const closed = await lineOf('req-app', 'socket closed');
    expect(closed['code']).to.be.a('number');
    expect(closed['ms']).to.be.a('number');
    const own = await until('the stream has closed', () => {
      const found = lines()
        .slice(before)
        .filter(({ route }) => route === '/live');
      return found.some(({ access }) => access === 'socket closed') && found;
    });
    expect(own.map(({ access }) => access)).to.deep.equal(['socket opened', 'socket closed']);
    expect(own[0]).to.include({ environment: 'demo', principal: agent.id });
    const refused = await connectApp(at(world.nobody()), { headers: { 'x-request-id': 'req-refused' } }).catch(
      () => null,
    );
    expect(refused).to.equal(null);
    expect(await lineOf('req-refused', 'socket refused')).to.include({
      route: '/app',
      status: 401,
      code: 'unauthorized',
    });
  });

  it('shows no path, query string, body or token', async () => {
    await agent.post('/items', { inbox: 'mail', title: 'hidden' }, headers('req-last'));
    await agent.get(`/me?token=${agent.token}`, headers('req-token'));
    await lineOf('req-last');
    await lineOf('req-token');
    const text = lines()
      .map((line) => JSON.stringify(line))
      .join('\n');
    for (const word of ['hidden', agent.token, key.token]) expect(text.includes(word), word).to.equal(false);
  });

  it('is off unless it is asked for', async () => {
    const quiet = await startProgram(world, 'api/main.ts');
    await request('GET', `http://127.0.0.1:${quiet.port}/api/env/demo/me`, undefined, agent.token);
    await quiet.end();
    expect(quiet.said()).not.to.include('"access":');
  });
});
