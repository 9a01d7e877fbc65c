/**
 * Memory and event loops of a site over time: of each process by its inspector, of PostgreSQL's backends, of Redis.
 *
 * The first API and the first worker are kept out of the rolling restarts, so that there is a series over the whole time: in the
 * ten minutes of one that is restarted, 1 MB an hour is a sixth of a megabyte, less than its heap varies by.
 */
import { readFileSync } from 'node:fs';
import { askLine } from '../../shared/tools/services/ports.mjs';
import type { Site } from '../chaos/support/site.ts';
import type { Unit } from '../chaos/support/unit.ts';
import { scrape } from '../support/metrics.ts';
import { memoryOf, type MemoryNow } from './inspector.ts';
import { slopeOf, type Point, type Slope } from './slope.ts';

export interface ProcessGrowth {
  /** Of a process that is restarted each of its lives is one. */
  readonly process: string;
  readonly wholeTime: boolean;
  readonly samples: number;
  readonly rss: Slope;
  readonly heap: Slope;
  readonly loopLongestMs: number;
}

export interface ServerGrowth {
  readonly backends: number;
  /** Of the one that is the largest at each time, without what they share; null where the system does not tell. */
  readonly largestBackend: Slope | null;
  readonly redisUsed: Slope | null;
}

export interface Growth {
  readonly processes: readonly ProcessGrowth[];
  readonly servers: ServerGrowth;
}

interface Sample extends MemoryNow {
  readonly hours: number;
  readonly loopMs: number;
}

const backendsSql = `select pid from pg_stat_activity where backend_type = 'client backend' and usename <> current_user`;

/** Memory in MB of a process's own; null where the system does not tell. */
const anonymousMb = (pid: number): number | null => {
  try {
    const [, kb] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
};

/** Of one process: its longest delay since the last sample, then its memory; the collection's own delay is read away. */
const sampleUnit = async (site: Site, unit: Unit, hours: number): Promise<Sample> => {
  const port = site.probePortOf(unit);
  const delay = (await scrape(port)).value('console_event_loop_delay_max_seconds') ?? 0;
  const memory = await memoryOf(unit.log());
  await scrape(port);
  return { ...memory, hours, loopMs: delay * 1000 };
};

export class GrowthRecorder {
  readonly #site: Site;
  readonly #steady: readonly Unit[];
  readonly #since = performance.now();
  readonly #lives = new Map<string, { readonly unit: Unit; readonly samples: Sample[] }>();
  readonly #backends: { readonly hours: number; readonly mb: ReadonlyMap<number, number> }[] = [];
  readonly #redis: Point[] = [];

  /** `steady`: those that are not restarted. */
  constructor(site: Site, steady: readonly Unit[]) {
    this.#site = site;
    this.#steady = steady;
  }

  async sample(): Promise<void> {
    const hours = (performance.now() - this.#since) / 3_600_000;
    for (const unit of [...this.#site.apis, ...this.#site.workers]) {
      const life = `${unit.name}.${String(unit.starts)}`;
      if (!unit.isUp) continue;
      try {
        const sample = await sampleUnit(this.#site, unit, hours);
        const known = this.#lives.get(life) ?? { unit, samples: [] };
        known.samples.push(sample);
        this.#lives.set(life, known);
      } catch (error) {
        // One that is being restarted answers nobody; the others have to.
        if (this.#steady.includes(unit)) throw error;
      }
    }
    const mb = new Map<number, number>();
    for (const { pid } of await this.#site.sql<{ pid: number }>(backendsSql)) {
      const own = anonymousMb(pid);
      if (own !== null) mb.set(pid, own);
    }
    this.#backends.push({ hours, mb });
    const [, used] = /used_memory:(\d+)/.exec((await askLine(this.#site.redis.port, 'INFO memory\r\n')) ?? '') ?? [];
    if (used !== undefined) this.#redis.push({ hours, mb: Number(used) / 2 ** 20 });
  }

  result(): Growth {
    const processes = [...this.#lives].map(([process, { unit, samples }]): ProcessGrowth => {
      const series = (of: (sample: Sample) => number): Slope =>
        slopeOf(samples.map((sample) => ({ hours: sample.hours, mb: of(sample) })));
      return {
        process,
        wholeTime: this.#steady.includes(unit),
        samples: samples.length,
        rss: series(({ rssMb }) => rssMb),
        heap: series(({ heapMb }) => heapMb),
        loopLongestMs: Math.round(Math.max(...samples.map(({ loopMs }) => loopMs))),
      };
    });
    return { processes, servers: this.#servers() };
  }

  #servers(): ServerGrowth {
    // A connection is replaced from time to time: what has to stay as it is, is the largest of them.
    const largest = this.#backends
      .filter(({ mb }) => mb.size > 0)
      .map(({ hours, mb }): Point => ({ hours, mb: Math.max(...mb.values()) }));
    return {
      backends: this.#backends.at(-1)?.mb.size ?? 0,
      largestBackend: largest.length > 0 ? slopeOf(largest) : null,
      redisUsed: this.#redis.length > 0 ? slopeOf(this.#redis) : null,
    };
  }
}
