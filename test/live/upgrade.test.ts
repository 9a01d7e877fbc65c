/** Opening a stream: what is refused and how, tickets, subprotocols, bad frames, and requests that only look like upgrades. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { newToken, tokenHash } from '../../shared/accounts/access/tokens.ts';
import { item, newLiveWorld, refusal, until, type Api, type LiveWorld, type SubscribeOptions } from './liveWorld.ts';

describe('live stream: opening it', () => {
  let world: LiveWorld;
  let api: Api;
  let token: string;
  before(async () => {
    world = await newLiveWorld();
    await world.environment('staging');
    api = await world.api();
    ({ token } = await world.agent('viewer'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  const refused = (options: SubscribeOptions): ReturnType<typeof refusal> => refusal(world.subscribe(api, options));
  const ticket = async (environment = 'production'): Promise<string> => {
    const env = api.deps.directory.environment(environment);
    const session = await api.deps.directory.sessionByToken(token);
    if (env === undefined || session === null) throw new Error('no such environment');
    return (await api.live.issueTicket(env, session)).ticket;
  };

  it('refuses before the upgrade, as HTTP does', async () => {
    const none = await refused({});
    expect([none.status, none.body.code, none.headers['www-authenticate']]).to.deep.equal([
      401,
      'unauthorized',
      'Bearer',
    ]);
    expect(none.headers['x-request-id']).to.match(/^req_/);
    const unknown = await refused({ token: newToken('agent'), headers: { 'x-request-id': 'mine' } });
    expect([unknown.status, unknown.headers['x-request-id']]).to.deep.equal([401, 'mine']);
    expect(unknown.body).to.deep.equal(none.body);
    expect((await refused({ env: 'nowhere' })).status).to.equal(401);
    const nowhere = await refused({ token, env: 'nowhere' });
    const elsewhere = await refused({ token, env: 'staging' });
    expect([nowhere.status, nowhere.body.code]).to.deep.equal([404, 'not_found']);
    expect(elsewhere.body).to.deep.equal(nowhere.body);
    const cookie = { cookie: `console=${token}` };
    expect((await refused({ headers: cookie })).status).to.equal(401);
    expect((await refused({ headers: { ...cookie, origin: 'https://evil.example' } })).status).to.equal(403);
    expect((await refused({ token, protocols: ['console.v1', `bearer.${token}`] })).status).to.equal(401);
  });

  it('refuses app keys, which have no stream', async () => {
    const key = newToken('app');
    await world.db('app_keys').insert({ id: 'key_1', env: 1, name: 'app', created_at: 1 });
    await world.db('tokens').insert({ hash: tokenHash(key), kind: 'app', principal: 'key_1', created_at: 1 });
    expect(await refused({ token: key })).to.deep.include({ status: 403 });
  });

  it('names every parameter that it does not take', async () => {
    const places = async (query: string): Promise<unknown> => {
      const { status, body } = await refused({ token, query });
      return [status, body.code, body.details?.map(({ path }) => path)];
    };
    expect(await places('?afterr=1&types=item')).to.deep.equal([400, 'invalid', ['afterr']]);
    expect(await places('?types=item&types=bulk')).to.deep.equal([400, 'invalid', ['types']]);
    expect(await places('?types=nothing')).to.deep.equal([400, 'invalid', ['types.0']]);
    expect(await places('?inboxes=')).to.deep.equal([400, 'invalid', ['inboxes.0']]);
    expect(await places('?after=%ZZ')).to.deep.equal([400, 'invalid', ['after']]);
    expect(await places('?after=garbage')).to.deep.equal([400, 'bad_cursor', ['after']]);
  });

  it('answers an offset of another environment, of another epoch or of the future with a reset', async () => {
    const staging = api.deps.directory.environment('staging');
    const production = api.deps.directory.environment('production');
    if (staging === undefined || production === undefined) throw new Error('no environments');
    const offsets = [
      staging.seal.offset({ epoch: 1, position: 0, part: 255 }),
      production.seal.offset({ epoch: 7, position: 0, part: 255 }),
      production.seal.offset({ epoch: 1, position: 1_000_000, part: 0 }),
    ];
    for (const after of offsets) {
      const subscriber = await world.listening(api, { token, query: `?after=${after}` });
      expect((await subscriber.next('reset'))['reason']).to.equal('epoch');
      expect(subscriber.messages[0]).to.include({ type: 'hello', resumed: false });
      await world.publish([[item('anew')]]);
      await until('it goes on', () => subscriber.titles().includes('anew'));
      expect(subscriber.broken).to.deep.equal([]);
    }
  });

  it('takes the token among the subprotocols and answers only with its own', async () => {
    const subscriber = await world.listening(api, { protocols: ['console.v1', `bearer.${token}`] });
    expect(subscriber.ws.protocol).to.equal('console.v1');
  });

  it('takes a ticket once, of any number who try it at the same time', async () => {
    const one = await ticket();
    const tries = Array.from({ length: 8 }, () => world.subscribe(api, { query: `?ticket=${one}` }));
    const refusals = await Promise.all(
      tries.map((subscriber) =>
        Promise.race([refusal(subscriber).then(({ status }) => status), subscriber.next('hello').then(() => 101)]),
      ),
    );
    expect(refusals).to.have.members([101, 401, 401, 401, 401, 401, 401, 401]);
    expect((await refused({ query: `?ticket=${one}` })).status).to.equal(401);
  });

  it('refuses a ticket that is too old or of another environment', async () => {
    expect((await refused({ query: `?ticket=${await ticket('staging')}` })).status).to.equal(401);
    const old = await ticket();
    await world.db('tickets').update({ expires_at: Date.now() - 1 });
    expect((await refused({ query: `?ticket=${old}` })).status).to.equal(401);
    expect((await refused({ query: '?ticket=x' })).status).to.equal(401);
  });

  it('closes what is too long, binary or not UTF-8, and after ten senseless messages', async () => {
    const code = async (send: (subscriber: Awaited<ReturnType<LiveWorld['listening']>>) => void): Promise<number> => {
      const subscriber = await world.listening(api, { token });
      send(subscriber);
      return (await subscriber.closed).code;
    };
    expect(
      await code((subscriber) => {
        subscriber.send('x'.repeat(4097));
      }),
    ).to.equal(1009);
    expect(
      await code((subscriber) => {
        subscriber.ws.send(Buffer.from('{}'));
      }),
    ).to.equal(1003);
    expect(
      await code((subscriber) => {
        subscriber.ws.send(Buffer.from([0xff, 0xfe]), { binary: false });
      }),
    ).to.equal(1007);
    const senseless = await world.listening(api, { token });
    for (const message of [
      'nonsense',
      '[]',
      '1',
      { type: 'x' },
      { type: 'ping', more: 1 },
      { type: 'narrow', types: ['no'] },
      { type: 'narrow', inboxes: 1 },
      'null',
      '""',
      '{',
    ])
      senseless.send(message);
    senseless.send({ type: 'ping' });
    expect((await senseless.closed).code).to.equal(1008);
    expect(senseless.of('error').length).to.equal(10);
    expect(senseless.of('pong').length).to.equal(0);
    expect(senseless.broken).to.deep.equal([]);
  });

  it('answers pings and bears a full frame, but neither a flood of messages nor one of fragments', async () => {
    const subscriber = await world.listening(api, { token });
    subscriber.send({ type: 'ping' });
    await subscriber.next('pong');
    subscriber.send('x'.repeat(4096));
    await subscriber.next('error');
    const flooding = await world.listening(api, { token });
    for (let i = 0; i < 2_000; i++) flooding.send({ type: 'ping' });
    expect((await flooding.closed).code).to.equal(1008);
    const fragments = await world.listening(api, { token });
    fragments.ws.send('{', { fin: false });
    for (let i = 0; i < 20_000 && fragments.ws.readyState === 1; i++) fragments.ws.send('', { fin: false });
    expect((await fragments.closed).code).to.equal(1008);
    subscriber.send({ type: 'ping' });
    await subscriber.next('pong', 2);
  });

  it('closes the connections beyond the most of one token, and takes new ones when old ones have gone', async () => {
    const { token: busy } = await world.agent('viewer');
    const held = await Promise.all(Array.from({ length: 20 }, () => world.listening(api, { token: busy })));
    expect((await world.subscribe(api, { token: busy }).closed).code).to.equal(4429);
    await held[0]?.close();
    await until('there is room', async () => {
      const again = world.subscribe(api, { token: busy });
      return (await Promise.race([again.closed, again.next('hello')])) !== undefined && !again.isClosed;
    });
  });

  it('leaves requests that only offer another protocol to HTTP', async () => {
    const { port, hostname } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const offer = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';
    socket.write(`GET /a HTTP/1.1\r\n${offer}\r\n`);
    await until('an answer', () => text.includes('plain GET'));
    socket.write(`POST /b HTTP/1.1\r\n${offer}Content-Length: 5\r\n\r\nhel`);
    socket.write('lo');
    await until('another', () => text.includes('plain POST hello'));
    socket.end();
    await once(socket, 'close');
  });

  it('answers 404 and 405 in JSON to upgrades that go nowhere', async () => {
    expect((await refused({ token, query: '/x' })).status).to.equal(404);
    const { port, hostname } = new URL(api.url);
    const ask = async (start: string): Promise<string> => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `${start} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    };
    expect(await ask('POST /api/env/production/live')).to.match(
      /^HTTP\/1\.1 405 [^]*allow: GET[^]*"method_not_allowed"/,
    );
    expect(await ask('GET /elsewhere')).to.match(/^HTTP\/1\.1 404 [^]*"not_found"/);
    expect(await ask('GET /api/env/production/live')).to.match(/^HTTP\/1\.1 400 [^]*"invalid"/);
  });

  it('closes all streams with 1012 when it stops, and takes no more', async () => {
    const other = await world.api();
    const subscriber = await world.listening(other, { token });
    const stopping = other.live.stop();
    expect((await subscriber.closed).code).to.equal(1012);
    await stopping;
    expect((await refusal(world.subscribe(other, { token }))).status).to.equal(503);
  });
});
