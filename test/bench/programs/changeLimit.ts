/** Changes of state with the least code: one prepared statement, called over node:http and in-process; and the peers. */
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { newId } from '../../../shared/platform/ids.ts';
import { changeSql } from '../changeSql.ts';
import { answerCalls } from '../ipc.ts';
import { quantile } from '../numbers.ts';
import { peers, type Change } from '../peers.ts';
import type { Changed, Measured } from '../plan.ts';

interface Start {
  readonly port: number;
  readonly env: number;
  readonly poolSize: number;
  readonly closedStates: readonly string[];
}

interface Run {
  readonly how: 'limit' | 'knex' | 'objection';
  readonly callers: number;
  readonly ms: number;
  readonly warmupMs: number;
  readonly items: readonly Changed[];
}

const url = process.env['DATABASE_URL'] ?? '';
const statements = {
  plain: { name: 'plain', text: changeSql(false) },
  keyed: { name: 'keyed', text: changeSql(true) },
};
const actor = newId('agt');
let pool = new pg.Pool({ connectionString: url, max: 1 });
let given: Start = { port: 0, env: 0, poolSize: 1, closedStates: [] };

const change = async (id: string, state: string, key?: string): Promise<string> => {
  const values = [
    given.env,
    id,
    state,
    given.closedStates.includes(state),
    Date.now(),
    actor,
    newId('ent'),
    newId('req'),
  ];
  const result = await pool.query(
    key === undefined ? { ...statements.plain, values } : { ...statements.keyed, values: [...values, key] },
  );
  const [row] = result.rows as { json: string }[];
  if (row === undefined) throw new Error(`There is no item ${id}.`);
  return row.json;
};

const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    request.on('end', () => {
      resolve(text);
    });
  });

const server = createServer((request, response) => {
  const id = request.url?.split('/')[2] ?? '';
  const key = request.headers['idempotency-key'];
  void bodyOf(request)
    .then((body) =>
      change(id, (JSON.parse(body) as { state: string }).state, typeof key === 'string' ? key : undefined),
    )
    .then(
      (json) => {
        const text = `{"item":${json},"changed":true}`;
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        });
        response.end(text);
      },
      (error: unknown) => {
        response.writeHead(500, String(error).replaceAll('\n', ' '), { 'content-length': 0 }).end();
      },
    );
});

const run = async ({ how, callers, ms, warmupMs, items }: Run): Promise<Measured> => {
  const peer = how === 'limit' ? null : peers[how](url, given.poolSize);
  const once: Change = peer === null ? (each) => change(each.id, each.state) : peer.change;
  const began = performance.now() + warmupMs;
  const end = began + ms;
  const took: number[] = [];
  const turns = items.map(() => 0);
  let next = 0;
  let count = 0;
  const caller = async (): Promise<void> => {
    for (let at = performance.now(); at < end; at = performance.now()) {
      const i = next++ % items.length;
      const { id = '', states = [] } = items[i] ?? {};
      const turn = turns[i] ?? 0;
      turns[i] = (turn + 1) % states.length;
      const state = states[turn] ?? '';
      await once({
        env: given.env,
        id,
        state,
        closed: given.closedStates.includes(state),
        at: Date.now(),
        actor,
        entry: newId('ent'),
        request: newId('req'),
      });
      count += 1;
      if (at >= began) took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await peer?.close();
  return {
    perSecond: took.length / (ms / 1000),
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    max: quantile(took, 1),
    count,
  };
};

answerCalls({
  start: async (start: Start) => {
    given = start;
    pool = new pg.Pool({ connectionString: url, max: start.poolSize });
    await new Promise<void>((resolve) => void server.listen(start.port, '127.0.0.1', resolve));
  },
  run,
});
