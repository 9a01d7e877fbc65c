/** What the API must survive, row by row: a clear error that names the field, no effect, no 5xx, and the server goes on. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import { request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { head, raw, type RawReply } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const mailInput = { type: 'object', additionalProperties: false, required: ['email'], properties: { email: { type: 'string', minLength: 3 }, copies: { type: 'integer' } } };

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [{ name: 'email', search: true, filter: true }, { name: 'seats', type: 'number', filter: true, sort: true }, { name: 'inner' }],
      relations: [{ name: 'orders', resource: 'order', field: 'customer' }, { name: 'vaults', resource: 'vault', field: 'customer' }],
    },
    { name: 'order', source: 'stored', fields: [{ name: 'customer', filter: true }] },
    { name: 'payment', source: 'app' },
    { name: 'vault', source: 'stored' },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'erase', label: 'Erase', resource: 'customer', danger: 'high' },
    { name: 'mail', resource: 'customer', input: mailInput },
    { name: 'asked', resource: 'customer', approval: true, input: { type: 'object' } },
    { name: 'fresh', freshSignIn: true },
    { name: 'unlock', resource: 'vault' },
  ],
  pages: [{ name: 'overview', params: [{ name: 'q' }], blocks: [{ type: 'text', text: 'About {{params.q}}' }] }, { name: 'strict', params: [{ name: 'must', required: true }], blocks: [] }],
  flags: [{ key: 'checkout', kind: 'boolean', default: false }, { key: 'theme', kind: 'string', default: 'plain' }, { key: 'plan', kind: 'json', default: {} }],
};

type Answer = Pick<Reply, 'status' | 'body' | 'text' | 'headers'>;

describe('bad inputs', () => {
  let world: World;
  let documents: Documents;
  let admin: Client;
  let clerk: Client;
  let origin: string;
  let item: { readonly id: string };
  let bulk: { readonly id: string };
  let run: string;
  let approval: string;
  let app: FakeApp;
  let slow: Promise<RawReply>;
  /** Of each request; the hook below refuses any of 500 and above. */
  let statuses: number[] = [];

  const noted = <T extends Answer>(reply: T): T => {
    statuses.push(reply.status);
    return reply;
  };
  const watched = (client: Client): Client => {
    const call: Client['call'] = async (method, path, body, options) => noted(await client.call(method, path, body, options));
    return { ...client, call, get: (path, options) => call('GET', path, undefined, options), post: (path, body, options) => call('POST', path, body, options) };
  };
  const bytes = async (...given: Parameters<typeof raw>): Promise<RawReply> => noted(await raw(...given));
  const authorization = (): string => `authorization: Bearer ${clerk.token}`;
  const rawPost = (path: string, body: string | Buffer, ...headers: string[]): Promise<RawReply> =>
    bytes(world.port, Buffer.concat([Buffer.from(head(`POST /api/env/demo${path} HTTP/1.1`, authorization(), `content-length: ${String(Buffer.byteLength(body))}`, ...headers)), Buffer.from(body)]));

  const refused = (reply: Answer, status: number | readonly number[], code: string, ...paths: string[]): void => {
    expect(reply.status, reply.text.slice(0, 500)).to.be.oneOf([status].flat());
    expect(reply.body.code).to.equal(code);
    const { error } = reply.body as { error: string | { message: string } };
    expect(typeof error === 'string' ? error : error.message).to.be.a('string').and.match(/\S/);
    if (paths.length > 0) expect(reply.body.details.map((place: { path: string }) => place.path), reply.text).to.include.members(paths);
  };
  const create = (more: object, options?: CallOptions): Promise<Reply> => clerk.post('/items', { inbox: 'mail', title: 'x', ...more }, options);
  const createRaw = (json: string): Promise<Reply> => clerk.post('/items', undefined, { raw: json });
  const change = (verb: string, body: unknown, options?: CallOptions): Promise<Reply> => clerk.post(`/items/${item.id}/${verb}`, body, options);
  const version = async (): Promise<number> => (await admin.get(`/items/${item.id}`)).body.item.version as number;
  const count = async (): Promise<number> => (await world.sql<{ n: number }>('select count(*)::int as n from items'))[0]?.n ?? 0;

  const idOf = (path: string): string => (path.startsWith('/bulk') ? bulk.id : path.startsWith('/runs') ? run : path.startsWith('/approvals') ? approval : item.id);
  /** What the app was asked to do. */
  const done = (): number => app.received.filter(({ method }) => method === 'action.run').length;

  /** Every POST of the document with an object that is there, and its documented body. */
  const posts = (): { path: string; body: unknown; required: boolean; conditional: boolean }[] =>
    documents.operations.filter((operation) => operation.method === 'POST').map(({ path, body, parameters }) => ({
      path: path.replace('{resource}', 'customer').replace('{flag}', 'checkout').replace('{id}', idOf(path)),
      body: body?.example,
      required: body?.required ?? false,
      conditional: parameters.some((parameter) => parameter.name === 'if-match'),
    }));

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      ...clerkGrants, ...['erase', 'mail', 'asked', 'fresh', 'unlock', 'upgrade'].map((name) => ({ on: `action:${name}`, can: ['run'] })), { on: 'resource:order', can: ['see'] }, { on: 'resource:payment', can: ['see'] },
      { on: 'page:*', can: ['see'] }, { on: 'flag:*', can: ['*'] },
    ]);
    await world.environment('staging');
    documents = await readDocuments(world.base);
    origin = new URL(world.base).origin;
    admin = watched(await world.agent('admin'));
    clerk = watched(await world.agent('clerk'));
    item = (await create({})).body.item;
    bulk = (await clerk.post('/bulk', { ids: [item.id], operation: { type: 'tags', add: ['seen'], remove: [] } })).body.bulk;
    for (const resource of ['customer', 'order', 'vault']) await world.records(resource, [{ id: 'r1', title: 'One', fields: { email: 'ana@example.com', inner: 'x', seats: 3 } }]);
    await world.records('order', [{ id: 'only_order', title: 'Two' }]);
    app = await connectApp(await world.appKey(), { manifest, handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }), 'records.list': () => ({ records: [], cursor: null }), 'records.search': () => ({ records: [] }) } });
    run = (await clerk.post('/actions', { action: 'mail', record: 'r1', input: { email: 'ana@example.com' } })).body.run;
    approval = (await clerk.post('/actions', { action: 'asked', record: 'r1', input: {} })).body.approval;
    await world.settled();
    // Row 18 takes a while: it is begun here and looked at below.
    slow = raw(world.port, `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', 'content-length: 60')}{"inbox":"mail","title":"never finished"`);
    slow.catch(() => undefined);
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  beforeEach(() => {
    statuses = [];
  });
  afterEach('nothing broke', async () => {
    expect(statuses.filter((status) => status >= 500)).to.deep.equal([]);
    expect((await clerk.get('/me')).status).to.equal(200);
    const plain = {} as Record<string, unknown>;
    expect([plain['admin'], plain['x'], plain['constructor'] === Object]).to.deep.equal([undefined, undefined, true]);
  });

  describe('credentials', () => {
    const as = async (...headers: string[]): Promise<RawReply> => bytes(world.port, head('GET /api/env/demo/items HTTP/1.1', ...headers));

    it('1: no authorization header', async () => {
      const reply = await as();
      refused(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).to.equal('Bearer');
    });

    it('2: Bearer with nothing, spaces, two tokens', async () => {
      for (const value of ['Bearer', 'Bearer ', 'Bearer     ', `Bearer ${clerk.token} ${clerk.token}`, `Bearer ${clerk.token}, Bearer ${admin.token}`, clerk.token, `Token ${clerk.token}`]) {
        refused(await as(`authorization: ${value}`), 401, 'unauthorized');
      }
    });

    it('3: a valid token with its last character changed is refused without asking the database', async () => {
      const changed = clerk.token.slice(0, -1) + (clerk.token.endsWith('A') ? 'B' : 'A');
      const order: string[] = [];
      const locked = world.sql('begin; lock table tokens in access exclusive mode; select pg_sleep(1); commit').then(() => order.push('unlocked'));
      await until('the table is locked', async () => (await world.sql(`select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'tokens'::regclass and granted`)).length > 0);
      const unknown = as(`authorization: Bearer ${world.nobody().token}`).then(() => order.push('unknown'));
      refused(await as(`authorization: Bearer ${changed}`), 401, 'unauthorized');
      order.push('changed');
      await Promise.all([locked, unknown]);
      expect(order[0]).to.equal('changed');
    });

    it('4: right checksum, unknown secret: the same body as 3', async () => {
      const changed = clerk.token.slice(0, -1) + (clerk.token.endsWith('A') ? 'B' : 'A');
      const [unknown, wrong, none] = [await as(`authorization: Bearer ${world.nobody().token}`), await as(`authorization: Bearer ${changed}`), await as()];
      expect(new Set([unknown.text, wrong.text, none.text]).size).to.equal(1);
    });

    it('5: an agent’s token in the query, in a cookie or as Basic', async () => {
      refused(await bytes(world.port, head(`GET /api/env/demo/items?token=${clerk.token} HTTP/1.1`)), 401, 'unauthorized');
      refused(await as(`cookie: token=${clerk.token}; session=${clerk.token}; authorization=Bearer ${clerk.token}`), 401, 'unauthorized');
      refused(await as(`authorization: Basic ${Buffer.from(`${clerk.token}:`).toString('base64')}`), 401, 'unauthorized');
    });

    it('6: the token of a principal without this environment: equal to an unknown environment', async () => {
      const [without, unknown] = [await world.elsewhere(clerk, 'staging').get('/items'), await world.elsewhere(clerk, 'nosuch').get('/items')];
      refused(without, 404, 'not_found');
      expect(without.text).to.equal(unknown.text);
    });

    it('7: two authorization headers: neither one’s rights', async () => {
      refused(await as(`authorization: Bearer ${clerk.token}`, `authorization: Bearer ${admin.token}`), [400, 401], 'unauthorized');
    });
  });

  describe('addresses and headers', () => {
    it('8: traversal in the environment', async () => {
      for (const path of ['/api/env/%2e%2e/items', '/api/env/../items', '/api/env/demo/../staging/items', '/api/env/demo%2f..%2fstaging/items', '/api/env/__proto__/items', '/api/env/demo%00/items']) {
        refused(await bytes(world.port, head(`GET ${path} HTTP/1.1`, authorization())), 404, 'not_found');
      }
    });

    it('9: an address of 65 KiB', async () => {
      for (const path of [`/api/env/${'x'.repeat(65 * 1024)}/items`, `/api/env/demo/items?search=${'x'.repeat(65 * 1024)}`]) {
        refused(await bytes(world.port, head(`GET ${path} HTTP/1.1`, authorization())), 414, 'uri_too_long');
      }
    });

    it('10: a header of 20 KiB', async () => {
      refused(await bytes(world.port, head('GET /api/env/demo/items HTTP/1.1', authorization(), `x-long: ${'x'.repeat(20 * 1024)}`)), 431, 'headers_too_large');
    });

    it('88: PUT, DELETE, TRACE, and a method override that is ignored', async () => {
      for (const { path } of posts()) {
        for (const method of ['PUT', 'DELETE', 'TRACE', 'PATCH', 'PROPFIND']) {
          const reply = await bytes(world.port, head(`${method} /api/env/demo${path} HTTP/1.1`, authorization()));
          refused(reply, 405, 'method_not_allowed');
          expect(reply.headers.get('allow')).to.include('POST');
        }
      }
      const before = await version();
      refused(await clerk.post(`/items/${item.id}`, {}, { headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' } }), 405, 'method_not_allowed');
      expect(await version()).to.equal(before);
    });

    it('89: a host that is none, and 8 KiB of spaces in a forwarding header', async () => {
      const evil = await bytes(world.port, `GET /api/env/demo/me HTTP/1.1\r\nhost: evil@x\r\nconnection: close\r\n${authorization()}\r\n\r\n`);
      expect(evil.status).to.be.oneOf([200, 400]);
      const spaces = await bytes(world.port, head('GET /api/env/demo/me HTTP/1.1', authorization(), `x-forwarded-proto: ${' '.repeat(8 * 1024)}x`, `x-forwarded-for: ${' '.repeat(4 * 1024)}`));
      expect(spaces.status).to.be.oneOf([200, 400]);
    });

    it('46: %ZZ or %00 in the query', async () => {
      for (const query of ['search=%ZZ', '%ZZ=1', 'search=%00', 'search=%', 'search=%E0%A4', 'inbox=%ff']) refused(await clerk.get(`/items?${query}`), 400, 'invalid');
    });

    it('85 and 426: a plain GET of the live stream', async () => {
      refused(await clerk.get('/live'), 426, 'upgrade_required');
      refused(await request('GET', `${world.base}/live`, undefined, null), 401, 'unauthorized');
      refused(await request('GET', `${world.base}/live?ticket=${'A'.repeat(43)}`, undefined, null), 401, 'unauthorized');
    });
  });

  describe('bodies of every POST', () => {
    it('11: {', async () => {
      for (const { path } of posts()) for (const text of ['{', '{"a":}', "{'a':1}", '{"a":1}}', 'undefined', '{"a":NaN}']) refused(await clerk.post(path, undefined, { raw: text }), 400, 'bad_json');
    });

    it('12: an empty body, where something is required and where nothing is', async () => {
      for (const { path, required } of posts()) {
        for (const options of [{}, { raw: '' }, { raw: ' \n ' }] as const) {
          const reply = await clerk.post(path, undefined, options);
          if (required) refused(reply, 400, 'bad_json');
          else expect(reply.body.code, `${path} ${reply.text}`).not.to.be.oneOf(['bad_json', 'invalid']);
        }
      }
    });

    it('13: [], "x", null, 1, true', async () => {
      for (const { path } of posts()) for (const text of ['[]', '"x"', 'null', '1', 'true', '[{}]']) refused(await clerk.post(path, undefined, { raw: text }), 400, 'invalid');
    });

    it('14: JSON as text/plain, a form, or nothing at all', async () => {
      for (const { path, body } of posts()) {
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', 'application/merge-patch+json', 'text/json']) {
          const reply = await clerk.post(path, body ?? {}, { headers: { 'content-type': type } });
          refused(reply, 415, 'unsupported_media_type');
        }
      }
      refused(await rawPost('/items', '{"inbox":"mail","title":"x"}'), 415, 'unsupported_media_type');
    });

    it('15: UTF-16, and bytes that are no UTF-8', async () => {
      for (const { path } of posts()) {
        refused(await rawPost(path, Buffer.from('{}', 'utf16le'), 'content-type: application/json; charset=utf-16'), [400, 415], 'unsupported_media_type');
        for (const wrong of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0xaf]]) {
          refused(await rawPost(path, Buffer.from([0x7b, 0x22, ...wrong, 0x22, 0x3a, 0x31, 0x7d]), 'content-type: application/json'), [400, 415], 'bad_json');
        }
      }
      expect((await rawPost('/items', Buffer.from('{"inbox":"mail","title":"日本 😀"}'), 'content-type: application/json; charset=UTF-8')).body.item.title).to.equal(Buffer.from('日本 😀').toString('latin1'));
    });

    it('16: a gzip body and a brotli bomb are not unpacked', async () => {
      const bomb = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } });
      const before = process.memoryUsage().rss;
      for (const { path } of posts()) {
        refused(await rawPost(path, gzipSync('{}'), 'content-type: application/json', 'content-encoding: gzip'), 415, 'unsupported_media_type');
        refused(await rawPost(path, bomb, 'content-type: application/json', 'content-encoding: br'), 415, 'unsupported_media_type');
      }
      expect(process.memoryUsage().rss - before).to.be.below(80 * 1024 * 1024);
    });

    it('17: one byte more than 1 MiB, and much more, announced or chunked', async () => {
      const before = await count();
      const mib = 1024 * 1024;
      const exactly = (size: number): string => `{"inbox":"mail","title":"x","data":{"a":"${'a'.repeat(size - 44)}"}}`;
      expect(exactly(mib)).to.have.length(mib);
      for (const { path } of posts()) refused(await clerk.post(path, undefined, { raw: exactly(mib + 1) }), 413, 'too_large');
      refused(await clerk.post('/items', undefined, { raw: exactly(8 * mib) }), 413, 'too_large');
      const chunk = 'a'.repeat(64 * 1024);
      const chunked = `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', 'transfer-encoding: chunked')}${`10000\r\n${chunk}\r\n`.repeat(20)}0\r\n\r\n`;
      refused(await bytes(world.port, chunked), 413, 'too_large');
      refused(await clerk.post('/items', undefined, { raw: exactly(mib) }), 400, 'invalid', 'data');
      expect(await count()).to.equal(before);
    });

    it('18: five bytes of ten: the connection is closed within 30 s, and nothing happens', async function () {
      this.timeout(40_000);
      const reply = await slow;
      expect(reply.status).to.be.oneOf([0, 400, 408]);
      expect((await clerk.get('/items?search=never%20finished')).body.items).to.deep.equal([]);
    });

    it('19: content-length and chunked together', async () => {
      const before = await count();
      const body = '{"inbox":"mail","title":"smuggled"}';
      const reply = await bytes(world.port, `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', `content-length: ${String(body.length)}`, 'transfer-encoding: chunked')}${body}`);
      refused(reply, 400, 'invalid');
      expect(await count()).to.equal(before);
    });

    it('82: an idempotency key that is empty, of 256 characters, or with control bytes', async () => {
      for (const { path, body } of posts()) {
        for (const key of ['', 'x'.repeat(256), 'é']) refused(await clerk.post(path, body ?? {}, { headers: { 'idempotency-key': key } }), 400, 'invalid', 'idempotency-key');
        refused(await rawPost(path, '{}', 'content-type: application/json', 'idempotency-key: a\u0001b'), 400, 'invalid');
      }
    });

    it('83: a key again with another body, and while the first one runs', async () => {
      const options = { headers: { 'idempotency-key': 'row-83' } };
      const replies = await Promise.all([create({ title: 'first' }, options), create({ title: 'first' }, options), create({ title: 'other' }, options)]);
      expect(replies.map((reply) => reply.status).sort((a, b) => a - b)).to.deep.equal([201, 201, 422]);
      expect((await clerk.get('/items?search=first')).body.items).to.have.length(1);
    });

    it('84: if-match of an old version, and malformed', async () => {
      const before = await version();
      for (const { path, body } of posts().filter(({ conditional }) => conditional)) {
        refused(await clerk.post(path, body, { headers: { 'if-match': `"${String(path.startsWith('/flags') ? 999 : before - 1)}"` } }), 412, 'version_conflict');
        for (const wrong of ['x', '"x"', 'W/"1"', '1', '""', '"1","2"', '*, *']) refused(await clerk.post(path, body, { headers: { 'if-match': wrong } }), 400, 'invalid', 'if-match');
      }
      for (const { path, body } of posts().filter(({ conditional }) => !conditional)) refused(await clerk.post(path, body ?? {}, { headers: { 'if-match': '"1"' } }), 400, 'invalid', 'if-match');
      expect(await version()).to.equal(before);
      expect((await change('tags', { add: ['matched'] }, { headers: { 'if-match': '*' } })).status).to.equal(200);
    });
  });

  describe('POST /items', () => {
    const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth);

    it('20: data nested 33, 5,000 and 100,000 levels deep', async () => {
      for (const depth of [33, 5_000, 100_000]) {
        for (const data of [nested(depth, '{"a":', '}'), `{"a":${nested(depth - 1, '[', ']')}}`]) refused(await createRaw(`{"inbox":"mail","title":"x","data":${data}}`), 400, 'invalid');
      }
      const details = (await createRaw(`{"inbox":"mail","title":"x","data":${nested(40, '{"a":', '}')}}`)).body.details as { path: string }[];
      expect(details[0]?.path).to.match(/^data\.a\.a/);
    });

    it('21: 10,001 keys in data', async () => {
      refused(await create({ data: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${String(i)}`, i])) }), 400, 'invalid', 'data');
      refused(await create({ data: { a: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${String(i)}`, 1])) } }), 400, 'invalid', 'data');
    });

    it('22: __proto__ in data', async () => {
      for (const json of ['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":null}]}']) {
        const reply = await createRaw(`{"inbox":"mail","title":"x","data":${json}}`);
        refused(reply, 400, 'invalid');
        expect(reply.body.details[0].path).to.match(/^data\..*__proto__$/);
      }
      refused(await createRaw('{"inbox":"mail","title":"x","__proto__":{"admin":true}}'), 400, 'invalid', '__proto__');
    });

    it('23: constructor.prototype in data', async () => {
      const reply = await createRaw('{"inbox":"mail","title":"x","data":{"constructor":{"prototype":{"x":1}},"hasOwnProperty":1,"toString":null}}');
      expect(reply.status).to.equal(201);
      expect(JSON.parse(JSON.stringify(reply.body.item.fields))).to.deep.equal({ constructor: { prototype: { x: 1 } }, hasOwnProperty: 1, toString: null });
      expect((await clerk.get(`/items/${String(reply.body.item.id)}`)).body.item).to.deep.equal(reply.body.item);
    });

    it('24 to 26: NUL characters and lone surrogates', async () => {
      for (const bad of ['\\u0000', '\\ud800', '\\udc00x', 'a\\u0000b']) {
        refused(await createRaw(`{"inbox":"mail","title":"a${bad}"}`), 400, 'invalid', 'title');
        refused(await createRaw(`{"inbox":"mail","title":"x","data":{"a":["${bad}"]}}`), 400, 'invalid', 'data.a.0');
        refused(await createRaw(`{"inbox":"mail","title":"x","data":{"${bad}":1}}`), 400, 'invalid');
        refused(await createRaw(`{"inbox":"mail","title":"x","tags":["${bad}"]}`), 400, 'invalid', 'tags.0');
        refused(await createRaw(`{"inbox":"mail","title":"x","key":"${bad}","user":"u"}`), 400, 'invalid', 'key');
      }
      expect((await createRaw('{"inbox":"mail","title":"\\ud83d\\ude00"}')).body.item.title).to.equal('😀');
    });

    it('27: titles of 501 characters, none, only spaces; right-to-left ones are kept', async () => {
      for (const title of ['x'.repeat(501), '', '   ', '\n\t']) refused(await create({ title }), 400, 'invalid', 'title');
      for (const title of ['\u202Egnp.exe', '<script>alert(1)</script>', '\u0001\u001b[31m', 'a"\\/\b']) expect((await create({ title })).body.item.title).to.equal(title);
    });

    it('28: numbers that can’t be kept', async () => {
      for (const number of ['1e400', '-1e400', '9007199254740993', '-9007199254740992', '1e300']) refused(await createRaw(`{"inbox":"mail","title":"x","data":{"n":${number}}}`), 400, 'invalid', 'data.n');
      for (const number of ['9007199254740991', '-0', '1.5e-300', '0.1']) {
        const { body } = await createRaw(`{"inbox":"mail","title":"x","data":{"n":${number}}}`);
        expect((await clerk.get(`/items/${String(body.item.id)}`)).body.item.fields.n).to.equal(Number(number) + 0);
      }
    });

    it('29: members that the service sets', async () => {
      for (const more of [{ id: item.id }, { state: 'closed' }, { createdAt: 1 }, { assignee: null }, { version: 9 }, { dueAt: 1 }, { triaged: true }]) {
        refused(await create(more), 400, 'invalid', ...Object.keys(more));
      }
    });

    it('30: an unknown and a hidden inbox', async () => {
      const [unknown, hidden] = [await create({ inbox: 'nosuch' }), await create({ inbox: 'secret' })];
      refused(unknown, 404, 'not_found');
      expect(hidden.text).to.equal(unknown.text);
      refused(await create({ inbox: '__proto__' }), 400, 'invalid', 'inbox');
      refused(await create({ inbox: 'constructor' }), 404, 'not_found');
    });

    it('31: a key twice: what is checked is what is used', async () => {
      expect((await createRaw('{"inbox":"secret","inbox":"mail","title":"x"}')).body.item.inbox).to.equal('mail');
      refused(await createRaw('{"inbox":"mail","inbox":"secret","title":"x"}'), 404, 'not_found');
      expect((await createRaw('{"inbox":"mail","title":"","title":"y"}')).body.item.title).to.equal('y');
    });

    it('more: texts that a pattern could take forever over', async () => {
      const long = 'a'.repeat(900_000);
      refused(await change('tags', { add: [`${long},`] }), 400, 'invalid', 'add.0');
      refused(await change('reply', { subject: `${long}\n`, text: 'x' }), 400, 'invalid', 'subject');
      refused(await create({ tags: [`${long},`] }), 400, 'invalid', 'tags.0');
      refused(await create({ title: ' '.repeat(900_000) }), 400, 'invalid', 'title');
      refused(await change('assign', { assignee: long }), 400, 'invalid', 'assignee');
    });

    it('more: half a million wrong values', async () => {
      refused(await clerk.post(`/items/${item.id}/tags`, undefined, { raw: `{"add":[${'1,'.repeat(500_000)}1]}` }), 400, 'invalid', 'add');
      refused(await clerk.post('/bulk', undefined, { raw: `{"ids":[${'1,'.repeat(500_000)}1],"operation":{"type":"state","state":"open"}}` }), 400, 'invalid', 'ids');
      const reply = await clerk.post('/items', undefined, { raw: `{"inbox":"mail","title":"x",${Array.from({ length: 60_000 }, (_, i) => `"k${String(i)}":1`).join(',')}}` });
      refused(reply, 400, 'invalid');
      expect(reply.text.length).to.be.below(10_000);
    });

    it('more: an error never repeats a megabyte', async () => {
      const reply = await clerk.post('/items', undefined, { raw: `{"inbox":"mail","title":"x","${'k'.repeat(900_000)}":1}` });
      refused(reply, 400, 'invalid');
      expect(reply.text.length).to.be.below(10_000);
    });
  });

  describe('GET /items', () => {
    const rows: readonly [string, readonly string[], string][] = [
      ['32: limits that are none', ['limit=0', 'limit=-1', 'limit=1.5', 'limit=1e2', 'limit=0x10', 'limit=abc', 'limit=', 'limit=%201', 'limit=01', 'limit=+5'], 'limit'],
      ['34: a parameter twice', ['limit=1&limit=2', 'limit=1&limit=1', 'limit=1&%6cimit=2'], 'limit'],
      ['35: sorts that are none', ['sort=password', 'sort=--title', 'sort=title;drop', 'sort=', 'sort=-', 'sort=lastseen', 'sort=title,due', 'sort=constructor'], 'sort'],
      ['40: 1,000 tags', [`tags=${Array.from({ length: 1000 }, (_, i) => `t${String(i)}`).join(',')}`], 'tags'],
      ['41: a person who is none', ['assignee=None', 'assignee=', 'assignee=null', 'assignee=per_x', 'assignee=agt_01jd0000000000000000000000'], 'assignee'],
      ['42: overdue that is neither 1 nor 0', ['overdue=true', 'overdue=2', 'overdue=yes', 'overdue=', 'overdue=01'], 'overdue'],
      ['44: a search of 10,000 characters or of many words', [`search=${'x'.repeat(10_000)}`, `search=${'x%20'.repeat(2_000)}`, `search=${'x%20'.repeat(11)}`], 'search'],
    ];
    for (const [title, queries, path] of rows) {
      it(title, async () => {
        for (const query of queries) refused(await clerk.get(`/items?${query}`), 400, 'invalid', path);
      });
    }

    it('33: limits beyond the maximum, which is named', async () => {
      for (const limit of ['201', '99999999999999999999', '9007199254740993']) {
        const reply = await clerk.get(`/items?limit=${limit}`);
        refused(reply, 400, 'invalid', 'limit');
        expect(reply.text).to.include('200');
      }
    });

    it('36: sort=-due with items without a deadline, paged: each once', async () => {
      for (let i = 0; i < 7; i++) await admin.post('/items', { inbox: i % 2 === 0 ? 'mail' : 'refunds', title: 'due' });
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const reply: Reply = await clerk.get(`/items?sort=-due&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        ids.push(...reply.body.items.map((listed: { id: string }) => listed.id));
        cursor = reply.body.cursor;
      }
      expect(ids).to.have.length(await count());
      expect(new Set(ids).size).to.equal(ids.length);
    });

    it('37: a cursor with a flipped bit, cut, or made up', async () => {
      const { cursor } = (await clerk.get('/items?limit=1')).body as { cursor: string };
      const flipped = cursor.slice(0, 5) + String.fromCharCode(cursor.charCodeAt(5) ^ 1).replace(/[^A-Za-z0-9_-]/, 'A') + cursor.slice(6);
      for (const bad of [flipped, cursor.slice(0, 10), cursor.slice(1), Buffer.from('{"id":1}').toString('base64'), 'x', '..', '%00x']) {
        refused(await clerk.get(`/items?limit=1&cursor=${encodeURIComponent(bad)}`), 400, 'bad_cursor');
      }
    });

    it('38: a cursor from other filters, another role, another environment', async () => {
      const { cursor } = (await clerk.get('/items?inbox=mail&limit=1')).body as { cursor: string };
      refused(await clerk.get(`/items?inbox=refunds&limit=1&cursor=${cursor}`), 400, 'bad_cursor');
      refused(await admin.get(`/items?inbox=mail&limit=1&cursor=${cursor}`), 400, 'bad_cursor');
      const both = await world.agent('clerk', { environments: ['*'] });
      refused(noted(await world.elsewhere(both, 'staging').get(`/items?inbox=mail&limit=1&cursor=${cursor}`)), 400, 'bad_cursor');
    });

    it('39: states that are none', async () => {
      for (const query of ['state=', 'state=,', 'state=nosuch', 'state=open,nosuch', `state=${Array.from({ length: 1000 }, (_, i) => `s${String(i)}`).join(',')}`, 'state=constructor', 'state=open;']) {
        expect((await clerk.get(`/items?${query}`)).body.code, query.slice(0, 50)).to.equal('invalid');
      }
    });

    it('41: an unknown person and a hidden one: the same empty page', async () => {
      await world.role('stranger', [{ on: 'inbox:secret', can: ['see'] }]);
      const hidden = await world.person('stranger');
      const [unknown, other] = [await clerk.get('/items?assignee=per_01jd0000000000000000000000'), await clerk.get(`/items?assignee=${hidden.id}`)];
      expect([unknown.status, unknown.text]).to.deep.equal([200, '{"items":[],"cursor":null}']);
      expect(other.text).to.equal(unknown.text);
    });

    it('43: signs that mean something elsewhere are taken literally', async () => {
      for (const search of ['%', '_', '\\', "'", 'a & ! b', '"', "x' or '1'='1", ':*', '<->', '|', '()', '$1', '\\0', "\\'", '*', '?']) {
        const reply = await clerk.get(`/items?search=${encodeURIComponent(search)}`);
        expect([search, reply.status, reply.body.items]).to.deep.equal([search, 200, []]);
      }
    });

    it('45: views that are none', async () => {
      for (const view of ['__proto__', 'constructor', '../x', 'toString']) refused(await clerk.get(`/items?view=${encodeURIComponent(view)}`), 404, 'not_found');
    });

    it('47: ids that are none', async () => {
      const ids = ['null', 'undefined', '0', '-1', '9223372036854775808', 'x'.repeat(10 * 1024), '%2F', '%F0%9F%98%80', '%ZZ', '%00', '%', item.id.toUpperCase(), `${item.id}x`, `${item.id}%20`, `${item.id}%0a`, 'per_01jd0000000000000000000000', '__proto__', '..%2f..', "'; drop table items; --"];
      const texts = new Set<string>();
      for (const id of ids) {
        for (const path of [`/items/${id}`, `/items/${id}/timeline`, `/bulk/${id}`, `/bulk/${id}/results`, `/runs/${id}`, `/approvals/${id}`, `/flags/${id}`, `/pages/${id}`, `/resources/${id}`, `/resources/customer/${id}`]) {
          const reply = await clerk.get(path);
          refused(reply, 404, 'not_found');
          texts.add(reply.text);
        }
        refused(await clerk.post(`/items/${id}/state`, { state: 'open' }), 404, 'not_found');
      }
      expect(texts.size).to.equal(1);
    });
  });

  describe('changes of an item', () => {
    const rows: readonly [string, string, readonly unknown[], string?][] = [
      ['48: states that are none', 'state', [{}, { state: 1 }, { state: ['open'] }, { state: { $ne: 1 } }, { state: 'nosuch' }, { state: null }, { state: '' }, { state: 'open', more: 1 }]],
      ['50: assignees that are none', 'assign', [{}, { assignee: '' }, { assignee: 0 }, { assignee: false }, { assignee: ['per_x'] }, { assignee: {} }]],
      ['52: tags that are none', 'tags', [{}, { add: [] }, { add: ['a'], remove: ['a'] }, { add: Array.from({ length: 51 }, (_, i) => `t${String(i)}`) }, { add: ['a,b'] }, { add: ['a\u0000'] }, { add: 'x' }, { add: [''] }, { add: [' '] }, { add: [1] }, { add: null }]],
      ['53: times that are none', 'snooze', [-1, 0, 1, 1.5, '1', true, 8.64e15 + 1, 9e15, 1.7e9, Date.now() - 1000, [], {}].map((until) => ({ until }))],
      ['53: no time', 'snooze', [{}]],
      ['54: notes that are none', 'notes', [{}, { text: '' }, { text: '   ' }, { text: '\n'.repeat(100_000) }, { text: 'x'.repeat(64 * 1024 + 1) }, { text: 'é'.repeat(33 * 1024) }, { text: 1 }, { text: null }, { text: 'x\n'.repeat(10_000) }]],
      ['55: subjects of more than a line', 'reply', ['a\r\nBcc: x@y.z', 'a\nb', 'a\rb', 'a\u0000', '', '  ', 'x'.repeat(501), 'tab\tbed'].map((subject) => ({ subject, text: 'x' })), 'subject'],
      ['56: no subject, no text', 'reply', [{ text: 'x' }, { subject: 'x' }, {}, { subject: 'x', text: 'x', to: 'evil@example.com' }]],
    ];
    for (const [title, verb, bodies, path] of rows) {
      it(title, async () => {
        const before = await version();
        for (const body of bodies) refused(await change(verb, body), 400, 'invalid', ...(path === undefined ? [] : [path]));
        expect(await version()).to.equal(before);
      });
    }

    it('53: a time too large to be a number', async () => {
      refused(await clerk.post(`/items/${item.id}/snooze`, undefined, { raw: '{"until":1e400}' }), 400, 'invalid', 'until');
      expect((await change('snooze', { until: 8.64e15 })).status).to.equal(200);
      expect((await change('snooze', { until: null })).status).to.equal(200);
    });

    it('49: the same state again', async () => {
      const before = (await admin.get(`/items/${item.id}`)).body;
      const outbox = async () => (await world.sql('select id from events')).length;
      const events = await outbox();
      const reply = await change('state', { state: before.item.state });
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect((await admin.get(`/items/${item.id}`)).body).to.deep.equal(before);
      expect(await outbox()).to.equal(events);
    });

    it('51: an unknown person and one who can’t see the inbox', async () => {
      await world.role('secretive', [{ on: 'inbox:secret', can: ['see'] }]);
      const hidden = await world.person('secretive');
      const [unknown, unseeing] = [await change('assign', { assignee: 'per_01jd0000000000000000000000' }), await change('assign', { assignee: hidden.id })];
      refused(unknown, 400, 'invalid', 'assignee');
      expect(unseeing.text).to.equal(unknown.text);
    });

    it('54: a note of 1 MiB, and one with markup, which is kept as it is', async () => {
      refused(await change('notes', { text: 'x'.repeat(1024 * 1024) }), 413, 'too_large');
      expect((await change('notes', { text: '<script>' })).body.entry.data.text).to.equal('<script>');
    });

    it('56: a role without reply', async () => {
      const viewer = watched(await world.agent('viewer'));
      refused(await viewer.post(`/items/${item.id}/reply`, { subject: 'x', text: 'x' }), 403, 'forbidden');
    });
  });

  describe('POST /bulk', () => {
    const state = { type: 'state', state: 'waiting' };
    const send = (ids: unknown, operation: unknown = state, more: object = {}): Promise<Reply> => clerk.post('/bulk', { ids, operation, ...more });
    const bulks = async (): Promise<number> => (await world.sql('select id from bulks')).length;

    it('57: ids that are none', async () => {
      const before = await bulks();
      const ids = [[], Array.from({ length: 10_001 }, (_, i) => `x${String(i)}`), item.id, null, { 0: item.id }, [null], [1], [{}], [[item.id]], [item.id, null]];
      for (const given of ids) refused(await send(given), 400, 'invalid');
      refused(await clerk.post('/bulk', { operation: state }), 400, 'invalid', 'ids');
      expect(await bulks()).to.equal(before);
    });

    it('58: 70,000 ids', async () => {
      refused(await send(Array.from({ length: 70_000 }, (_, i) => String(i))), 400, 'invalid', 'ids');
      refused(await send(Array.from({ length: 70_000 }, () => item.id)), 413, 'too_large');
    });

    it('59: the same id 1,000 times: one change', async () => {
      const { body: { item: own } } = await create({});
      const reply = await send(Array.from({ length: 1_000 }, () => own.id), { type: 'tags', add: ['once'], remove: [] });
      expect([reply.status, reply.body.bulk.total]).to.deep.equal([202, 1]);
      await world.settled();
      expect((await clerk.get(`/items/${String(own.id)}`)).body.item.version).to.equal(2);
    });

    it('60: own, hidden and unknown ids: a result each, hidden like unknown', async () => {
      const hidden = (await admin.post('/items', { inbox: 'secret', title: 'x' })).body.item.id as string;
      const own = (await create({})).body.item.id as string;
      const reply = await send([own, hidden, 'itm_01jd0000000000000000000000', 'nonsense', '\u2028']);
      await world.settled();
      const { results } = (await clerk.get(`/bulk/${String(reply.body.bulk.id)}/results`)).body as { results: { id: string; outcome: string }[] };
      expect(results.map(({ outcome }) => outcome)).to.deep.equal(['changed', 'not_found', 'not_found', 'not_found', 'not_found']);
      const [, one, other] = results;
      expect({ ...one, id: '' }).to.deep.equal({ ...other, id: '' });
      expect((await admin.get(`/items/${hidden}`)).body.item.version).to.equal(1);
    });

    it('61: operations that are none', async () => {
      const operations = [{ type: 'delete' }, { type: '__proto__' }, { type: 'constructor' }, {}, null, 'state', [], { type: 'state', add: ['x'] }, { type: 'state', state: 'open', add: ['x'] }, { type: 'tags' }, { type: 'tags', add: 'x' }, { type: 'snooze', until: 1 }, { type: ['state'], state: 'open' }, { state: 'open' }, { type: 'note', text: 'x' }];
      for (const operation of operations) refused(await send([item.id], operation), 400, 'invalid');
      refused(await send([item.id], state, { dryRun: 'true' }), 400, 'invalid', 'dryRun');
      refused(await send([item.id], { type: 'state', sate: 'open' }), 400, 'invalid', 'operation.sate', 'operation.state');
    });

    it('62: a dangerous action without confirmation: nothing is made', async () => {
      const before = await bulks();
      const erase = { type: 'action', action: 'erase', input: {} };
      const reply = await send([item.id], erase);
      refused(reply, 409, 'confirmation_required');
      expect(reply.text).to.include('high');
      refused(await send([item.id], { ...erase, confirmed: false }), 409, 'confirmation_required');
      for (const confirmed of ['true', 1, 'yes', {}, []]) refused(await send([item.id], { ...erase, confirmed }), 400, 'invalid', 'operation.confirmed');
      expect(await bulks()).to.equal(before);
    });
  });

  describe('records and pages', () => {
    it('63: resources that are none, or hidden: equal', async () => {
      const texts = new Set<string>();
      for (const resource of ['pg_class', 'constructor', '__proto__', 'toString', 'vault', 'x'.repeat(10 * 1024), 'records%3Bdrop', '%00', '..%2fcustomer']) {
        for (const rest of ['', '?q=one', '/list', '/list?filters=%7B%22nosuch%22%3A1%7D', '/r1', '/r1/related/orders']) {
          const reply = await clerk.get(`/resources/${resource}${rest}`);
          refused(reply, 404, 'not_found');
          texts.add(reply.text);
        }
      }
      expect(texts.size).to.equal(1);
    });

    const list = (filters: string): Promise<Reply> => clerk.get(`/resources/customer/list?filters=${encodeURIComponent(filters)}`);

    it('64: filters that are none', async () => {
      const nested = (depth: number): string => '{"email":'.repeat(depth) + '1' + '}'.repeat(depth);
      const wrong = [
        '{', '', ' ', '[]', '"x"', 'null', '1', 'true', '[{"email":"x"}]', nested(3), nested(33), nested(400), '{"$where":"1"}', '{"email":{"$ne":null}}', '{"email":{"eq":{}}}', '{"email":{"in":"x"}}', '{"email":{"in":[]}}', '{"email":{}}',
        '{"email":{"exists":1}}', '{"seats":{"gte":"x"}}', '{"seats":{"gte":1e400}}', '{"email":"\\u0000"}', '{"email":"\\ud800"}', '{"__proto__":"x"}', '{"constructor":"x"}', '{"email":{"__proto__":1}}', '{"email":{"toString":1}}', `{"email":"${'x'.repeat(9 * 1024)}"}`,
        `{"email":[${Array.from({ length: 1_500 }, () => '"x"').join(',')}]}`,
      ];
      for (const filters of wrong) {
        const reply = await list(filters);
        refused(reply, 400, 'invalid');
        expect(reply.body.details[0].path, filters.slice(0, 60)).to.match(/^filters/);
      }
      const [hidden, unknown] = [await list('{"inner":"x"}'), await list('{"nosuc":"x"}')];
      refused(hidden, 400, 'invalid');
      expect(hidden.text.replaceAll('inner', 'nosuc')).to.equal(unknown.text);
    });

    it('64: more that is none: sorts, limits, cursors, texts', async () => {
      for (const sort of ['inner', 'nosuch', 'email;drop', '--seats', '', '__proto__']) refused(await clerk.get(`/resources/customer/list?sort=${encodeURIComponent(sort)}`), 400, 'invalid');
      for (const path of ['/resources/customer/list', '/resources/customer', '/resources/customer/r1/related/orders', '/runs', '/approvals', '/actions', '/resources', '/pages', '/flags', '/flags/checkout/history']) {
        for (const limit of ['0', '-1', '1.5', '201', 'abc', '', '1e2']) refused(await clerk.get(`${path}?limit=${limit}`), 400, 'invalid', 'limit');
        refused(await clerk.get(`${path}?limit=1&limit=1`), 400, 'invalid', 'limit');
        refused(await clerk.get(`${path}?nosuch=1`), 400, 'invalid', 'nosuch');
        if (path !== '/resources/customer') refused(await clerk.get(`${path}?cursor=${Buffer.from('{"id":1}').toString('base64url')}`), 400, 'bad_cursor');
      }
      refused(await clerk.get('/resources/customer/r1?historyCursor=x'), 400, 'bad_cursor');
      for (const path of ['/resources/customer', '/resources/customer/list']) {
        for (const q of ['x'.repeat(201), 'x '.repeat(11)]) refused(await clerk.get(`${path}?q=${encodeURIComponent(q)}`), 400, 'invalid', 'q');
        for (const q of ['%', '_', '\\', "'", 'a & ! b', '"', ':*', '()']) expect((await clerk.get(`${path}?q=${encodeURIComponent(q)}`)).body.records, q).to.deep.equal([]);
      }
    });

    it('65: there are no regular expressions: one is no operator, and as a value it is text', async () => {
      for (const op of ['regex', '$regex', 'matches', 'like', '~']) refused(await list(JSON.stringify({ email: { [op]: '(a+)+$' } })), 400, 'invalid');
      for (const op of ['eq', 'contains', 'startsWith']) expect((await list(JSON.stringify({ email: { [op]: '(a+)+$' } }))).body.records).to.deep.equal([]);
      for (const value of ['%', '_', '\\', "'"]) expect((await list(JSON.stringify({ email: { contains: value } }))).body.records, value).to.deep.equal([]);
    });

    it('66: relations that are none, or hidden: equal', async () => {
      const texts = new Set<string>();
      for (const relation of ['toString', 'constructor', '__proto__', 'nosuch', 'vaults', '%00', 'x'.repeat(1_000)]) {
        const reply = await clerk.get(`/resources/customer/r1/related/${relation}`);
        refused(reply, 404, 'not_found');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
    });

    it('74: params that are none', async () => {
      const wrong = ['{"q":1}', '{"q":{"a":1}}', '{"q":["x"]}', '{"q":null}', '{', '[]', '"x"', 'null', '', `{"q":"${'x'.repeat(9 * 1024)}"}`, '{"nosuch":"x"}', '{"__proto__":"x"}', '{"constructor":"x"}', '{"q":"\\u0000"}', '{"q":"\\ud800"}', `${'{"q":'.repeat(400)}1${'}'.repeat(400)}`];
      for (const params of wrong) refused(await clerk.get(`/pages/overview?params=${encodeURIComponent(params)}`), 400, 'invalid');
      refused(await clerk.get('/pages/strict'), 400, 'invalid', 'params.must');
      refused(await clerk.get('/pages/strict?params={}'), 400, 'invalid', 'params.must');
      expect((await clerk.get(`/pages/overview?params=${encodeURIComponent('{"q":"<b>{{params.q}}"}')}`)).body.blocks[0].text).to.equal('About <b>{{params.q}}');
    });

    it('more: records that an app may not give', async () => {
      const key = watched(await world.appKey());
      const wrong = [
        {}, { title: 'x' }, { id: '', title: 'x' }, { id: '.', title: 'x' }, { id: '..', title: 'x' }, { id: 'list', title: 'x' }, { id: 'x'.repeat(201), title: 'x' }, { id: 'a\u0001', title: 'x' }, { id: 'x', title: '' }, { id: 'x', title: 'a\nb' },
        { id: 'x', title: 'x', more: 1 }, { id: 1, title: 'x' }, { id: 'x', title: 'x', fields: [] }, { id: 'x', title: 'x', fields: { a: 'x'.repeat(33 * 1024) } }, null, 'x',
      ];
      for (const record of wrong) refused(await key.post('/resources/customer/records', { records: [record] }), 400, 'invalid');
      for (const body of [{ records: {} }, { deleted: 'x' }, { deleted: [1] }, { records: Array.from({ length: 1_001 }, (_, i) => ({ id: String(i), title: 'x' })) }]) refused(await key.post('/resources/customer/records', body), 400, 'invalid');
      for (const raw of ['{"records":[{"id":"x","title":"\\u0000"}]}', '{"records":[{"id":"x","title":"x","fields":{"n":1e400}}]}', '{"records":[{"id":"x","title":"x","fields":{"__proto__":{"admin":true}}}]}']) {
        refused(await key.post('/resources/customer/records', undefined, { raw }), 400, 'invalid');
      }
      expect(await world.sql(`select id from records where resource = 'customer'`)).to.have.length(1);
    });
  });

  describe('actions', () => {
    const act = (action: unknown, more: object = {}): Promise<Reply> => clerk.post('/actions', { action, ...more });
    let before = 0;
    beforeEach(() => {
      before = done();
    });
    afterEach('the app saw nothing', () => {
      expect(done()).to.equal(before);
    });

    it('67: actions that are none, or of an unseen resource: equal', async () => {
      const texts = new Set<string>();
      for (const action of ['nosuch', 'unlock', '__proto__', 'constructor', 'toString', '', ' ', 'a b', 'x'.repeat(10_000)]) {
        const reply = await act(action, { record: 'r1' });
        refused(reply, 404, 'not_found');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
      for (const action of [1, null, ['mail'], {}]) refused(await act(action), 400, 'invalid', 'action');
    });

    it('68: confirmed that is neither true nor false, and danger without it', async () => {
      for (const confirmed of ['true', 1, 'yes', {}, [], null]) refused(await act('erase', { record: 'r1', confirmed }), 400, 'invalid', 'confirmed');
      for (const more of [{}, { confirmed: false }]) {
        const reply = await act('erase', { record: 'r1', ...more });
        refused(reply, 409, 'confirmation_required', 'confirmed');
        expect(reply.text).to.include('high');
      }
    });

    it('69: a record where none is taken, none where one is needed, and one of another resource', async () => {
      refused(await act('upgrade', { record: 'r1' }), 400, 'invalid', 'record');
      refused(await act('mail', { input: { email: 'a@b.c' } }), 400, 'invalid', 'record');
      for (const record of ['only_order', 'nosuch', '', '.', '..', 'x'.repeat(201), 'a\u0001b', "'; drop table records; --"]) refused(await act('mail', { record, input: { email: 'a@b.c' } }), 404, 'not_found');
      for (const record of [1, null, {}, ['r1'], { resource: 'customer', id: 'r1' }]) refused(await act('mail', { record, input: { email: 'a@b.c' } }), 400, 'invalid', 'record');
    });

    it('70: an item that the role can’t see', async () => {
      const hidden = (await admin.post('/items', { inbox: 'secret', title: 'x' })).body.item.id as string;
      const replies = [hidden, 'itm_01jd0000000000000000000000', 'x', ''].map((id) => act('mail', { record: 'r1', input: { email: 'a@b.c' }, item: id }));
      const [one, ...others] = await Promise.all(replies);
      for (const reply of others) expect(reply.text).to.equal(one?.text);
      if (one !== undefined) refused(one, 404, 'not_found');
      for (const item of [1, null, {}, [hidden]]) refused(await act('mail', { record: 'r1', item }), 400, 'invalid', 'item');
    });

    it('71: input with more, less or other than the action takes', async () => {
      const wrong: readonly [unknown, string][] = [
        [{}, 'input.email'], [{ email: 1 }, 'input.email'], [{ email: 'a' }, 'input.email'], [{ email: 'a@b.c', copies: 'x' }, 'input.copies'], [{ email: 'a@b.c', copies: '1' }, 'input.copies'], [{ email: 'a@b.c', more: 1 }, 'input.more'],
        [[], 'input'], ['x', 'input'], [null, 'input'], [1, 'input'],
      ];
      for (const [input, path] of wrong) refused(await act('mail', { record: 'r1', input }), 400, 'invalid', path);
      refused(await act('mail', { record: 'r1', input: { email: 'x'.repeat(2 * 1024 * 1024) } }), 413, 'too_large');
      for (const raw of ['{"email":"\\u0000abc"}', '{"email":"abc","copies":1e400}', '{"email":"abc","__proto__":{"admin":true}}', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`]) {
        refused(await clerk.post('/actions', undefined, { raw: `{"action":"mail","record":"r1","input":${raw}}` }), 400, 'invalid');
      }
      refused(await act('mail', { record: 'r1', input: { email: 'a@b.c' }, more: 1 }), 400, 'invalid', 'more');
    });

    it('72: an agent, and an action that needs a fresh sign-in', async () => {
      refused(await act('fresh'), 403, 'fresh_sign_in_required');
      refused(await clerk.post('/bulk', { ids: [item.id], operation: { type: 'action', action: 'fresh', input: {} } }), [400, 403], 'fresh_sign_in_required');
    });

    it('73: refs that are none; hidden ones are empty', async () => {
      const ref = { resource: 'customer', id: 'r1' };
      for (const refs of [[], Array.from({ length: 101 }, () => ref), ref, 'x', null, [null], ['x'], [{}], [{ resource: 'customer' }], [{ id: 'r1' }], [{ ...ref, more: 1 }], [{ resource: 1, id: 'r1' }], [{ ...ref, id: '' }], [{ ...ref, id: 'x'.repeat(201) }]]) {
        refused(await clerk.post('/available', { refs }), 400, 'invalid');
      }
      refused(await clerk.post('/available', {}), 400, 'invalid', 'refs');
      const { body } = await clerk.post('/available', { refs: [{ resource: 'vault', id: 'r1' }, { resource: 'nosuch', id: 'r1' }, { resource: 'customer', id: 'nosuch' }] });
      expect(body.available.map(({ actions, unavailable }: { actions: []; unavailable: [] }) => [actions, unavailable])).to.deep.equal([[[], []], [[], []], [[], []]]);
    });

    it('more: runs that are cancelled or run again in vain', async () => {
      refused(await clerk.post(`/runs/${run}/cancel`), 409, 'conflict');
      refused(await clerk.post(`/runs/${run}/cancel`, { force: true }), 400, 'invalid', 'force');
      refused(await clerk.post(`/runs/${run}/retry`), 409, 'conflict');
      for (const confirmed of ['true', 1, null]) refused(await clerk.post(`/runs/${run}/retry`, { confirmed }), 400, 'invalid', 'confirmed');
      for (const query of ['status=nosuch', 'status=', 'action=', 'status=failed,queued']) refused(await clerk.get(`/runs?${query}`), 400, 'invalid');
      expect((await clerk.get('/runs?action=nosuch')).body).to.deep.equal({ runs: [], cursor: null });
    });
  });

  describe('flags', () => {
    const set = (flag: string, change: unknown, more: object = {}): Promise<Reply> => clerk.post(`/flags/${flag}`, { change, ...more });
    const versions = async (): Promise<unknown> => (await admin.get('/flags')).body.flags;
    let before: unknown;
    beforeEach(async () => {
      before = await versions();
    });
    afterEach('no flag was changed', async () => {
      expect(await versions()).to.deep.equal(before);
    });

    it('75: rollouts that are none', async () => {
      for (const rollout of [-1, 101, 33.333333333, '50', true, [], {}]) refused(await set('checkout', { rollout }), 400, 'invalid', 'change.rollout');
      refused(await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"rollout":NaN}}' }), 400, 'bad_json');
      refused(await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"rollout":1e400}}' }), 400, 'invalid');
      for (const flag of ['theme', 'plan']) refused(await set(flag, { rollout: 50 }), 400, 'invalid', 'change.rollout');
    });

    it('76: changes that are none, and values of another kind', async () => {
      for (const change of [{}, null, [], 'x', { nosuch: 1 }, { value: true, nosuch: 1 }, { Value: true }, { version: 1 }]) refused(await set('checkout', change), 400, 'invalid');
      for (const value of ['true', 1, null, [], {}]) refused(await set('checkout', { value }), 400, 'invalid', 'change.value');
      for (const value of [true, 1, null, []]) refused(await set('theme', { value }), 400, 'invalid', 'change.value');
      refused(await clerk.post('/flags/checkout', {}), 400, 'invalid', 'change');
      refused(await set('checkout', { value: true }, { confirmed: 'true' }), 400, 'invalid', 'confirmed');
      refused(await set('theme', { value: 'x'.repeat(33 * 1024) }), 400, 'invalid', 'change.value');
      for (const flag of ['nosuch', '__proto__', 'constructor']) refused(await set(flag, { value: true }), 404, 'not_found');
    });

    it('77: ramps that are none', async () => {
      const ramp = { to: 50, over: 10_000, every: 1_000, at: null };
      const wrong = [
        { every: 0 }, { every: 999 }, { every: 20_000 }, { over: -1 }, { over: 0 }, { over: 1e18 }, { over: 1e300 }, { to: 101 }, { to: -1 }, { to: '50' }, { to: 33.3333 }, { at: Date.now() - 86_400_000 - 60_000 }, { at: -1 }, { at: 1.5 }, { at: 'now' },
        { over: 10_001_000, every: 1_000 }, { nosuch: 1 }, { guard: {} }, { guard: { inbox: 'nosuch', above: 1, within: 1_000, then: 'stop' } }, { guard: { inbox: 'mail', above: -1, within: 1_000, then: 'stop' } }, { guard: { inbox: 'mail', above: 1, within: 1_000, then: 'explode' } },
      ];
      for (const more of wrong) refused(await set('checkout', { ramp: { ...ramp, ...more } }), 400, 'invalid');
      for (const value of [{}, [], 'x', 1, true]) refused(await set('checkout', { ramp: value }), 400, 'invalid');
      refused(await set('theme', { ramp }), 400, 'invalid', 'change.ramp');
      const [hidden, unknown] = [await set('checkout', { ramp: { ...ramp, guard: { inbox: 'secret', above: 1, within: 1_000, then: 'stop' } } }), await set('checkout', { ramp: { ...ramp, guard: { inbox: 'nosuch', above: 1, within: 1_000, then: 'stop' } } })];
      refused(hidden, 400, 'invalid', 'change.ramp.guard.inbox');
      expect(hidden.text).to.equal(unknown.text);
    });

    it('78: rules that are none: too many, too deep, no conditions, regular expressions', async () => {
      const rule = { when: { field: 'plan', op: 'eq', value: 'team' }, value: true };
      const deep = (depth: number): object => (depth === 0 ? rule.when : { not: deep(depth - 1) });
      const wrong: unknown[] = [
        Array.from({ length: 51 }, () => rule), Array.from({ length: 10_000 }, () => rule), {}, 'x', [null], [{}], [{ when: rule.when }], [{ value: true }], [{ ...rule, rollout: 5 }], [{ ...rule, value: 'x' }], [{ when: deep(9), value: true }], [{ when: deep(25), value: true }],
        [{ when: { all: Array.from({ length: 101 }, () => rule.when) }, value: true }], [{ when: { ...rule.when, op: 'regex', value: '(a+)+$' }, value: true }], [{ when: { ...rule.when, op: '__proto__' }, value: true }], [{ when: { field: 'a', op: 'eq', value: 1, more: 1 }, value: true }], [{ when: [], value: true }],
        [{ when: rule.when, rollout: 101 }],
      ];
      for (const rules of wrong) refused(await set('checkout', { rules }), 400, 'invalid');
    });

    it('79: targets that are none: 100,001 of them, and ids that no record has', async () => {
      refused(await set('checkout', { targets: Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`k${String(i)}`, true])) }), [400, 413], 'too_large');
      refused(await set('checkout', { targets: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${String(i)}`, true])) }), 400, 'invalid');
      refused(await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"targets":{"__proto__":true}}}' }), 400, 'invalid');
      for (const targets of [{ '': true }, { '..': true }, { ['x'.repeat(201)]: true }, { 'a\u0001': true }, { a: 'x' }, [], 'x']) refused(await set('checkout', { targets }), 400, 'invalid');
    });

    it('more: contexts that are none', async () => {
      for (const path of ['flags', 'flags/checkout']) {
        for (const context of [[], 'x', 1, { targetingKey: 1 }]) expect((await clerk.post(`/ofrep/v1/evaluate/${path}`, { context })).status).to.equal(400);
        expect((await clerk.post(`/ofrep/v1/evaluate/${path}`, undefined, { raw: `{"context":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}` })).status).to.equal(400);
      }
    });
  });

  describe('approvals', () => {
    let decider: Client;
    const ask = async (input: object): Promise<string> => (await clerk.post('/actions', { action: 'asked', record: 'r1', input })).body.approval as string;
    before(async () => {
      decider = watched(await world.person('operator', 'Decider'));
    });

    it('80: decided twice, after a rejection, expired, unknown, by an agent', async () => {
      const [approved, rejected, expired] = [await ask({ n: 1 }), await ask({ n: 2 }), await ask({ n: 3 })];
      expect((await decider.post(`/approvals/${approved}/approve`)).status).to.equal(200);
      expect((await decider.post(`/approvals/${rejected}/reject`)).status).to.equal(200);
      await world.sql('update approvals set expires_at = 1 where id = $1', [expired]);
      for (const [id, status] of [[approved, 'approved'], [rejected, 'rejected'], [expired, 'expired']] as const) {
        for (const verb of ['approve', 'reject']) {
          const reply = await decider.post(`/approvals/${id}/${verb}`);
          refused(reply, 409, 'already_decided');
          expect(reply.body.approval).to.include({ id, status });
        }
        refused(await clerk.post(`/approvals/${id}/cancel`), 409, 'already_decided');
      }
      for (const id of ['apr_01jd0000000000000000000000', 'x', '__proto__', item.id]) {
        for (const verb of ['approve', 'reject', 'cancel']) refused(await decider.post(`/approvals/${id}/${verb}`), 404, 'not_found');
        for (const verb of ['approve', 'reject']) for (const client of [clerk, admin]) refused(await client.post(`/approvals/${id}/${verb}`), 403, 'person_required');
      }
      await world.settled();
      const inputs = app.received.filter(({ method }) => method === 'action.run').map(({ params }) => params.input as { n?: number });
      expect(inputs.filter(({ n }) => n !== undefined)).to.deep.equal([{ n: 1 }]);
    });

    it('81: a body that tries to say what is to be done: what was asked for is done', async () => {
      const id = await ask({ stored: true });
      for (const body of [{ payload: {} }, { status: 'approved' }, { approver: 'x' }, { input: { stored: false } }, { note: 'x', action: 'erase' }, { note: 1 }, { note: '' }, { note: 'x'.repeat(501) }, { note: null }, { decidedBy: {} }]) {
        for (const verb of ['approve', 'reject']) refused(await decider.post(`/approvals/${id}/${verb}`, body), 400, 'invalid');
        refused(await clerk.post(`/approvals/${id}/cancel`, body), 400, 'invalid');
      }
      expect((await clerk.get(`/approvals/${id}`)).body.approval.status).to.equal('pending');
      expect((await decider.post(`/approvals/${id}/approve`, { note: 'Fine.' })).status).to.equal(200);
      await world.settled();
      await until('it has run', () => Promise.resolve(app.received.some(({ method, params }) => method === 'action.run' && params.input.stored === true)));
      for (const query of ['status=nosuch', 'status=', 'status=pending,approved']) refused(await clerk.get(`/approvals?${query}`), 400, 'invalid', 'status');
    });
  });

  describe('the rate limit', () => {
    it('90: 400 requests within one second on one token; others are not affected', async () => {
      const limited = await newWorld({ env: { RATE_LIMIT: '100', RATE_BURST: '200' }, workers: false });
      try {
        const [busy, other] = [await limited.agent('viewer'), await limited.agent('viewer')];
        const started = Date.now();
        const replies = await Promise.all(Array.from({ length: 400 }, () => busy.get('/me')));
        const seconds = (Date.now() - started) / 1000;
        const allowed = replies.filter((reply) => reply.status === 200).length;
        // Exactly the burst, what came in meanwhile, and one batch of the process.
        expect(allowed).to.be.within(200 - 10, 200 + Math.ceil(100 * seconds) + 10);
        const denied = replies.filter((reply) => reply.status === 429);
        expect(denied).to.have.length(400 - allowed);
        for (const reply of denied) {
          refused(reply, 429, 'rate_limited');
          expect(Number(reply.headers.get('retry-after'))).to.be.at.least(1);
        }
        expect((await other.get('/me')).status).to.equal(200);
      } finally {
        await limited.close();
      }
    });
  });

  it('nothing of all this was audited as done by nobody, and the host still answers', async () => {
    expect((await fetch(`${origin}/health`)).status).to.equal(200);
    const [broken] = await world.sql<{ n: number }>(`select count(*)::int as n from events where verb is not null and actor is null and actor_type <> 'system'`);
    expect(broken?.n).to.equal(0);
  });
});
