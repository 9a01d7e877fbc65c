/** Runs as invariants judge them: what the service reports of each, against what the app wrote down that it did. */
import { until } from '../../support/until.ts';
import type { Client } from './client.ts';
import type { AppLine } from './customer.ts';
import { auditOf, listRuns, timelineOf, type Json } from './oracle.ts';
import type { Run } from './run.ts';

const open = new Set(['pending', 'queued', 'running']);

/** All runs of an environment by id, once each has ended. */
export const endedRuns = async (client: Client, ms: number): Promise<Map<string, Json>> => {
  let left = '';
  try {
    return await until(
      'every run has ended',
      async () => {
        const runs = await listRuns(client);
        const unfinished = runs.filter(({ status }) => open.has(status as string));
        left = unfinished
          .slice(0, 3)
          .map((run) => JSON.stringify(run))
          .join('\n');
        return unfinished.length === 0 && new Map(runs.map((run): [string, Json] => [run.id as string, run]));
      },
      ms,
    );
  } catch {
    throw new Error(`After ${String(ms)} ms runs have not ended, e.g.\n${left}`);
  }
};

/** How often each run had its effect. */
export const effectsOf = (lines: readonly AppLine[]): Map<string, number> => {
  const effects = new Map<string, number>();
  for (const { kind, run } of lines) if (kind === 'effect') effects.set(run, (effects.get(run) ?? 0) + 1);
  return effects;
};

export const isRepeatable = ({ action }: Json): boolean => String(action).endsWith('Again');

/**
 * What holds of every run whatever happened: one that may not be repeated acted at most once, and what is said to have
 * succeeded has acted.
 */
export const judgeOnce = (run: Run, runs: ReadonlyMap<string, Json>, effects: ReadonlyMap<string, number>): void => {
  for (const [id, found] of runs) {
    const times = effects.get(id) ?? 0;
    const said = `${String(found.action)} ${id} is ${String(found.status)} (${String(found.error)}) and acted ${String(times)} times`;
    if (!isRepeatable(found)) run.expect(times <= 1, said);
    if (found.status === 'succeeded') run.expect(times >= 1, said);
    else if (found.status !== 'unknown') run.expect(times === 0, said);
    if (found.status === 'unknown') run.expect(!isRepeatable(found), said);
  }
  for (const id of effects.keys()) run.expect(runs.has(id), `${id} acted and is not listed`);
};

/** Checks that every run that a response named is there, and no other of these clients. */
export const judgeKept = (run: Run, runs: ReadonlyMap<string, Json>, acknowledged: ReadonlySet<string>): void => {
  for (const id of acknowledged) run.expect(runs.has(id), `${id} was accepted and is not listed`);
  for (const id of runs.keys()) run.expect(acknowledged.has(id), `${id} is listed and nobody was told of it`);
};

const endVerbs: Readonly<Record<string, string>> = {
  succeeded: 'action.succeed',
  failed: 'action.fail',
  unknown: 'action.lose',
  expired: 'action.expire',
  cancelled: 'action.cancel',
};

/** 18: one entry for the call, one for the end; an end that was unknown at first may have become known. */
export const judgeAudit = async (run: Run, client: Client, runs: ReadonlyMap<string, Json>): Promise<void> => {
  const verbs = new Map<string, string[]>();
  for (const { target, verb, outcome, actor } of await auditOf(client)) {
    if (target?.type !== 'run' || outcome === 'denied') continue;
    verbs.set(target.id as string, [...(verbs.get(target.id as string) ?? []), verb as string]);
    run.expect(
      verb === 'action.cancel' || actor.id === runs.get(target.id as string)?.by.id,
      `${String(verb)} of ${String(target.id)} is audited under ${String(actor.name)}`,
    );
  }
  for (const [id, { status }] of runs) {
    const found = (verbs.get(id) ?? []).sort().filter((verb) => verb !== 'action.retry');
    const expected = ['action.run', endVerbs[status as string] ?? ''].sort();
    const late = ['action.lose', 'action.run', 'action.succeed'];
    const fits = found.join() === expected.join() || (status === 'succeeded' && found.join() === late.join());
    run.expect(fits, `audit (18): the ${String(status)} run ${id} has ${found.join(', ')}`);
  }
};

/** The timeline of an item has one entry for each of its runs, with the status that the run has. */
export const judgeTimeline = async (
  run: Run,
  client: Client,
  item: string,
  runs: ReadonlyMap<string, Json>,
): Promise<void> => {
  const shown = new Map<string, string[]>();
  for (const { type, data } of await timelineOf(client, item)) {
    if (type === 'action')
      shown.set(data.run as string, [...(shown.get(data.run as string) ?? []), data.status as string]);
  }
  for (const [id, found] of runs) {
    if (found.item !== item) continue;
    const statuses = shown.get(id) ?? [];
    run.expect(
      statuses.join() === found.status,
      `the timeline shows the ${String(found.status)} run ${id} as ${statuses.join(', ') || 'nothing'}`,
    );
  }
};

/** What a stream reported of runs: how often each ended, and its last status. */
export class HeardRuns {
  readonly last = new Map<string, string>();
  readonly ends = new Map<string, number>();

  readonly hear = (message: Json): void => {
    if (message.type !== 'run') return;
    const { id, status } = message.run as { id: string; status: string };
    this.last.set(id, status);
    if (!open.has(status)) this.ends.set(id, (this.ends.get(id) ?? 0) + 1);
  };

  async judge(run: Run, runs: ReadonlyMap<string, Json>): Promise<void> {
    const caught = (): boolean => [...runs].every(([id, { status }]) => this.last.get(id) === status);
    await until('the stream has told of every end', caught, 15_000).catch(() => undefined);
    for (const [id, { status }] of runs) {
      run.expect(
        this.last.get(id) === status,
        `the stream told last of the ${String(status)} run ${id} as ${String(this.last.get(id))}`,
      );
      const ends = this.ends.get(id) ?? 0;
      run.expect(
        ends === 1 || (ends === 2 && status === 'succeeded'),
        `the stream told ${String(ends)} times that ${id} has ended`,
      );
    }
  }
}
