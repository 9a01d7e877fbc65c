/** The headers that keep browsers and caches from doing what nobody asked for: on every answer, whoever gives it. */
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { request } from '../support/http.ts';
import { head, raw } from '../support/raw.ts';
import { newWorld, type World } from '../support/world.ts';

const always = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const plainPolicy = "default-src 'none'; frame-ancestors 'none'";
const strict = 'max-age=31536000';

/** The headers of a refused or an accepted upgrade. */
const upgrade = (url: string, token: string | null): Promise<Headers> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, token === null ? {} : { headers: { authorization: `Bearer ${token}` } });
    const answered = (headers: NodeJS.Dict<string | string[]>): void => {
      resolve(new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])));
      socket.terminate();
    };
    socket.on('error', () => undefined);
    socket.once('unexpected-response', (_request, response) => {
      answered(response.headers);
    });
    socket.once('upgrade', (response) => {
      answered(response.headers);
    });
  });

for (const [what, publicUrl] of [
  ['with an https address', 'https://console.example.com'],
  ['with an http address', 'http://console.example.com'],
] as const)
  describe(`headers against misuse by browsers, ${what}`, () => {
    let world: World;
    before(async () => {
      world = await newWorld({ env: { PUBLIC_URL: publicUrl }, workers: false });
    });
    after(() => world.close());

    const expectHeaders = (headers: Headers, place: string, policy = plainPolicy): void => {
      for (const [name, value] of Object.entries(always))
        expect(headers.get(name), `${name} of ${place}`).to.equal(value);
      expect(headers.get('content-security-policy'), `of ${place}`).to.equal(policy);
      expect(headers.get('strict-transport-security'), `of ${place}`).to.equal(
        publicUrl.startsWith('https:') ? strict : null,
      );
    };

    it('are on answers of every kind', async () => {
      const agent = await world.agent('operator');
      const { origin } = new URL(world.base);
      const item = { inbox: 'mail', title: 'A letter' };
      const calls: readonly (readonly [number, string, string, unknown, string | null])[] = [
        [200, 'GET', `${world.base}/me`, undefined, agent.token],
        [200, 'HEAD', `${world.base}/items`, undefined, agent.token],
        [201, 'POST', `${world.base}/items`, item, agent.token],
        [400, 'POST', `${world.base}/items`, { title: 1 }, agent.token],
        [201, 'POST', `${world.base}/live/tickets`, undefined, agent.token],
        [200, 'POST', `${world.base}/mcp`, { jsonrpc: '2.0', id: 1, method: 'ping' }, agent.token],
        [401, 'GET', `${world.base}/me`, undefined, null],
        [401, 'POST', `${world.base}/sign-in`, { email: 'a@example.com', password: 'a guess' }, null],
        [404, 'GET', `${world.base}/nowhere`, undefined, agent.token],
        [405, 'DELETE', `${world.base}/items`, undefined, agent.token],
        [404, 'GET', `${origin}/`, undefined, null],
        [405, 'POST', `${origin}/ready`, {}, null],
        ...[
          '/health',
          '/ready',
          '/metrics',
          '/openapi.json',
          '/asyncapi.json',
          '/manifest.schema.json',
          '/llms.txt',
        ].map((path) => [200, 'GET', origin + path, undefined, null] as const),
      ];
      for (const [status, method, url, body, token] of calls) {
        const reply = await request(method, url, body, token);
        expect(reply.status, `${method} ${url}: ${reply.text}`).to.equal(status);
        expectHeaders(reply.headers, `${method} ${url}`);
      }
    });

    it('are on answers to what is no request, and to upgrades', async () => {
      const broken = [
        [400, 'nonsense\r\n\r\n'],
        [431, head('GET / HTTP/1.1', `x: ${'y'.repeat(40_000)}`)],
        [414, `GET /${'y'.repeat(40_000)} HTTP/1.1\r\n\r\n`],
      ] as const;
      for (const [status, bytes] of broken) {
        const reply = await raw(world.port, bytes);
        expect(reply.status).to.equal(status);
        expectHeaders(reply.headers, String(status));
      }
      const agent = await world.agent('operator');
      const key = await world.appKey();
      for (const path of ['live', 'app', 'nowhere'])
        for (const token of [null, agent.token, key.token])
          expectHeaders(await upgrade(`${world.base.replace('http', 'ws')}/${path}`, token), `an upgrade of ${path}`);
    });

    it('let the reference page alone write styles and make workers, and load nothing from elsewhere', async () => {
      const { origin } = new URL(world.base);
      const reply = await request('GET', `${origin}/docs`, undefined, null);
      expectHeaders(
        reply.headers,
        '/docs',
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(reply.text).not.to.match(/https?:|<img|<iframe|<form|<base|\son[a-z]+=|javascript:/i);
      const [, path = ''] = /<script src="([^"]+)"><\/script>/.exec(reply.text) ?? [];
      const script = await fetch(`${origin}/${path}`, { headers: { 'accept-encoding': 'br' } });
      const [size, text] = [Number(script.headers.get('content-length')), await script.text()];
      expect([script.status, script.headers.get('content-encoding')]).to.deep.equal([200, 'br']);
      expect(size).to.be.within(1, 400_000);
      expect(script.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(script.headers.get('content-security-policy')).to.equal(plainPolicy);
      expect(text)
        .to.include('Redoc')
        .and.not.to.match(/cdn\.redoc|fonts\.googleapis/);
      const again = await fetch(`${origin}/${path}`, {
        headers: { 'if-none-match': script.headers.get('etag') ?? '' },
      });
      expect(again.status).to.equal(304);
    });
  });
