/** What a page's main thread did in each frame, from a trace of the browser. Used by the suite `console`. */

import { getOrCreate } from '../../../shared/platform/caches.ts';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Processor time, which a busy machine does not lengthen. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export const traceCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline'];

export interface Frames {
  /** Ms of processor time of the main thread, a frame each. */
  readonly work: readonly number[];
  /** The longest single task, in the same. */
  readonly longestTask: number;
}

/** Returns the frames of the page that was busiest; each begins when its script of animation frames runs. */
export const framesOf = (trace: Buffer): Frames => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the browser's own format
  const { traceEvents: events } = JSON.parse(trace.toString('utf8')) as { readonly traceEvents: readonly TraceEvent[] };
  const of = ({ pid, tid }: TraceEvent): string => `${String(pid)}/${String(tid)}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(of),
  );
  const tasks = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (event.ph === 'X' && event.name === 'RunTask' && mains.has(of(event)))
      getOrCreate(tasks, of(event), () => []).push(event);
  }
  const ms = ({ tdur, dur = 0 }: TraceEvent): number => (tdur ?? dur) / 1000;
  const sum = (some: readonly TraceEvent[]): number => some.reduce((all, task) => all + ms(task), 0);
  const [thread, busiest = []] = [...tasks].toSorted(([, a], [, b]) => sum(b) - sum(a))[0] ?? [];
  const starts = events
    .filter((event) => event.name === 'FireAnimationFrame' && of(event) === thread)
    .map(({ ts }) => ts)
    .toSorted((a, b) => a - b);
  const work = starts.slice(1).map(() => 0);
  for (const task of busiest) {
    // A task belongs to the frame in whose time it ended: the one that draws a frame began before its script.
    const end = task.ts + (task.dur ?? 0);
    const after = starts.findIndex((start) => start > end);
    if (after > 0) work[after - 1] = (work[after - 1] ?? 0) + ms(task);
  }
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const within = busiest.filter(({ ts }) => ts >= first && ts <= last);
  return { work, longestTask: Math.max(0, ...within.map(ms)) };
};
