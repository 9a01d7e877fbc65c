/** The memory of a process that was started with `--inspect`: the heap once its garbage is collected. Used by growth.ts. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** What its processes are started with; each writes the address of its inspector to its log. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

interface Replied {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/** Sends calls one after the other to the inspector of a process, by its log; returns the values of their results. */
const callInspector = async (log: string, calls: readonly (readonly [string, object])[]): Promise<unknown[]> => {
  const [url] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(log) ?? [];
  if (url === undefined) throw new Error('The process runs without an inspector.');
  const socket = new WebSocket(url, { perMessageDeflate: false });
  try {
    await once(socket, 'open');
    const values: unknown[] = [];
    for (const [id, [method, params]] of calls.entries()) {
      const answered = new Promise<unknown>((resolve, reject) => {
        socket.on('message', (data: Buffer) => {
          const reply = JSON.parse(data.toString()) as Replied;
          if (reply.id === id) resolve(reply.result?.result?.value);
        });
        socket.once('close', () => {
          reject(new Error('The process has ended.'));
        });
      });
      socket.send(JSON.stringify({ id, method, params }));
      values.push(await answered);
    }
    return values;
  } finally {
    socket.terminate();
  }
};

const evaluate = (expression: string): readonly [string, object] => [
  'Runtime.evaluate',
  { expression, returnByValue: true },
];

export interface MemoryNow {
  readonly rssMb: number;
  /** After a collection of all garbage. */
  readonly heapMb: number;
}

/** Returns the memory of the process with this log. */
export const memoryOf = async (log: string): Promise<MemoryNow> => {
  const text = (await callInspector(log, [
    ['HeapProfiler.collectGarbage', {}],
    evaluate('JSON.stringify(process.memoryUsage())'),
  ])) as [unknown, string];
  const { rss, heapUsed, external } = JSON.parse(text[1]) as { rss: number; heapUsed: number; external: number };
  return { rssMb: rss / 2 ** 20, heapMb: (heapUsed + external) / 2 ** 20 };
};

/** Executes an expression in a process, as a fault would be made. */
export const executeIn = async (log: string, expression: string): Promise<void> => {
  await callInspector(log, [evaluate(expression)]);
};
