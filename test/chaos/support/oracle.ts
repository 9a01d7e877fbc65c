/** The records that a run is judged by, read as a customer reads them: lists, timelines and the audit log over HTTP. */
import type { Client } from './client.ts';
import type { Journal, Written } from './journal.ts';

// Items and entries are read by invariants that state what they expect of them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** Every page of a list, of each thing what `keep` returns. */
const allPages = async (
  client: Client,
  path: string,
  plural: string,
  keep: (thing: Json) => Json = (thing: Json): Json => thing,
): Promise<Json[]> => {
  const all: Json[] = [];
  let cursor: string | null = null;
  do {
    const { status, body, text } = await client.get(
      `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status !== 200) throw new Error(`GET ${path} answered ${String(status)} ${text.slice(0, 300)}`);
    for (const thing of body[plural] as Json[]) all.push(keep(thing));
    cursor = body.cursor as string | null;
  } while (cursor !== null);
  return all;
};

export const listItems = (client: Client, query = ''): Promise<Json[]> =>
  allPages(client, `/items${query === '' ? '' : `?${query}`}`, 'items');
export const timelineOf = (client: Client, item: string): Promise<Json[]> =>
  allPages(client, `/items/${item}/timeline`, 'entries');
export const occurrencesOf = (client: Client, item: string): Promise<Json[]> =>
  allPages(client, `/items/${item}/occurrences`, 'occurrences');
export const listRuns = (client: Client, query = ''): Promise<Json[]> =>
  allPages(client, `/runs${query === '' ? '' : `?${query}`}`, 'runs');
export const auditOf = (client: Client, query = ''): Promise<Json[]> =>
  allPages(client, `/audit${query === '' ? '' : `?${query}`}`, 'entries');

/** The audit log of the whole environment, of each entry what `auditDifferences` looks at. */
export const auditGist = (client: Client): Promise<Json[]> =>
  allPages(client, '/audit', 'entries', ({ outcome, verb, requestId, target, actor }: Json) => ({
    outcome,
    verb,
    requestId,
    target: { id: target?.id },
    actor: { id: actor?.id },
  }));

/** Does `work` for each, `atOnce` at a time. */
export const each = async <T>(
  list: readonly T[],
  atOnce: number,
  work: (value: T, n: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < list.length) {
      const n = next;
      next += 1;
      await work(list[n] as T, n);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
};

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^\/items$/, 'item.create'],
  [/^\/items\/[^/]+\/notes$/, 'item.note'],
  [/^\/items\/[^/]+\/(state|assign|tags|snooze|reply|triage)$/, 'item.$1'],
  [/^\/bulk$/, 'bulk.create'],
  [/^\/actions$/, 'action.run'],
  [/^\/runs\/[^/]+\/(cancel|retry)$/, 'action.$1'],
];

const verbOf = ({ path, status }: Written): string | null => {
  for (const [form, verb] of verbs) {
    const match = form.exec(path);
    if (match !== null)
      return verb === 'item.create' && status === 200 ? 'item.occur' : verb.replace('$1', match[1] ?? '');
  }
  return null;
};

const targetOf = ({ promised: { bulk, run, item } }: Written): string =>
  String(bulk?.id ?? (typeof run === 'object' ? run.id : run) ?? item?.id);

/** How a run ended is audited under the request that started it, when no client waits any more: runs.ts checks that. */
const ends = new Set(['action.succeed', 'action.fail', 'action.lose', 'action.expire']);

/**
 * Compares the writes that were answered 2xx with the audit log of the whole environment, both ways; answers what
 * differs. What a bulk does to each item is audited under the bulk's own request id.
 */
export const auditDifferences = (journal: Journal, entries: readonly Json[]): string[] => {
  const differences: string[] = [];
  const byRequest = new Map<string, Json[]>();
  for (const entry of entries) {
    if (entry.outcome !== 'ok' || ends.has(entry.verb as string) || !String(entry.requestId).startsWith('chaos-'))
      continue;
    const known = byRequest.get(entry.requestId as string) ?? [];
    known.push(entry);
    byRequest.set(entry.requestId as string, known);
  }
  // Calls with one key are one write.
  for (const written of new Map(journal.writes.map((each) => [each.requestId, each])).values()) {
    const found = byRequest.get(written.requestId) ?? [];
    byRequest.delete(written.requestId);
    const verb = verbOf(written);
    const own = found.filter((entry) => entry.verb === verb && entry.target.id === targetOf(written));
    const expected = written.promised.changed === false ? 0 : 1;
    if (own.length !== expected)
      differences.push(
        `${written.path} (${written.requestId}): ${String(own.length)} audit entries instead of ${String(expected)}`,
      );
    if (found.some((entry) => entry.actor.id !== written.principal))
      differences.push(`${written.path}: audited under another principal`);
    if (new Set(found.map((entry) => entry.target.id as string)).size < found.length)
      differences.push(`${written.path} (${written.requestId}): two audit entries of one target`);
    if (verb !== 'bulk.create' && found.length > own.length)
      differences.push(`${written.path}: audited as ${found.map((entry) => String(entry.verb)).join(', ')}`);
  }
  for (const [request, found] of byRequest)
    differences.push(
      `${request}: audited as ${found.map((entry) => String(entry.verb)).join(', ')} without a 2xx answer`,
    );
  return differences;
};
