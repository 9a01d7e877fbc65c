/** Messages that break the Model Context Protocol: no JSON, calls without a tool, and arguments that cannot be stored. */
import { expect } from 'chai';
import { callTool, rpc } from '../support/tools.ts';
import { useProtocol } from './protocolWorld.ts';

describe('the Model Context Protocol', () => {
  const here = useProtocol();
  const { send, codeOf } = here;

  describe('refuses what is no message', () => {
    it('JSON that is none, and what is no object: lists of messages too', async () => {
      for (const raw of ['{', '', 'x']) {
        const { status, body } = await here.clerk.post('/mcp', undefined, {
          raw,
          headers: { 'content-type': 'application/json' },
        });
        expect([status, body.code, body.jsonrpc, body.id, body.error.code], raw).to.deep.equal([
          400,
          'bad_json',
          '2.0',
          null,
          -32700,
        ]);
      }
      for (const message of [[], [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 'x', 1]) {
        const { status, body } = await send(message);
        expect([status, body.code, body.error.code], JSON.stringify(message)).to.deep.equal([400, 'invalid', -32600]);
      }
    });

    it('messages of more members than any tool takes, by their id', async () => {
      const given = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`k${String(n)}`, 1]));
      const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list_items', arguments: given } };
      const { status, body } = await send(call);
      expect([status, body.code, body.id, body.error.code]).to.deep.equal([400, 'invalid', 7, -32600]);
      expect(body.details).to.deep.equal([{ path: '', message: 'has more than 11000 members' }]);
    });

    it('objects that are none of JSON-RPC', async () => {
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      for (const wrong of [
        {},
        { ...ping, jsonrpc: '1.0' },
        { ...ping, jsonrpc: 2 },
        { ...ping, method: 1 },
        { ...ping, method: undefined },
        { ...ping, params: [] },
        { ...ping, params: 'x' },
        { ...ping, id: null },
        { ...ping, id: 1.5 },
        { ...ping, id: {} },
        { ...ping, more: 1 },
      ]) {
        expect(codeOf(await send(wrong)), JSON.stringify(wrong)).to.deep.equal([400, -32600]);
      }
      const answered = await send({ jsonrpc: '2.0', id: 1, result: {} });
      expect([answered.status, answered.text], 'an answer, which nobody waits for').to.deep.equal([202, '']);
      const before = (await here.clerk.get('/items?count=1')).body.total as number;
      const unanswered = await send({
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'create_item', arguments: { inbox: 'mail', title: 'x' } },
      });
      expect([unanswered.status, unanswered.text], 'a call without an id').to.deep.equal([202, '']);
      expect((await here.clerk.get('/items?count=1')).body.total).to.equal(before);
    });

    it('calls whose tool or arguments are none', async () => {
      for (const params of [
        {},
        { name: 1 },
        { name: null },
        { name: 'get_me', arguments: [] },
        { name: 'get_me', arguments: 'x' },
        { name: 'get_me', arguments: null },
      ])
        expect(codeOf(await rpc(here.clerk, 'tools/call', params)), JSON.stringify(params)).to.deep.equal([
          200, -32602,
        ]);
      for (const name of [
        'nosuch',
        '',
        '__proto__',
        'constructor',
        'toString',
        'action_',
        'action_nosuch',
        'action___proto__',
        'GET_ME',
        'x'.repeat(100_000),
        'get_me ',
        'action_\u202e',
      ])
        expect(codeOf(await rpc(here.clerk, 'tools/call', { name })), name.slice(0, 50)).to.deep.equal([200, -32602]);
      for (const cursor of ['x', '', 1, null])
        expect(codeOf(await rpc(here.clerk, 'tools/list', { cursor }))[1], String(cursor)).to.be.oneOf([
          -32602, -32603,
        ]);
    });

    it('arguments that nobody can keep, before any tool sees them, by the id of the call', async () => {
      const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const message = (id: string, data: string): string =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"create_item","arguments":{"inbox":"mail","title":"x","data":${data}}}}`;
      for (const [data, path] of [
        ['{"a":"\\u0000"}', 'data.a'],
        ['{"a":"\\ud800"}', 'data.a'],
        ['{"a":1e400}', 'data.a'],
        ['{"a":9007199254740993}', 'data.a'],
        ['{"__proto__":{"admin":true}}', 'data.__proto__'],
        [deep(40), /^data\.a\./],
        [deep(5_000), /^data\.a\./],
      ] as const) {
        const { status, body } = await here.clerk.post('/mcp', undefined, { raw: message('"call-7"', data) });
        expect([status, body.id, body.result.isError], data.slice(0, 50)).to.deep.equal([200, 'call-7', true]);
        const { code, details } = JSON.parse(body.result.content[0].text as string) as {
          code: string;
          details: { path: string }[];
        };
        expect(code).to.equal('invalid');
        if (typeof path === 'string') expect(details[0]?.path).to.equal(path);
        else expect(details[0]?.path).to.match(path);
      }
      for (const raw of [
        '{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"\\u0000"}}',
        '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"\\ud800"}}',
      ]) {
        const { status, body } = await here.clerk.post('/mcp', undefined, { raw });
        expect([status, body.id, body.code, body.error.code], raw).to.deep.equal([400, 8, 'invalid', -32600]);
      }
      const unnamed = await here.clerk.post('/mcp', undefined, { raw: message('"\\u0000"', '{}') });
      expect([unnamed.status, unnamed.body.id, unnamed.body.error.code]).to.deep.equal([400, null, -32600]);
      const odd = await callTool(here.clerk, 'create_item', {
        inbox: 'mail',
        title: 'x',
        data: { constructor: { prototype: { x: 1 } } },
        toString: 1,
      });
      expect([odd.status, odd.body.code]).to.deep.equal([400, 'invalid']);
      expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
    });
  });
});
