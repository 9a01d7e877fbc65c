/**
 * Batches an app's reports. Of one key the first is written at once, and those that follow within `limits.reportWindowMs`
 * become one change, so that thousands a second make few versions; changes of different keys share a statement. The queue
 * is in memory: report.ts answers a report when it is committed.
 */
import { limits } from '../../catalogue/limits.ts';
import { sleep } from '../../platform/time/clock.ts';

/** Changes of one statement; larger ones lock their items noticeably long. */
const batchMax = 100;
/** Statements at a time: two keep PostgreSQL busy and leave connections to other requests. */
const writersMax = 2;
/** Reports of one change, and bytes of what they brought; further ones wait for the next. */
const groupMax = 5_000;
const groupBytesMax = 1024 * 1024;
/** Bytes of what the reports of one statement brought, beyond its first change. */
const batchBytesMax = 2 * groupBytesMax;

interface PendingReport<R, A> {
  readonly report: R;
  resolve(answer: A): void;
  reject(error: Error): void;
}

/** Reports that become one change, and the callback for its end. */
interface Task<R, A> {
  readonly reports: readonly PendingReport<R, A>[];
  readonly bytes: number;
  ended(): void;
}

/** Removes and returns the first of the list, at most `max` of together at most `bytesMax` bytes, and at least one. */
const takeUpTo = <T>(
  list: T[],
  bytesOf: (one: T) => number,
  { max, bytesMax }: { readonly max: number; readonly bytesMax: number },
): T[] => {
  let bytes = 0;
  const end = list.findIndex((one, i) => {
    bytes += bytesOf(one);
    return i === max || (i > 0 && bytes > bytesMax);
  });
  return list.splice(0, end < 0 ? list.length : end);
};

/** Writes changes, each made of reports of one key, and returns a result or an error per report. Never rejects. */
type WriteAll<R, A> = (changes: readonly (readonly R[])[]) => Promise<(A | Error)[][]>;

export interface ReportQueue<R, A> {
  /** Resolves when the report's effect is committed. `key` null: the report creates an item. */
  add(report: R, key: string | null): Promise<A>;
}

/** Returns a queue; `bytesOf` is the size of what a report brought. */
export const createReportQueue = <R, A>(
  writeAll: WriteAll<R, A>,
  bytesOf: (report: R) => number,
): ReportQueue<R, A> => {
  const queue: Task<R, A>[] = [];
  const groups = new Map<string, PendingReport<R, A>[]>();
  let writers = 0;

  const writeSome = async (tasks: readonly Task<R, A>[]): Promise<void> => {
    const answers = await writeAll(tasks.map(({ reports }) => reports.map(({ report }) => report)));
    tasks.forEach(({ reports, ended }, i) => {
      reports.forEach((waiting, j) => {
        const answer = answers[i]?.[j] ?? new Error('A report was left without an answer.');
        if (answer instanceof Error) waiting.reject(answer);
        else waiting.resolve(answer);
      });
      ended();
    });
  };
  const writer = async (): Promise<void> => {
    writers += 1;
    while (queue.length > 0)
      await writeSome(takeUpTo(queue, ({ bytes }) => bytes, { max: batchMax, bytesMax: batchBytesMax }));
    writers -= 1;
  };
  const write = (reports: readonly PendingReport<R, A>[]): Promise<void> =>
    new Promise((ended) => {
      queue.push({ reports, bytes: reports.reduce((sum, { report }) => sum + bytesOf(report), 0), ended });
      // After this turn of the event loop, so that reports of one frame, or of many sockets at once, share a statement.
      if (writers < writersMax)
        setImmediate(() => void (writers < writersMax && queue.length > 0 ? writer() : undefined));
    });
  const follow = async (key: string, group: PendingReport<R, A>[]): Promise<void> => {
    while (group.length > 0) {
      const window = sleep(limits.reportWindowMs);
      await write(takeUpTo(group, ({ report }) => bytesOf(report), { max: groupMax, bytesMax: groupBytesMax }));
      await window;
    }
    groups.delete(key);
  };

  return {
    add: (report, key) =>
      new Promise((resolve, reject) => {
        const waiting = { report, resolve, reject };
        if (key === null) {
          void write([waiting]);
          return;
        }
        const known = groups.get(key);
        if (known !== undefined) {
          known.push(waiting);
          return;
        }
        const group = [waiting];
        groups.set(key, group);
        void follow(key, group);
      }),
  };
};
