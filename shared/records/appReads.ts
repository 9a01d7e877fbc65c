/** Records that the customer's app serves: each read is a call over the link, and its answer is checked before it is used. */
import { isObject } from '../platform/core/guard.ts';
import { fault, type Fault } from '../catalogue/errors.ts';
import type { AppLink, CallOutcome } from '../applink/link.ts';
import { linkLimits, type ServiceCalls, type ServiceMethod } from '../applink/protocol.ts';
import { recordProblems, wholeRecord } from './given.ts';
import type { FullRecord } from './queries.ts';

/** Why a read brought no answer. What the app says of its own error is for its logs, not for callers. */
export const readFault = (outcome: Exclude<CallOutcome<unknown>, { kind: 'answer' }>): Fault => {
  // A connection that broke under the call has gone: nobody is late.
  if (outcome.kind === 'offline' || outcome.kind === 'lost') return fault('app_offline');
  return outcome.kind === 'timeout' ? fault('app_timeout') : fault('app_error');
};

const callApp = async <M extends ServiceMethod>(link: AppLink, env: number, method: M, params: ServiceCalls[M]['params'], resource: string): Promise<Readonly<Record<string, unknown>>> => {
  const outcome = await link.call(env, method, params, { declares: { kind: 'resource', name: resource }, timeoutMs: linkLimits.readMs });
  if (outcome.kind !== 'answer') throw readFault(outcome);
  const result: unknown = outcome.result;
  if (!isObject(result)) throw fault('app_error');
  return result;
};

/** Records of an answer; one that isn't valid, or more than were asked for, make the whole answer invalid. */
const recordsOf = (result: Readonly<Record<string, unknown>>, resource: string, most: number): FullRecord[] => {
  const { records } = result;
  if (!Array.isArray(records) || records.length > most || records.some((record) => recordProblems(record).length > 0)) throw fault('app_error');
  return (records as Parameters<typeof wholeRecord>[1][]).map((record) => wholeRecord(resource, record));
};

/** The app's own cursor has to fit into one of ours. */
const cursorMax = 2_000;

const cursorOf = ({ cursor }: Readonly<Record<string, unknown>>): string | null => {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > cursorMax || !cursor.isWellFormed()) throw fault('app_error');
  return cursor;
};

export interface AppPage {
  readonly records: readonly FullRecord[];
  /** The app's own. */
  readonly cursor: string | null;
}

export const searchApp = async (link: AppLink, env: number, params: ServiceCalls['records.search']['params']): Promise<FullRecord[]> =>
  recordsOf(await callApp(link, env, 'records.search', params, params.resource), params.resource, params.limit);

export const listApp = async (link: AppLink, env: number, params: ServiceCalls['records.list']['params']): Promise<AppPage> => {
  const result = await callApp(link, env, 'records.list', params, params.resource);
  return { records: recordsOf(result, params.resource, params.limit), cursor: cursorOf(result) };
};

/** Those of `ids` that the app has; what it answers beside them is left out. */
export const getApp = async (link: AppLink, env: number, resource: string, ids: readonly string[]): Promise<FullRecord[]> => {
  const result = await callApp(link, env, 'records.get', { resource, ids }, resource);
  return recordsOf(result, resource, Number.MAX_SAFE_INTEGER).filter(({ id }) => ids.includes(id));
};

/** Related records by the app's own relation; `target` null: each says its resource itself. */
export const relatedApp = async (link: AppLink, env: number, params: ServiceCalls['records.related']['params'], target: string | null): Promise<AppPage> => {
  const result = await callApp(link, env, 'records.related', params, params.resource);
  const given = recordsOf(result, target ?? '', params.limit);
  const said = (result['records'] as readonly { readonly resource?: unknown }[]).map(({ resource }) => resource);
  const records = target === null ? given.map((record, i) => ({ ...record, resource: String(said[i]) })) : given;
  if (target === null && said.some((resource) => typeof resource !== 'string')) throw fault('app_error');
  return { records, cursor: cursorOf(result) };
};
