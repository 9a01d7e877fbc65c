/** `bad-inputs.md` row by row: a clear error that names the field, no effect, no 5xx, and the server goes on. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readDocuments, type Documents } from '../support/documented.ts';
import { request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { head, raw, type RawReply } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'erase', label: 'Erase', resource: 'customer', danger: 'high' },
  ],
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
    expect(reply.body.error).to.be.a('string').and.match(/\S/);
    if (paths.length > 0) expect(reply.body.details.map((place: { path: string }) => place.path), reply.text).to.include.members(paths);
  };
  const create = (more: object, options?: CallOptions): Promise<Reply> => clerk.post('/items', { inbox: 'mail', title: 'x', ...more }, options);
  const createRaw = (json: string): Promise<Reply> => clerk.post('/items', undefined, { raw: json });
  const change = (verb: string, body: unknown, options?: CallOptions): Promise<Reply> => clerk.post(`/items/${item.id}/${verb}`, body, options);
  const version = async (): Promise<number> => (await admin.get(`/items/${item.id}`)).body.item.version as number;
  const count = async (): Promise<number> => (await world.sql<{ n: number }>('select count(*)::int as n from items'))[0]?.n ?? 0;

  /** Every POST of the document with an object that is there, and its documented body. */
  const posts = (): { path: string; body: unknown; required: boolean; conditional: boolean }[] =>
    documents.operations.filter((operation) => operation.method === 'POST').map(({ path, body, parameters }) => ({
      path: path.replace('{id}', path.startsWith('/bulk') ? bulk.id : item.id),
      body: body?.example,
      required: body?.required ?? false,
      conditional: parameters.some((parameter) => parameter.name === 'if-match'),
    }));

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [...clerkGrants, { on: 'action:erase', can: ['run'] }]);
    await world.environment('staging');
    documents = await readDocuments(world.base);
    origin = new URL(world.base).origin;
    admin = watched(await world.agent('admin'));
    clerk = watched(await world.agent('clerk'));
    item = (await create({})).body.item;
    bulk = (await clerk.post('/bulk', { ids: [item.id], operation: { type: 'tags', add: ['seen'], remove: [] } })).body.bulk;
    await world.settled();
    // Row 18 takes a while: it is begun here and looked at below.
    slow = raw(world.port, `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', 'content-length: 60')}{"inbox":"mail","title":"never finished"`);
    slow.catch(() => undefined);
  });
  after(() => world.close());

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
        refused(await clerk.post(path, body, { headers: { 'if-match': `"${String(before - 1)}"` } }), 412, 'version_conflict');
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
        for (const path of [`/items/${id}`, `/items/${id}/timeline`, `/bulk/${id}`, `/bulk/${id}/results`]) {
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
