/** Figures that several metrics show and that have to be asked for: read when they are asked for, rarely, once for all who ask. */
import { type Registry, Gauge } from 'prom-client';
import { resolveWithin } from '../time/clock.ts';

/** The owner of figures of the whole database in the pool of reads. */
export const figuresOwner = 'figures';
/** ms for which figures answer all who ask, however many scrape the process. */
const keepMs = 5_000;
/** ms after which figures are unknown: below the time-out of a scrape, 10 s, with room for others. */
const readMs = 1_500;

/** Returns the result, or null when it fails or does not come within `ms`. */
export const within = <T>(ms: number, work: Promise<T>): Promise<T | null> =>
  resolveWithin(ms, work, null).catch(() => null);

/** Returns a function that runs `read`; while a call of it has no answer, another one gets the same. */
export const shared = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | null = null;
  return () =>
    (running ??= read().finally(() => {
      running = null;
    }));
};

/** Returns a function that returns what `read` does, at most 5 s old; null when it fails or takes too long. */
export const createFigures = <T>(read: () => Promise<T>): (() => Promise<T | null>) => {
  const readOnce = shared(read);
  let last: { readonly figures: T | null; readonly at: number } | null = null;
  const renew = shared(async () => {
    const at = performance.now();
    const figures = await within(readMs, readOnce());
    last = { figures, at };
    return figures;
  });
  return async () => (last !== null && performance.now() - last.at <= keepMs ? last.figures : renew());
};

interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A gauge that shows a part of the figures. */
interface FigureGauge<T> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly samples: (figures: T) => readonly Sample[];
}

/** Adds gauges to a registry, which read the figures when they are scraped; what is unknown has no sample. */
export const addFigureGauges = <T>(
  registry: Registry,
  read: () => Promise<T | null>,
  gauges: readonly FigureGauge<T>[],
): void => {
  for (const { name, help, labelNames = [], samples } of gauges)
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await read();
        this.reset();
        // A gauge without labels would show 0.
        if (labelNames.length === 0) this.remove();
        for (const { value, labels = {} } of figures === null ? [] : samples(figures)) this.set({ ...labels }, value);
      },
    });
};
