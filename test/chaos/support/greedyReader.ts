/**
 * One who asks for the worst reads, 200 at once, over and over, in a process of its own, so that its requests cost the one who
 * measures nothing. Started by invariants/worstReads.ts.
 */
import { answerCalls } from '../../bench/ipc.ts';
import { pause } from './pause.ts';
import { send } from './send.ts';

/** Deep counts, rare words, filters that match little or everything, the audit log. */
const worst: readonly string[] = [
  '/items?count=1&search=a',
  '/items?count=1&search=refund%20order',
  '/items?count=1',
  '/items?search=zzzz&sort=lastSeen',
  '/items?tags=once-in-a-while&sort=due',
  '/items?tags=seldom&state=closed&sort=-occurrences',
  '/items?assignee=none&overdue=1&sort=title&count=1',
  '/audit?verb=item.snooze',
  '/audit?actor=agt_00000000000000000000000000',
  '/audit?from=1&to=2',
  '/resources/customer?q=a',
  '/resources/customer/list?limit=200',
];
const atOnce = 200;

/** Answered, stopped as too broad, or put off. */
const expected: readonly number[] = [200, 422, 429];

export interface GreedyReads {
  /** Of an environment. */
  readonly base: string;
  readonly token: string;
}

export interface GreedyAnswers {
  readonly byStatus: Readonly<Record<number, number>>;
  readonly unexpected: readonly string[];
}

let over = false;
let asking: Promise<unknown> = Promise.resolve();
let byStatus: Record<number, number> = {};
let unexpected: string[] = [];

const ask = async ({ base, token }: GreedyReads, first: number): Promise<void> => {
  for (let n = first; !over; n += 7) {
    const path = worst[n % worst.length] ?? '';
    const { status, text } = await send({ method: 'GET', url: `${base}${path}`, token });
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (!expected.includes(status)) unexpected.push(`${path} answered ${String(status)} ${text.slice(0, 200)}`);
    // As a client does that is told to come again.
    if (status === 429) await pause(50);
  }
};

answerCalls({
  begin: (reads: GreedyReads): void => {
    over = false;
    byStatus = {};
    unexpected = [];
    asking = Promise.all(Array.from({ length: atOnce }, (_, n) => ask(reads, n)));
  },
  end: async (): Promise<GreedyAnswers> => {
    over = true;
    await asking;
    return { byStatus, unexpected };
  },
});
