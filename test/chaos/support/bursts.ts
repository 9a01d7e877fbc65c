/** Bursts of calls at one app whose socket breaks or freezes while it has them all, for the kill matrix (killMatrix.ts). */
import type { Cell, Row } from './matrix.ts';
import { pause } from './pause.ts';
import type { Run } from './run.ts';

/** A call whose app has gone is not to wait for the job of its run, which comes after 3 s. */
const answeredMs = 2_500;
/** ms for which the app is frozen: its socket stays open, as nobody calls one silent before 15 s. */
const frozenMs = 2_000;

const counts = { short: [2, 10], long: [2, 3, 5, 10, 20, 35, 50] } as const;

type Break = (row: Row) => Promise<void>;

const breaks = {
  terminated: async ({ customer }) => {
    customer.wire.cut();
  },
  closed: ({ customer }) => customer.unit.kill(),
  frozen: async ({ customer }) => {
    customer.unit.freeze();
    await pause(frozenMs);
    customer.unit.thaw();
  },
} as const satisfies Readonly<Record<string, Break>>;

const hows = { short: ['terminated', 'frozen'], long: ['terminated', 'closed', 'frozen'] } as const;

const burst = async (run: Run, row: Row, how: keyof typeof breaks, count: number): Promise<void> => {
  const { customer, clients, item } = row;
  const cell: Cell = { row, name: `burst${String(count)}-${how}`, count };
  const calls = Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const input = { mark: `${cell.name}:${String(n)}`, cell: cell.name, gate: 'before' };
      const { status, text } = await (n % 2 === 0 ? clients.here : clients.there).post('/actions', {
        action: 'act',
        item,
        input,
      });
      run.expect(status === 200 || status === 202, `${input.mark} was answered with ${String(status)} ${text}`);
    }),
  );
  calls.catch(() => undefined);
  await customer.reached(cell.name, 'received', count);
  const since = performance.now();
  await breaks[how](row);
  if (how === 'frozen') customer.pass(cell.name, 'before');
  await calls;
  const ms = performance.now() - since;
  run.worst(`bursts ${how}: answered after ms`, ms);
  if (how !== 'frozen') run.expect(ms <= answeredMs, `${cell.name} was answered only after ${String(ms)} ms`);
  customer.pass(cell.name, 'before');
  if (how === 'closed') await customer.unit.start();
  await customer.online();
};

/** Every number of calls at once under every break; the runs are judged with those of the row. */
export const playBursts = async (run: Run, row: Row): Promise<void> => {
  for (const how of hows[run.scale])
    for (const count of counts[run.scale]) {
      run.say(`a burst of ${String(count)}, ${how}`);
      await burst(run, row, how, count);
    }
};
