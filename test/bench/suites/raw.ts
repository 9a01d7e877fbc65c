/** Input that is read before rights and schemas: how long 1 MiB of the worst of it holds up the event loop at each place. */
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { connectApp, type FakeApp } from '../../support/app.ts';
import { clientOf } from '../../support/http.ts';
import { appEnvironment, prepareApp } from '../appEnvironment.ts';
import type { Bench, Suite } from '../bench.ts';
import { median } from '../numbers.ts';
import { atMost, type Figure } from '../report.ts';

const most = 1024 * 1024;
const holdMost = 50;
const times = 7;
/** Members that a body or a frame may have. */
const members = 49_900;
const headerBytes = 15_000;

const names = Array.from({ length: members }, (_, n) => `"key ${String(n)}":{}`).join(',');
const sameNames = (name: string): string =>
  Array.from({ length: members }, () => `"${name}":"${'x'.repeat(8)}"`).join(',');
const filled = (head: string, unit: string, tail: string): string =>
  head + unit.repeat(Math.floor((most - head.length - tail.length) / unit.length)) + tail;

/** A place that takes raw input, and what hurts it most. */
interface Place {
  readonly name: string;
  send(): Promise<unknown>;
}

interface Target {
  readonly port: number;
  readonly token: string;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a request by a connection of its own, as bytes that no client checks, and resolves with its end. */
const post = ({ port, token }: Target, path: string, body: string | null, headers: Headers = {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        agent: false,
        path: `/api/env/${appEnvironment}${path}`,
        method: body === null ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => answer.resume().once('end', resolve),
    );
    sent.once('error', reject);
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve();
    });
    sent.end(body ?? undefined);
  });

const bodies = (target: Target): readonly Place[] => {
  const key = { 'idempotency-key': 'raw' };
  const call = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_items","arguments":${args}}}`;
  const texts: readonly [string, string, string][] = [
    ['a member 49,900 times, with a key', '/items', `{${sameNames('reason')}}`],
    ['49,900 names, the last one twice', '/items', `{"data":{${names},"key 0":1}}`],
    [
      '49,900 objects with a name twice at the end',
      '/items',
      `{"data":[${'{"a":1},'.repeat(members / 2)}{"a":1,"a":1}]}`,
    ],
    ['a reason behind 1 MiB of text, with a key', '/items', filled('{"title":"', 'x', '","reason":"x"}')],
    ['1 MiB of escaped quotes', '/items', filled('{"title":"', '\\"', '"}')],
    ['1 MiB of escapes', '/items', filled('{"title":"', '\\u0041', '"}')],
    ['1 MiB beyond ASCII', '/items', filled('{"title":"', 'é', '"}').slice(0, most / 2) + '"}'],
    ['1 MiB of colons and commas', '/items', filled('{"title":', ':,', '}')],
    [
      'a message with a name 10,000 times',
      '/mcp',
      call(`{${Array.from({ length: 10_000 }, () => '"a":1').join(',')}}`),
    ],
    ['a message of 49,900 names', '/mcp', call(`{${names}}`)],
    ['a message of 1 MiB of text', '/mcp', call(filled('{"cursor":"', 'x', '"}').slice(0, most - 200) + '"}')],
    ['a password of 1 MiB', '/sign-in', filled('{"email":"a@example.com","password":"', 'x', '"}')],
  ];
  return texts.map(([name, path, text]) => ({ name: `body: ${name}`, send: () => post(target, path, text, key) }));
};

const heads = (target: Target): readonly Place[] => {
  const long = (unit: string): string => unit.repeat(Math.floor(headerBytes / unit.length));
  const given: readonly [string, Headers, string?][] = [
    ['content-type of spaces', { 'content-type': `application/json${long(' ')}x` }],
    ['content-type of charsets', { 'content-type': `application/json${long(';charset=utf8')}` }],
    ['cookies', { authorization: '', cookie: long('console_session=x; ') }],
    ['authorization of spaces', { authorization: `Bearer${long(' ')}` }],
    ['origin', { origin: `http://${long('a.')}` }],
    ['if-match', { 'if-match': `W/"1${long('0')}` }],
    ['if-none-match', { 'if-none-match': long('W/"a",') }, '/ofrep/v1/evaluate/flags'],
    ['accept-encoding', { 'accept-encoding': long('br;q=0,') }],
    ['idempotency-key', { 'idempotency-key': long(' x') }],
    ['traceparent', { traceparent: long('0-') }],
    ['x-forwarded-for', { 'x-forwarded-for': long('1,') }],
    [
      'subprotocols',
      {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': long('bearer.a,'),
      },
      '/live',
    ],
  ];
  const searches = [
    ['of names', long('a&')],
    ['of one name', long('limit=1&')],
    ['of percent signs', `search=${long('%25')}`],
    ['of lists', `state=${long('a,')}`],
    ['of filters', `fields.a=${long('%2C')}`],
  ] as const;
  return [
    ...given.map(([name, headers, path = '/items']) => ({
      name: `header: ${name}`,
      send: () => post(target, path, path === '/live' ? null : '{}', headers),
    })),
    ...searches.map(([name, search]) => ({
      name: `query ${name}`,
      send: () => post(target, `/items?${search}`, null),
    })),
  ];
};

/** Sends frames on a stream and resolves with the first message behind the greeting. */
const onStream = ({ port, token }: Target, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const url = `ws://127.0.0.1:${String(port)}/api/env/${appEnvironment}/live`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    let heard = 0;
    socket.on('message', () => {
      heard += 1;
      if (heard === 1) for (let i = 0; i < 5; i++) socket.send(text);
      if (heard === 2) socket.terminate();
    });
    socket.once('close', () => {
      resolve();
    });
    socket.once('error', reject);
  });

const frames = (target: Target, app: FakeApp): readonly Place[] => {
  const report = (params: string): string => `{"jsonrpc":"2.0","id":"raw","method":"items.report","params":${params}}`;
  const ask = (text: string) => async (): Promise<void> => {
    const answered = new Promise<void>((resolve) => {
      app.socket.once('message', () => {
        resolve();
      });
    });
    app.raw(text);
    await answered;
  };
  const answer =
    (fields: () => unknown, blocks: () => unknown = () => null) =>
    async (): Promise<void> => {
      app.handle('records.get', () => ({ records: [{ id: 'x', title: 'x', fields: { a: fields() } }] }));
      app.handle('record.blocks', () => ({ blocks: blocks() }));
      await post(target, '/resources/thing/x', null);
    };
  const run = (result: () => unknown) => async (): Promise<void> => {
    app.handle('action.run', result);
    await post(target, '/actions', '{"action":"act","input":{}}');
  };
  const named = (): unknown => JSON.parse(`{${names}}`);
  const few = Array.from({ length: 250 }, (_, n) => `"${String(n)}":[]`).join(',');
  return [
    { name: 'frame of a stream', send: () => onStream(target, `{"type":"narrow",${few},"0":1}`) },
    { name: 'frame of an app: a name 49,900 times', send: ask(report(`{${sameNames('data')}}`)) },
    { name: 'frame of an app: 49,900 names, one twice', send: ask(report(`{${names},"key 0":1}`)) },
    { name: 'frame of an app: 1 MiB of text', send: ask(report(filled('{"title":"', 'x', '"}'))) },
    { name: 'frame of an app: 1 MiB of brackets', send: ask(`${'['.repeat(most)}`) },
    { name: 'answer of an app: 1 MiB of text', send: answer(() => 'x'.repeat(most - 200)) },
    { name: 'answer of an app: 49,000 members', send: answer(named) },
    {
      name: 'blocks of an app: 49,000 members',
      send: answer(
        () => 1,
        () => [named()],
      ),
    },
    {
      name: 'blocks of an app: one of 49,000 members',
      send: answer(
        () => 1,
        () => [{ type: 'text', text: 'x', a: named() }],
      ),
    },
    {
      name: 'blocks of an app: a table of 49,000 members',
      send: answer(
        () => 1,
        () => [{ type: 'table', columns: [{ name: 'key 0', label: 'x' }], rows: [named()] }],
      ),
    },
    { name: 'result of a run: 49,000 members', send: run(named) },
    {
      name: 'result of a run: a block of 49,000 members',
      send: run(() => ({ blocks: [{ type: 'text', text: 'x', a: named() }] })),
    },
    { name: 'request of an app: 49,900 names', send: ask(report(`{"inbox":"mail","title":"x","data":{${names}}}`)) },
  ];
};

const measure = async (api: Awaited<ReturnType<Bench['api']>>, { name, send }: Place): Promise<Figure> => {
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    await api.call('watchLoop');
    await send();
    await new Promise((resolve) => setTimeout(resolve, 10));
    found.push(await api.call<number>('loopDelay'));
  }
  return {
    suite: 'raw',
    what: `event loop held by 1 MiB or the most that is read: ${name}`,
    unit: 'ms',
    ...atMost(median(found), holdMost, 'ms'),
    note: `median of ${String(times)}, longest ${Math.max(...found).toFixed(0)} ms`,
  };
};

export const raw: Suite = {
  name: 'raw',
  run: async (bench) => {
    const { key, agent } = await prepareApp(bench);
    const api = await bench.api();
    const base = `http://127.0.0.1:${String(api.port)}/api/env/${appEnvironment}`;
    const manifest = {
      resources: [{ name: 'thing', source: 'app', fields: [{ name: 'a' }] }],
      inboxes: [{ name: 'mail', label: 'Mail' }],
      actions: [{ name: 'act', label: 'Act', danger: 'low', input: { type: 'object', properties: {} } }],
    };
    const app = await connectApp(clientOf(base, key, 'raw'), { manifest });
    const target = { port: api.port, token: agent.token };
    const figures: Figure[] = [];
    try {
      for (const place of [...bodies(target), ...heads(target), ...frames(target, app)])
        figures.push(await measure(api, place));
    } finally {
      await app.close();
    }
    return figures;
  },
};
