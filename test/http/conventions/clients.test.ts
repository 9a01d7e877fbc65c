/** Conventions over HTTP: what clients of other makers send, pages of other sites, and members that are named twice. */
import { expect } from 'chai';
import { connectApp } from '../../support/app.ts';
import { readDocuments } from '../../support/documented.ts';
import { request } from '../../support/http.ts';
import { head, raw } from '../../support/raw.ts';
import { newWorld, type World } from '../../support/world.ts';
import { keyed, openConventionsWorld, refused, type ConventionsWorld } from './conventionsWorld.ts';

describe('conventions over HTTP: clients of all kinds', () => {
  let world: ConventionsWorld['world'];
  let admin: ConventionsWorld['admin'];
  let clerk: ConventionsWorld['clerk'];
  let make: ConventionsWorld['make'];

  before(async () => {
    ({ world, admin, clerk, make } = await openConventionsWorld());
  });
  after(() => world.close());

  it('open connections ahead that send nothing, and hear nothing where these are closed', async function () {
    // The service waits 15 s for a head, and looks every 5 s.
    this.timeout(40_000);
    const { status, text } = await raw(world.port, '');
    expect([status, text]).to.deep.equal([0, '']);
  });

  it('ignore an idempotency key where nothing changes, of whatever form', async () => {
    const refs = { refs: [{ resource: 'customer', id: 'cus_1' }] };
    const context = { context: { targetingKey: 'cus_1' } };
    for (const [path, body] of [
      ['/available', refs],
      ['/ofrep/v1/evaluate/flags', context],
    ] as const) {
      const plain = await admin.post(path, body);
      expect(plain.status, plain.text).to.equal(200);
      for (const key of ['k', 'x'.repeat(256), ' ']) {
        const reply = await admin.post(path, body, keyed(key));
        expect([reply.status, reply.text], path).to.deep.equal([200, plain.text]);
      }
      const other = await admin.post(path, {}, keyed('k'));
      expect(other.headers.get('idempotent-replayed')).to.equal(null);
    }
    refused(await admin.post('/live/tickets', {}, keyed('k')), 400, 'invalid', 'idempotency-key');
  });

  it('name UTF-8 as they like', async () => {
    const raw = JSON.stringify({ inbox: 'mail', title: 'Grüße' });
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF8',
      'Application/JSON; Charset="utf-8"',
      "application/json; charset='utf8'",
      'application/json ; charset = Utf_8 ',
    ]) {
      const reply = await clerk.post('/items', undefined, { raw, headers: { 'content-type': type } });
      expect([reply.status, reply.body?.item?.title], `${type} ${reply.text}`).to.deep.equal([201, 'Grüße']);
    }
    for (const type of ['application/json; charset=latin1', 'application/json; charset="utf8', 'text/json'])
      refused(
        await clerk.post('/items', undefined, { raw, headers: { 'content-type': type } }),
        415,
        'unsupported_media_type',
      );
  });

  it('send the whole address as the target of a request', async () => {
    const authorization = `authorization: Bearer ${clerk.token}`;
    const get = (target: string, ...headers: string[]) => raw(world.port, head(`GET ${target} HTTP/1.1`, ...headers));
    expect((await get('http://console.example.com/api/env/demo/me', authorization)).body.principal.id).to.equal(
      clerk.id,
    );
    expect((await get('HTTPS://console.example.com:8443/api/env/demo/items?limit=1', authorization)).status).to.equal(
      200,
    );
    expect((await get('http://console.example.com/health')).body).to.deep.equal({ ok: true });
    for (const target of ['http://console.example.com', 'http://x/nosuch', 'http://a@b/health', 'ftp://x/health'])
      refused(await get(target), 404, 'not_found');
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
    const lines = ['GET http://x/api/env/demo/live HTTP/1.1', 'host: x', ...upgrade, key, authorization];
    const opened = await raw(world.port, `${lines.join('\r\n')}\r\n\r\n`, {
      connected: (socket) => socket.once('data', () => setImmediate(() => socket.destroy())),
    });
    expect(opened.status).to.equal(101);
  });

  describe('a member that is named twice in one object', () => {
    const twice = '{"reason":"a","\\u0072eason":"b"}';

    it('is refused by every endpoint that takes a body, before anything else is looked at', async () => {
      const person = await world.person('admin', 'Ana', { fresh: true });
      const { operations } = await readDocuments(new URL(world.base).origin);
      const writes = operations.filter(({ body }) => body !== null);
      expect(writes.length).to.be.above(40);
      for (const { method, path } of writes) {
        const below = path.replace(/\{[A-Za-z]+\}/g, 'x');
        // Agents alone ask questions.
        const { token } = path === '/questions' ? clerk : person;
        const reply = await request(method, `${world.base}${below}`, undefined, token, {
          raw: twice,
        });
        expect([reply.status, reply.body?.code], `${method} ${path} ${reply.text}`).to.deep.equal([400, 'bad_json']);
        expect(reply.body.details, path).to.deep.equal([{ path: 'reason', message: 'is named twice in one object' }]);
      }
    });

    it('is named with its place, however deep it stands', async () => {
      for (const [text, path] of [
        ['{"inbox":"mail","title":"a","title":"a"}', 'title'],
        ['{"inbox":"mail","title":"a","data":{"lines":[{"n":1},{"n" : 1 , "n":1}]}}', 'data.lines.1.n'],
        ['{"inbox":"mail","title":"a","data":{"é":1,"\\u00e9":2}}', 'data.é'],
        ['{"inbox":"mail","title":"a","data":{"":1,"":1}}', 'data.'],
        [`{"inbox":"mail","title":"${'x'.repeat(40_000)}","data":{"a":1,"a":1}}`, 'data.a'],
      ] as const) {
        const reply = await clerk.post('/items', undefined, { raw: text });
        refused(reply, 400, 'bad_json', path);
        expect(reply.body.error).to.include(path);
      }
      const fine = '{"inbox":"mail","title":"\\":\\"title\\":","data":{"title":"a:b","lines":[{"n":":"},{"n":1}]}}';
      expect((await clerk.post('/items', undefined, { raw: fine })).status).to.equal(201);
    });

    it('is refused where it is meant to cost much, with an idempotency key', async () => {
      const item = await make();
      const text = `{"text":"x",${Array.from({ length: 16_000 }, () => '"reason":"x"').join(',')}}`;
      const reply = await clerk.post(`/items/${item.id}/notes`, undefined, { raw: text, ...keyed('many') });
      refused(reply, 400, 'bad_json', 'reason');
    });

    it('is refused in messages of agents, streams and apps', async () => {
      const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","name":"get_me"}}';
      const reply = await clerk.post('/mcp', undefined, { raw: message });
      expect([reply.status, reply.body.code, reply.body.error.code]).to.deep.equal([400, 'bad_json', -32700]);
      const app = await connectApp(await world.appKey());
      try {
        const answer = new Promise<{ id: number; error: { data: { code: string } } }>((resolve) => {
          app.socket.on('message', (data) => {
            const read = JSON.parse((data as Buffer).toString()) as { id: number; error: { data: { code: string } } };
            if (read.id === 77) resolve(read);
          });
        });
        app.raw('{"jsonrpc":"2.0","id":77,"method":"flags.list","params":{"cursor":null,"cursor":null}}');
        expect((await answer).error.data.code).to.equal('bad_json');
        expect(await app.request('flags.list', { cursor: null })).to.deep.equal({ flags: [], cursor: null });
      } finally {
        await app.close();
      }
    });
  });
});

describe('conventions over HTTP: pages of other sites', () => {
  const publicUrl = 'https://console.example.com';
  const shop = 'https://shop.example.com';
  let world: World;
  before(async () => {
    world = await newWorld({ env: { PUBLIC_URL: publicUrl, OFREP_ORIGINS: `${shop}, http://localhost:5173` } });
  });
  after(() => world.close());

  /** Sends a request with the headers of a page of `origin`, of which `host` is the name of this service. */
  const from = (origin: string, host: string, start: string, headers: readonly string[], body = '{}') =>
    raw(
      world.port,
      [
        `${start} HTTP/1.1`,
        `host: ${host}`,
        `origin: ${origin}`,
        'connection: close',
        'content-type: application/json',
        `content-length: ${String(Buffer.byteLength(body))}`,
        ...headers,
        '',
        body,
      ].join('\r\n'),
    );

  it('are refused where host and origin are one name that is not the service’s, on everything that a page can send', async () => {
    const agent = await world.agent('admin');
    const person = await world.person('admin', 'Ana', { email: 'ana@example.com', password: 'a long password' });
    const cookie = `cookie: console_session=${person.token}`;
    const local = `127.0.0.1:${String(world.port)}`;
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const signIn = JSON.stringify({ email: 'ana@example.com', password: 'a long password' });
    const upgrade = ['upgrade: websocket', 'sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
    /** What a page can send, and the status of its answer where the page is the service's own. */
    const sent = [
      ['POST /api/env/demo/mcp', [`authorization: Bearer ${agent.token}`], list, 200],
      ['POST /api/env/demo/mcp', [cookie], list, 200],
      ['POST /api/env/demo/items', [cookie], '{"inbox":"mail","title":"x"}', 201],
      ['POST /api/env/demo/sign-in', [], signIn, 200],
    ] as const;
    for (const [start, headers, body, status] of sent) {
      for (const stranger of [
        'evil.example',
        `evil.example:${String(world.port)}`,
        '10.1.2.3',
        'localhost.evil.example',
      ])
        for (const scheme of ['http', 'https'])
          refused(await from(`${scheme}://${stranger}`, stranger, start, headers, body), 403, 'forbidden');
      const own = await from(publicUrl, '10.0.0.7:3000', start, headers, body);
      expect(own.status, `${start} ${own.text}`).to.equal(status);
    }
    const socket = (origin: string, host: string) =>
      raw(
        world.port,
        `${['GET /api/env/demo/live HTTP/1.1', `host: ${host}`, `origin: ${origin}`, 'connection: upgrade', ...upgrade, cookie].join('\r\n')}\r\n\r\n`,
        { connected: (each) => each.once('data', () => setImmediate(() => each.destroy())) },
      );
    expect((await socket('https://evil.example', 'evil.example')).status).to.equal(403);
    expect((await socket(publicUrl, local)).status).to.equal(101);
  });

  it('evaluate flags from the origins of OFREP_ORIGINS, after a preflight', async () => {
    const agent = await world.agent('admin');
    const path = '/api/env/demo/ofrep/v1/evaluate/flags';
    const asks = ['access-control-request-method: POST', 'access-control-request-headers: authorization,content-type'];
    for (const origin of [shop, 'http://localhost:5173']) {
      const preflight = await from(origin, 'console.example.com', `OPTIONS ${path}`, asks, '');
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('access-control-allow-origin')).to.equal(origin);
      expect(preflight.headers.get('access-control-allow-methods')).to.equal('POST');
      expect(preflight.headers.get('access-control-allow-headers')).to.include('authorization, content-type, if-none');
      expect(preflight.headers.get('access-control-allow-credentials')).to.equal(null);
      const bearer = [`authorization: Bearer ${agent.token}`];
      const body = '{"context":{"targetingKey":"x"}}';
      const answer = await from(origin, 'console.example.com', `POST ${path}`, bearer, body);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([200, origin]);
      expect(answer.headers.get('access-control-expose-headers')).to.include('etag');
      expect(answer.headers.get('vary')).to.include('origin');
      // A page has to be able to read why it was refused.
      const refusal = await from(origin, 'console.example.com', `POST ${path}`, [], body);
      refused(refusal, 401, 'unauthorized');
      expect(refusal.headers.get('access-control-allow-origin')).to.equal(origin);
    }
  });

  it('get nothing of CORS from other origins, nor on other endpoints', async () => {
    const agent = await world.agent('admin');
    const bearer = [`authorization: Bearer ${agent.token}`, 'access-control-request-method: POST'];
    const flags = '/api/env/demo/ofrep/v1/evaluate/flags';
    for (const [origin, start] of [
      ['https://evil.example', `OPTIONS ${flags}`],
      ['http://shop.example.com', `OPTIONS ${flags}`],
      ['https://evil.example', `POST ${flags}`],
      [shop, 'OPTIONS /api/env/demo/items'],
      [shop, 'GET /api/env/demo/flags'],
    ] as const) {
      const reply = await from(origin, 'console.example.com', start, bearer);
      const names = [...reply.headers.keys()].filter((name) => name.startsWith('access-control'));
      expect(names, `${origin} ${start}`).to.deep.equal([]);
    }
  });
});
