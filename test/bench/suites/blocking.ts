/** Requests made to hurt: for how long a single one of them holds up the event loop, and so everybody else. */
import type { Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';

const most = 1024 * 1024;
const deep = (depth: number): string =>
  `{"inbox":"support","title":"x","data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
const create = (data: string): string => `{"inbox":"support","title":"x","data":${data}}`;
const ids = (count: number, id: (n: number) => string): string =>
  `{"ids":[${Array.from({ length: count }, (_, n) => `"${id(n)}"`).join(',')}],"operation":{"type":"state","state":"closed"},"dryRun":true}`;
const itemId = (n: number): string => `itm_01jd00000000000000${String(n).padStart(8, '0')}`;
const change = (members: string): string => `{"change":{${members}}}`;
/** Filled up to the largest body that is read. */
const filled = (head: string, unit: string, tail: string): string =>
  head + unit.repeat(Math.floor((most - head.length - tail.length) / unit.length)) + tail;

interface Bad {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
}

/** Bad requests as in test/http/badInputs, and the largest bodies that pass each check as late as possible. */
const requests = (item: string): readonly Bad[] => [
  ...[33, 5_000, 10_000, 100_000].map((depth) => ({
    name: `row 20, depth ${String(depth)}`,
    path: '/items',
    body: deep(depth),
  })),
  { name: 'row 20, arrays to the brim', path: '/items', body: create('['.repeat(500_000) + ']'.repeat(500_000)) },
  {
    name: 'row 21, 10,001 keys',
    path: '/items',
    body: create(`{${Array.from({ length: 10_001 }, (_, n) => `"k${String(n)}":1`).join(',')}}`),
  },
  {
    name: '1 MiB of numbers',
    path: '/items',
    body: filled('{"inbox":"support","title":"x","data":{"a":[1', ',1', ']}}'),
  },
  {
    name: '1 MiB of empty objects',
    path: '/items',
    body: filled('{"inbox":"support","title":"x","data":{"a":[{}', ',{}', ']}}'),
  },
  {
    name: '1 MiB of keys',
    path: '/items',
    body: create(`{${Array.from({ length: 80_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}`),
  },
  {
    name: '1 MiB of unknown members',
    path: '/items',
    body: `{${Array.from({ length: 80_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}`,
  },
  {
    name: '50,000 unknown members',
    path: '/items',
    body: `{${Array.from({ length: 50_000 }, (_, n) => `"key number ${String(n)}":1`).join(',')}}`,
  },
  {
    name: '50,000 keys',
    path: '/items',
    body: create(`{${Array.from({ length: 49_990 }, (_, n) => `"key number ${String(n)}":{}`).join(',')}}`),
  },
  { name: '1 MiB of spaces', path: '/items', body: filled('{', ' ', '}') },
  { name: 'row 54, a note of 1 MiB', path: `/items/${item}/notes`, body: filled('{"text":"', 'x', '"}') },
  { name: 'row 54, 100,000 newlines', path: `/items/${item}/notes`, body: `{"text":"${'\\n'.repeat(100_000)}"}` },
  {
    name: 'a note of 1 MiB beyond ASCII',
    path: `/items/${item}/notes`,
    body: filled('{"text":"', 'é', '"}').slice(0, most / 2) + '"}',
  },
  { name: 'row 52, 100,000 tags', path: `/items/${item}/tags`, body: filled('{"add":["x"', ',"x"', ']}') },
  { name: 'row 57, 10,000 unknown ids', path: '/bulk', body: ids(10_000, itemId) },
  { name: 'row 57, 10,000 ids of no form', path: '/bulk', body: ids(10_000, (n) => `\\u0001${String(n)}`) },
  { name: 'row 57, 10,001 ids', path: '/bulk', body: ids(10_001, itemId) },
  {
    name: 'row 57, 100,000 numbers for ids',
    path: '/bulk',
    body: filled('{"ids":[1', ',1', '],"operation":{"type":"state","state":"closed"}}'),
  },
  { name: 'row 58, 70,000 ids', path: '/bulk', body: ids(70_000, itemId) },
  { name: 'row 39, 1,000 states', path: `/items?state=${'x,'.repeat(1000)}x` },
  { name: 'row 44, 2,000 words', path: `/items?search=${'a+'.repeat(2000)}` },
  { name: 'ten words of one letter', path: '/items?search=a+b+c+d+e+f+g+h+i+j' },
  { name: '16 KiB of parameters', path: `/items?${'a&'.repeat(7_000)}` },
  {
    name: 'a tool with 49,000 unknown arguments',
    path: '/mcp',
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_items","arguments":{${Array.from({ length: 49_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}}}`,
  },
  {
    name: 'a tool with a list of 450,000 letters',
    path: '/mcp',
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_items","arguments":{"ids":"${'a,'.repeat(450_000)}"}}}`,
  },
  { name: 'row 46, 16 KiB of percent signs', path: `/items?search=${'%25'.repeat(4_500)}` },
  { name: 'row 64, filters nested 2,000 levels', path: `/resources/customer/list?filters=${'{a:'.repeat(2_000)}` },
  {
    name: 'row 64, 8 KiB of alternatives',
    path: `/resources/customer/list?filters=${encodeURIComponent(JSON.stringify({ email: Array.from({ length: 1_500 }, (_, n) => n) }))}`,
  },
  {
    name: 'row 64, 8 KiB of fields',
    path: `/resources/customer/list?filters=${encodeURIComponent(`{${Array.from({ length: 700 }, (_, n) => `"f${String(n)}":1`).join(',')}}`)}`,
  },
  {
    name: 'row 71, 1 MiB of input',
    path: '/actions',
    body: filled('{"action":"resend_receipt","record":"x","input":{"email":"', 'x', '"}}'),
  },
  {
    name: 'row 71, 1 MiB of unknown input',
    path: '/actions',
    body: `{"action":"issue_credit","record":"x","input":{${Array.from({ length: 70_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}}`,
  },
  {
    name: 'row 71, input nested 10,000 levels',
    path: '/actions',
    body: `{"action":"issue_credit","input":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  },
  {
    name: 'row 73, 30,000 refs',
    path: '/available',
    body: filled('{"refs":[{"resource":"customer","id":"x"}', ',{"resource":"customer","id":"x"}', ']}'),
  },
  {
    name: 'row 73, 100 refs',
    path: '/available',
    body: `{"refs":[${Array.from({ length: 100 }, (_, n) => `{"resource":"customer","id":"cus_${String(n)}"}`).join(',')}]}`,
  },
  {
    name: 'row 74, 8 KiB of parameters',
    path: `/pages/customer?params=${encodeURIComponent(`{${Array.from({ length: 600 }, (_, n) => `"p${String(n)}":"x"`).join(',')}}`)}`,
  },
  {
    name: 'row 78, 10,000 rules',
    path: '/flags/new_checkout',
    body: change(
      `"rules":[${Array.from({ length: 10_000 }, () => '{"when":{"field":"a","op":"eq","value":1},"value":true}').join(',')}]`,
    ),
  },
  {
    name: 'row 78, a rule of 1 MiB',
    path: '/flags/new_checkout',
    body: filled(
      '{"change":{"rules":[{"value":true,"when":{"all":[{"field":"a","op":"eq","value":1}',
      ',{"field":"a","op":"eq","value":1}',
      ']}}]}}',
    ),
  },
  {
    name: 'row 78, a rule nested 10,000 levels',
    path: '/flags/new_checkout',
    body: change(`"rules":[{"value":true,"when":${'{"not":'.repeat(10_000)}{}${'}'.repeat(10_000)}}]`),
  },
  {
    name: 'row 79, 10,001 targets',
    path: '/flags/new_checkout',
    body: change(`"targets":{${Array.from({ length: 10_001 }, (_, n) => `"k${String(n)}":true`).join(',')}}`),
  },
  {
    name: 'row 79, 60,000 targets that are wrong',
    path: '/flags/new_checkout',
    body: change(`"targets":{${Array.from({ length: 60_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}`),
  },
  {
    name: '1 MiB of context',
    path: '/ofrep/v1/evaluate/flags',
    body: `{"context":{${Array.from({ length: 70_000 }, (_, n) => `"k${String(n)}":1`).join(',')}}}`,
  },
];

const times = 5;

export const blocking: Suite = {
  name: 'blocking',
  run: async (bench) => {
    const { database } = bench;
    const api = await bench.api();
    const { token } = await database.token('admin');
    const [item] = await database.sql<{ id: string }>('select id from items where env = $1 limit 1', [database.env]);
    const send = async ({ path, body }: Bad): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${String(api.port)}/api/env/${environment}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      await answer.text();
      if (answer.status >= 500) throw new Error(`${path} was answered ${String(answer.status)}.`);
    };
    const delays: { name: string; ms: number; longest: number }[] = [];
    for (const bad of requests(item?.id ?? '')) {
      const found: number[] = [];
      for (let i = 0; i < times; i++) {
        await api.call('watchLoop');
        await send(bad);
        await new Promise((resolve) => setTimeout(resolve, 10));
        found.push(await api.call<number>('loopDelay'));
      }
      delays.push({ name: bad.name, ms: median(found), longest: Math.max(...found) });
    }
    const [worst, second, third] = delays.sort((a, b) => b.ms - a.ms);
    const said = [worst, second, third]
      .map((each) => `${each?.name ?? ''}: ${each?.ms.toFixed(0) ?? ''} (${each?.longest.toFixed(0) ?? ''})`)
      .join(', ');
    return [
      {
        suite: 'blocking',
        what: `event loop, longest delay by one request of ${String(delays.length)} bad ones`,
        unit: 'ms',
        ...atMost(worst?.ms ?? Number.NaN, 100, 'ms'),
        note: `median of ${String(times)} (longest): ${said}`,
      },
    ];
  },
};
