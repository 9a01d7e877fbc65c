/** What can happen to a site: each fault ends by itself, with everything running again. */
import { askLine } from '../../../shared/tools/services/ports.mjs';
import type { Random } from '../../support/random.ts';
import { pause } from './pause.ts';
import type { Site } from './site.ts';
import type { Unit } from './unit.ts';

export const faultKinds = [
  'killWorker',
  'freezeWorker',
  'freezePublisher',
  'killApi',
  'freezeApi',
  'restartRedis',
  'flushRedis',
  'cutPubSub',
  'crashPostgres',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** ms after the plan's begin. */
  readonly atMs: number;
  readonly kind: FaultKind;
  /** How long a freeze or an outage lasts; 0 for the others. */
  readonly forMs: number;
}

/** One thing at a time happens to a process or a server; faults of different ones overlap. */
const locks = new WeakMap<object, Promise<void>>();
const exclusively = async (thing: object, work: () => Promise<void>): Promise<void> => {
  const before = locks.get(thing) ?? Promise.resolve();
  const mine = before.then(work, work);
  locks.set(
    thing,
    mine.then(
      () => undefined,
      () => undefined,
    ),
  );
  await mine;
};

const victim = (units: readonly Unit[], random: Random): Unit => {
  const running = units.filter((unit) => unit.isUp && !unit.frozen);
  return random.pick(running.length > 0 ? running : units);
};

export const killUnit = (unit: Unit): Promise<void> =>
  exclusively(unit, async () => {
    await unit.kill();
    await unit.start();
  });

export const freezeUnit = (unit: Unit, ms: number): Promise<void> =>
  exclusively(unit, async () => {
    unit.freeze();
    await pause(ms);
    unit.thaw();
  });

/** Redis gone for so long, or until what is waited for comes: killed, as `stop` would let it say good-bye. */
export const redisOutage = ({ redis }: Site, last: number | (() => Promise<unknown>)): Promise<void> =>
  exclusively(redis, async () => {
    await redis.kill();
    await (typeof last === 'number' ? pause(last) : last());
    await redis.restart();
  });

export const postgresOutage = ({ postgres }: Site, ms: number): Promise<void> =>
  exclusively(postgres, async () => {
    await postgres.stop('immediate');
    await pause(ms);
    await postgres.restart();
  });

export const flushRedis = ({ redis }: Site): Promise<void> =>
  exclusively(redis, async () => void (await askLine(redis.port, 'FLUSHALL\r\n')));

export const cutPubSub = ({ redis }: Site): Promise<void> =>
  exclusively(redis, async () => void (await askLine(redis.port, 'CLIENT KILL TYPE pubsub\r\n')));

/** A worker that publishes: lease holders are named after host and process id. */
export const publisherOf = async (site: Site): Promise<Unit | undefined> => {
  const [row] = await site.sql<{ holder: string }>("select holder from leases where name like 'publisher %' limit 1");
  return site.workers.find(({ pid }) => row?.holder.includes(`-${String(pid)}-`));
};

const happen = async (site: Site, random: Random, { kind, forMs }: Fault): Promise<void> => {
  switch (kind) {
    case 'killWorker':
      return killUnit(victim(site.workers, random));
    case 'killApi':
      return killUnit(victim(site.apis, random));
    case 'freezeApi':
      return freezeUnit(victim(site.apis, random), forMs);
    case 'freezeWorker':
      return freezeUnit(victim(site.workers, random), forMs);
    case 'freezePublisher':
      return freezeUnit((await publisherOf(site)) ?? victim(site.workers, random), forMs);
    case 'restartRedis':
      return redisOutage(site, forMs);
    case 'crashPostgres':
      return postgresOutage(site, forMs);
    case 'flushRedis':
      return flushRedis(site);
    case 'cutPubSub':
      return cutPubSub(site);
  }
};

export type Amounts = { readonly [K in FaultKind]?: readonly number[] | number };

/** The faults of a plan, spread over `overMs`: a number is how many, a list how long each of them lasts in ms. */
export const planFaults = (random: Random, amounts: Amounts, overMs: number): Fault[] =>
  Object.entries(amounts)
    .flatMap(([kind, amount]) =>
      (typeof amount === 'number' ? Array.from({ length: amount }, () => 0) : amount).map((forMs) => ({
        kind: kind as FaultKind,
        forMs,
      })),
    )
    .map(({ kind, forMs }) => ({ kind, forMs, atMs: random.int(0, Math.max(0, overMs - forMs)) }))
    .sort((a, b) => a.atMs - b.atMs);

/** Executes a plan; resolves when everything that it broke runs again. */
export const playFaults = async (
  site: Site,
  random: Random,
  faults: readonly Fault[],
  tell: (fault: Fault) => void,
): Promise<void> => {
  const since = Date.now();
  const under: Promise<void>[] = [];
  for (const fault of faults) {
    await pause(fault.atMs - (Date.now() - since));
    tell(fault);
    const happening = happen(site, random, fault);
    // Looked at below: one that failed must not end the process before.
    happening.catch(() => undefined);
    under.push(happening);
  }
  await Promise.all(under);
};
