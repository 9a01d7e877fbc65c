/** A customer's app as invariants use it: a process on a wire of its own, with a log of what it received and did. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { pause } from './pause.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';
import { Unit } from './unit.ts';
import { openWire, type Wire } from './wire.ts';

/** A line of the app's log: it was given a run, it acted, its answer has left. */
export interface AppLine {
  readonly kind: 'received' | 'effect' | 'answered';
  readonly run: string;
  readonly mark: string | null;
  readonly attempt: number;
  readonly action: string;
  readonly record: string | null;
  readonly at: number;
  readonly pid: number;
}

/** Presence that was read may be cached for a second. */
const believedMs = 1_200;

const present =
  'select from app_connections c join environments e on e.id = c.env where e.name = $1 and c.seen_at > (extract(epoch from clock_timestamp()) * 1000)::bigint - 15000';

export class Customer {
  readonly wire: Wire;
  readonly unit: Unit;
  readonly #site: Site;
  readonly #env: string;
  readonly #dir: string;

  private constructor(
    site: Site,
    env: string,
    parts: { readonly wire: Wire; readonly unit: Unit; readonly dir: string },
  ) {
    this.#site = site;
    this.#env = env;
    this.wire = parts.wire;
    this.unit = parts.unit;
    this.#dir = parts.dir;
  }

  /** Starts the app of an environment; its wire leads to the first of `apis` (the site's) that is up. Resolves once it is online. */
  static async open(
    site: Site,
    stage: Stage,
    { records = 0, apis = site.apis }: { readonly records?: number; readonly apis?: readonly Unit[] } = {},
  ): Promise<Customer> {
    const { env } = stage;
    const dir = join(site.dir, `app-${env}`);
    mkdirSync(dir, { recursive: true });
    const portOf = (base: string): number => Number(new URL(base).port);
    const wire = await openWire(() =>
      [...apis.filter(({ isUp, frozen }) => isUp && !frozen), ...apis].map((api) => portOf(site.baseOf(api, env))),
    );
    const variables = {
      ...process.env,
      BASE_URL: `http://127.0.0.1:${String(wire.port)}/api/env/${env}`,
      APP_KEY: await stage.appKey(),
      APP_DIR: dir,
      APP_RECORDS: String(records),
    };
    const unit = new Unit({ kind: 'app', name: `app-${env}`, env: variables, log: join(dir, 'output') });
    const customer = new Customer(site, env, { wire, unit, dir });
    await unit.start();
    await customer.online();
    await until('its records are stored', () => unit.log().includes('pushed'), 30_000);
    return customer;
  }

  /** All that it has written so far, by whichever of its processes. */
  lines(): AppLine[] {
    const path = join(this.#dir, 'log');
    if (!existsSync(path)) return [];
    // A line that a kill tore is no line.
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AppLine);
  }

  /** Lets runs of `cell` through that stand at a gate. */
  pass(cell: string, gate: 'before' | 'after'): void {
    writeFileSync(join(this.#dir, `${cell}-${gate}`), '');
  }

  /** Waits until `count` runs have such a line, among those whose mark begins with `cell`. */
  async reached(cell: string, kind: AppLine['kind'], count: number): Promise<AppLine[]> {
    const find = (): AppLine[] => [
      ...new Map(
        this.lines()
          .filter((line) => line.kind === kind && line.mark?.startsWith(`${cell}:`) === true)
          .map((line) => [line.run, line]),
      ).values(),
    ];
    try {
      return await until('runs have come so far', () => (find().length >= count ? find() : null), 20_000);
    } catch {
      throw new Error(`${cell}: ${String(find().length)} of ${String(count)} runs are ${kind}`);
    }
  }

  async online(): Promise<void> {
    this.wire.accept();
    await until('the app is online', async () => (await this.#site.sql(present, [this.#env])).length > 0, 30_000);
  }

  /** Resolves when every process knows. */
  async offline(): Promise<void> {
    this.wire.refuse();
    await until('the app is offline', async () => (await this.#site.sql(present, [this.#env])).length === 0, 30_000);
    await pause(believedMs);
  }

  async close(): Promise<void> {
    await this.unit.kill();
    await this.wire.close();
  }
}
