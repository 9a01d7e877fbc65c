/** What every suite measures with: the database, the service's processes, the load generator, and programs of their own. */
import { randomBytes } from 'node:crypto';
import { nodeFlags } from '../../shared/tools/services/compile.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { build } from './build.ts';
import { costOf, type Cost } from './cost.ts';
import { environment, openDatabase, type Database } from './database.ts';
import { startProgram, type Program } from './ipc.ts';
import type { Options } from './options.ts';
import { installPeer, type PeerName } from './peerPackages.ts';
import type { Heard, Measured, Plan } from './plan.ts';
import type { Figure } from './report.ts';

export interface Api extends Program {
  readonly port: number;
}

/** Times as in the options, unless given. */
export type Load = Omit<Plan, 'warmupMs' | 'ms'> & Partial<Pick<Plan, 'warmupMs' | 'ms'>>;

export interface Costed extends Measured {
  /** Microseconds of processor time for each request. */
  readonly cost: Cost;
}

export interface Bench {
  readonly options: Options;
  readonly database: Database;
  /** The environment variables of the service's processes. */
  readonly env: Readonly<Record<string, string>>;
  say(text: string): void;
  /** Starts a program of programs/; it ends with the suite. */
  start(name: string, env?: Readonly<Record<string, string>>, flags?: readonly string[]): Promise<Program>;
  api(env?: Readonly<Record<string, string>>): Promise<Api>;
  /** Returns the folder of a peer's packages; null when it can't be installed here. */
  peer(name: PeerName): Promise<string | null>;
  /** Runs the load generator; fails when an answer isn't 2xx. */
  load(plan: Load): Promise<Measured>;
  /** The same, and what a request cost the process that answered and PostgreSQL. */
  loadCosting(program: Program, plan: Load): Promise<Costed>;
  /** The same, and a subscriber of the stream listens meanwhile. */
  loadHearing(plan: Load, token: string): Promise<Measured & Heard>;
  /** Ends what the suite has started. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface Suite {
  readonly name: string;
  run(bench: Bench): Promise<Figure[]>;
}

export const openBench = async (options: Options): Promise<Bench> => {
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const built = await build();
  const database = await openDatabase(options, say);
  const env = {
    DATABASE_URL: database.url,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    REDIS_PREFIX: `bench-${randomBytes(4).toString('hex')}`,
    // On, and never reached by one token that does the work of many.
    RATE_LIMIT: '100000',
    RATE_BURST: '200000',
    WRITE_BYTES_PER_DAY: '0',
    LIVE_PER_TOKEN: '1000000',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  };
  const started: Program[] = [];
  const start: Bench['start'] = async (name, more = {}, flags = []) => {
    const program = await startProgram(built.program(name), { ...env, ...more }, [...nodeFlags, ...flags]);
    started.push(program);
    return program;
  };
  const ms = options.seconds * 1000;
  const timed = (plan: Load): Plan => ({ warmupMs: ms / 4, ms, ...plan });
  const generator = await startProgram(built.program('load'), {});
  const stopAll = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((program) => program.stop()));
  };
  return {
    options,
    database,
    env,
    say,
    start,
    api: async (more = {}) => {
      const port = await freePort();
      return { ...(await start('api', { ...more, PORT: String(port) }, ['--expose-gc'])), port };
    },
    peer: (name) => installPeer(name, say),
    load: (plan) => generator.call<Measured>('run', timed(plan)),
    loadCosting: async ({ pid }, plan) => {
      const { result, cost } = await costOf(database, [pid], () => generator.call<Measured>('run', timed(plan)));
      return { ...result, cost: { process: cost.process / result.count, postgres: cost.postgres / result.count } };
    },
    loadHearing: (plan, token) =>
      generator.call<Measured & Heard>('runHearing', {
        plan: timed(plan),
        url: `ws://127.0.0.1:${String(plan.port)}/api/env/${environment}/live`,
        token,
      }),
    clear: stopAll,
    close: async () => {
      await stopAll();
      await generator.stop();
      await database.close();
      built.remove();
    },
  };
};

/**
 * Measures all variants in turn, `rounds` times after one that only warms up; returns the results of each in the order
 * of the rounds. A variant that is null, as its packages can't be installed here, has none.
 */
export const inTurn = async <K extends string, R>(
  rounds: number,
  variants: Readonly<Record<K, (() => Promise<R>) | null>>,
): Promise<Record<K, R[]>> => {
  const names = Object.keys(variants) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, R[]>;
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const result = await variants[name]?.();
      if (round > 0 && result !== undefined) results[name].push(result);
    }
  return results;
};
