/** A Prometheus with the configuration and the rules of docs/examples/prometheus, which asks processes of a test. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { root } from '../../shared/tools/services/paths.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { start } from '../../shared/tools/services/processes.mjs';
import { findProgram } from '../services/systemPrograms.mjs';
import { until } from './until.ts';

interface Scrapes {
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly static_configs?: readonly { readonly targets: readonly string[] }[];
    readonly dns_sd_configs?: readonly { readonly names: readonly string[]; readonly port: number }[];
  }[];
}

/** Returns the jobs of the printed configuration, with the addresses that each asks. */
export const readScrapeJobs = (): { readonly job: string; readonly targets: readonly string[] }[] =>
  (load(readFileSync(join(root, 'docs/examples/prometheus/prometheus.yaml'), 'utf8')) as Scrapes).scrape_configs.map(
    ({ job_name: job, static_configs: named = [], dns_sd_configs: found = [] }) => ({
      job,
      targets: [
        ...named.flatMap(({ targets }) => targets),
        ...found.flatMap(({ names, port }) => names.map((name) => `${name}:${String(port)}`)),
      ],
    }),
  );

export interface Prometheus {
  readonly origin: string;
  /** Returns `data` of an answer of its API. */
  ask<T>(path: string): Promise<T>;
  stop(): Promise<void>;
}

interface PrometheusOptions {
  /** The addresses at which what the configuration asks is here. */
  readonly at: (target: string) => readonly string[];
  /** As compose.yaml has it. */
  readonly command?: readonly string[];
  readonly host?: string;
  readonly port?: number;
}

/**
 * Starts it with a copy of the folder, in which targets are addresses of this machine, those that it would look up by DNS too, and
 * asks each every second; all else is as printed. Resolves once it is ready.
 */
export const startPrometheus = async ({ at, command = [], host = '127.0.0.1', port: wished }: PrometheusOptions) => {
  const dir = mkdtempSync(join(tmpdir(), 'console-prometheus-'));
  const port = wished ?? (await freePort());
  cpSync(join(root, 'docs/examples/prometheus'), join(dir, 'etc'), { recursive: true });
  mkdirSync(join(dir, 'data'));
  const file = join(dir, 'etc/prometheus.yaml');
  const scrape_configs = readScrapeJobs().map(({ job, targets }) => ({
    job_name: job,
    static_configs: [{ targets: targets.flatMap(at) }],
  }));
  const printed = load(readFileSync(file, 'utf8')) as object;
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  writeFileSync(file, dump({ ...printed, global, scrape_configs }));
  const { command: promtool, env } = await findProgram('promtool');
  const options =
    command.length > 0 ? command : ['--config.file=/etc/prometheus/prometheus.yaml', '--storage.tsdb.path=/prometheus'];
  const child = await start({
    name: 'Prometheus',
    command: [
      promtool.replace(/promtool$/, 'prometheus'),
      ...options.map((option) =>
        option.replace('=/etc/prometheus/', `=${join(dir, 'etc')}/`).replace(/=\/prometheus$/, `=${join(dir, 'data')}`),
      ),
      `--web.listen-address=${host}:${String(port)}`,
      '--log.level=error',
    ],
    env: { ...process.env, ...env },
    cwd: dir,
  });
  const origin = `http://${host}:${String(port)}`;
  const stop = async (): Promise<void> => {
    await child.stop({ signal: 'SIGKILL' });
    rmSync(dir, { recursive: true });
  };
  await until('Prometheus is ready', () =>
    fetch(`${origin}/-/ready`).then(
      ({ ok }) => ok,
      () => {
        if (!child.alive()) throw new Error('Prometheus has ended.');
        return false;
      },
    ),
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const prometheus: Prometheus = {
    origin,
    ask: async <T>(path: string) => ((await (await fetch(origin + path)).json()) as { data: T }).data,
    stop,
  };
  return prometheus;
};

interface Target {
  readonly labels: { readonly job: string; readonly instance: string };
  readonly health: string;
  readonly lastError: string;
}

/** Resolves once it has scraped each of its targets; returns how many each job has. */
export const scrapedTargets = (prometheus: Prometheus): Promise<Record<string, number>> =>
  until(
    'all targets are up',
    async () => {
      const { activeTargets } = await prometheus.ask<{ activeTargets: readonly Target[] }>('/api/v1/targets');
      if (activeTargets.length === 0 || !activeTargets.every(({ health }) => health === 'up')) return false;
      const counts: Record<string, number> = {};
      for (const { labels } of activeTargets) counts[labels.job] = (counts[labels.job] ?? 0) + 1;
      return counts;
    },
    30_000,
  );

/** Returns the names of the rules that it has loaded and evaluated without an error. */
export const evaluatedRules = (prometheus: Prometheus): Promise<string[]> =>
  until('all rules are evaluated', async () => {
    const { groups } = await prometheus.ask<{
      groups: readonly { rules: readonly { name: string; health: string }[] }[];
    }>('/api/v1/rules');
    const rules = groups.flatMap((group) => group.rules);
    return rules.length > 0 && rules.every(({ health }) => health === 'ok') && rules.map(({ name }) => name);
  });
