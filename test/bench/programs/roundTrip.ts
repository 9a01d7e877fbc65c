/**
 * The least that an action needs: a caller calls through Redis, the process with the WebSocket passes it on, the other end
 * answers, and the answer goes back through Redis; before and after, the two commits of a run. Three processes, one of these calls each.
 */
import { Redis } from 'ioredis';
import { WebSocket, WebSocketServer } from 'ws';
import { answerCalls } from '../ipc.ts';
import { quantile } from '../numbers.ts';
import type { Measured } from '../plan.ts';
import { openRunTable } from '../runSql.ts';

const url = process.env['REDIS_URL'] ?? '';
const asked = `${process.env['REDIS_PREFIX'] ?? ''}:asked`;
const answered = `${process.env['REDIS_PREFIX'] ?? ''}:answered`;

const hold = async (port: number): Promise<void> => {
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  const [publisher, subscriber] = [new Redis(url), new Redis(url)];
  let socket: WebSocket | null = null;
  server.on('connection', (ws) => {
    socket = ws;
    ws.on('message', (text) => void publisher.publish(answered, (text as Buffer).toString()));
  });
  await subscriber.subscribe(asked);
  subscriber.on('message', (_channel, text) => socket?.send(text));
};

const dial = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${String(port)}`);
    socket.on('open', () => {
      resolve();
    });
    socket.on('message', (text) => {
      const { id } = JSON.parse((text as Buffer).toString()) as { id: number };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { message: 'Done.', blocks: [] } }));
    });
  });

interface Asked {
  readonly callers: number;
  readonly ms: number;
  readonly warmupMs: number;
  readonly environment: string;
  readonly agent: string;
}

const run = async ({ callers, ms, warmupMs, environment, agent }: Asked): Promise<Measured> => {
  const runs = await openRunTable(environment, agent, 'now');
  const [publisher, subscriber] = [new Redis(url), new Redis(url)];
  const waiting = new Map<number, () => void>();
  subscriber.on('message', (_channel, text) => {
    const { id } = JSON.parse(text) as { id: number };
    waiting.get(id)?.();
    waiting.delete(id);
  });
  await subscriber.subscribe(answered);
  const began = performance.now() + warmupMs;
  const end = began + ms;
  const took: number[] = [];
  let last = 0;
  const caller = async (): Promise<void> => {
    for (let at = performance.now(); at < end; at = performance.now()) {
      last += 1;
      const id = last;
      const back = new Promise<void>((resolve) => waiting.set(id, resolve));
      const made = await runs.insert('running');
      await publisher.publish(
        asked,
        JSON.stringify({ jsonrpc: '2.0', id, method: 'action.run', params: { action: 'now', input: {} } }),
      );
      await back;
      await runs.settle(made);
      if (at >= began) took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  publisher.disconnect();
  subscriber.disconnect();
  await runs.close();
  return {
    perSecond: took.length / (ms / 1000),
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    max: quantile(took, 1),
    count: last,
  };
};

answerCalls({ hold, dial, run });
