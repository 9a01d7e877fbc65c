/** What one run of an invariant is given and leaves behind: its sizes, what it measured, and what did not hold. */
import { patience } from '../../support/patience.ts';
import { newRandom, type Random } from '../../support/random.ts';
import type { FaultKind } from './faults.ts';
import type { Site, SiteOptions } from './site.ts';
import type { Stage } from './stage.ts';

export type Scale = 'short' | 'long';

export interface Invariant {
  /** As in the list of promises. */
  readonly number: number;
  /** Of one that runs only when it is asked for by this name or its number, as it needs programs that not every system has. */
  readonly name?: string;
  /** The promise, as the test's title states it. */
  readonly title: string;
  /** The least that it needs; it may be given a site with more. */
  readonly site: Readonly<Record<Scale, SiteOptions>>;
  readonly run: (run: Run, site: Site) => Promise<void>;
}

export interface Finding {
  readonly invariant: number;
  readonly title: string;
  readonly seed: number;
  readonly scale: Scale;
  readonly seconds: number;
  readonly sizes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly measures: Readonly<Record<string, number | string>>;
  /** Empty: the invariant is satisfied. */
  readonly problems: readonly string[];
}

/** Faults that are no part of a plan. */
type OtherFault =
  | 'killEverything'
  | 'revoke'
  | 'terminate'
  | 'killApp'
  | 'cutApp'
  | 'killPrimary'
  | 'freezePrimary'
  | 'cutOffPrimary'
  | 'loseCommits'
  | 'destroyData'
  | 'putSnapshotBack';

/** As many problems are kept of one run; the rest are of the same kind. */
const problemsMax = 20;

export interface RunOptions {
  readonly scale: Scale;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export class Run {
  readonly invariant: Invariant;
  readonly scale: Scale;
  readonly seed: number;
  readonly random: Random;
  readonly #say: (line: string) => void;
  readonly #since = performance.now();
  readonly #sizes: Record<string, number> = {};
  readonly #faults: Record<string, number> = {};
  readonly #measures: Record<string, number | string> = {};
  readonly #problems: string[] = [];
  readonly #stages: Stage[] = [];
  #failures = 0;

  constructor(invariant: Invariant, { scale, seed, say }: RunOptions) {
    this.invariant = invariant;
    this.scale = scale;
    this.seed = seed;
    this.random = newRandom(seed).fork(String(invariant.number));
    this.#say = (line) => {
      say(`${String(invariant.number)}: ${line}`);
    };
  }

  /** An environment of its own, whose journal is compared with its audit log when the run is over. */
  async stage(site: Site, name: string): Promise<Stage> {
    const stage = await site.stage(name);
    this.#stages.push(stage);
    return stage;
  }

  get stages(): readonly Stage[] {
    return this.#stages;
  }

  /** A size by scale, noted for the report. */
  size(name: string, sizes: Readonly<Record<Scale, number>>): number {
    const size = sizes[this.scale];
    this.#sizes[name] = size;
    return size;
  }

  say(line: string): void {
    this.#say(line);
  }

  readonly tell = ({ kind, forMs }: { readonly kind: FaultKind | OtherFault; readonly forMs: number }): void => {
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    this.#say(`${kind}${forMs > 0 ? ` for ${String(forMs)} ms` : ''}`);
  };

  measure(name: string, value: number | string): void {
    this.#measures[name] = typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  }

  /** Keeps the greatest. */
  worst(name: string, value: number): void {
    this.measure(name, Math.max(Number(this.#measures[name] ?? 0), value));
  }

  /** How many things did not hold. */
  get problems(): number {
    return this.#failures;
  }

  /** The run goes on after a violation: all problems together show more than the first one. */
  expect(holds: boolean, sentence: string): void {
    if (!holds) this.problem(sentence);
  }

  /** Whether something took at most so many ms, or what they become while other tests share the processors. */
  expectWithin(ms: number, mostMs: number, sentence: string): void {
    this.expect(ms <= mostMs * patience, sentence);
  }

  problem(sentence: string): void {
    this.#failures += 1;
    if (this.#failures <= problemsMax) {
      this.#problems.push(sentence);
      this.#say(`DOES NOT HOLD: ${sentence}`);
    }
  }

  finding(): Finding {
    const { number, title } = this.invariant;
    const more = this.#failures > problemsMax ? [`and ${String(this.#failures - problemsMax)} more`] : [];
    return {
      invariant: number,
      title,
      seed: this.seed,
      scale: this.scale,
      seconds: Math.round((performance.now() - this.#since) / 100) / 10,
      sizes: this.#sizes,
      faults: this.#faults,
      measures: this.#measures,
      problems: [...this.#problems, ...more],
    };
  }
}
