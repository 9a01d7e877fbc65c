/** Records that the customer's app serves: each read is a call over the link, and its answer is checked before it is used. */
import { isObject } from '../platform/core/jsonLimits.ts';
import { fault, type Fault } from '../catalogue/errors.ts';
import type { AppLink, CallOutcome } from '../applink/link.ts';
import { linkLimits, type ServiceCalls, type ServiceMethod } from '../applink/protocol.ts';
import { recordProblems, toFullRecord } from './recordProblems.ts';
import type { FullRecord } from './queries.ts';

/** Why a read brought no answer. What the app says of its own error is for its logs, not for callers. */
const toReadFault = (outcome: Exclude<CallOutcome<unknown>, { kind: 'answer' }>): Fault => {
  // A connection that broke under the call has gone: nobody is late.
  if (outcome.kind === 'offline' || outcome.kind === 'lost') return fault('app_offline');
  return outcome.kind === 'timeout' ? fault('app_timeout') : fault('app_error');
};

const callAppForRecords = async <M extends ServiceMethod>(
  link: AppLink,
  env: number,
  method: M,
  params: ServiceCalls[M]['params'],
  resource: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const outcome = await link.call(env, method, params, {
    declares: { kind: 'resource', name: resource },
    timeoutMs: linkLimits.readMs,
  });
  if (outcome.kind !== 'answer') throw toReadFault(outcome);
  const result: unknown = outcome.result;
  if (!isObject(result)) throw fault('app_error');
  return result;
};

/** Records of an answer; one that isn't valid, or more than were asked for, make the whole answer invalid. */
const parseRecords = (result: Readonly<Record<string, unknown>>, resource: string, most: number): FullRecord[] => {
  const { records } = result;
  if (!Array.isArray(records) || records.length > most || records.some((record) => recordProblems(record).length > 0))
    throw fault('app_error');
  return (records as Parameters<typeof toFullRecord>[1][]).map((record) => toFullRecord(resource, record));
};

/** The app's own cursor has to fit into one of ours. */
const cursorMax = 2_000;

const parseAppCursor = ({ cursor }: Readonly<Record<string, unknown>>): string | null => {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > cursorMax || !cursor.isWellFormed())
    throw fault('app_error');
  return cursor;
};

interface AppRecordPage {
  readonly records: readonly FullRecord[];
  /** The app's own. */
  readonly cursor: string | null;
}

export const searchAppRecords = async (
  link: AppLink,
  env: number,
  params: ServiceCalls['records.search']['params'],
): Promise<FullRecord[]> =>
  parseRecords(
    await callAppForRecords(link, env, 'records.search', params, params.resource),
    params.resource,
    params.limit,
  );

export const listAppRecords = async (
  link: AppLink,
  env: number,
  params: ServiceCalls['records.list']['params'],
): Promise<AppRecordPage> => {
  const result = await callAppForRecords(link, env, 'records.list', params, params.resource);
  return { records: parseRecords(result, params.resource, params.limit), cursor: parseAppCursor(result) };
};

/** Those of `ids` that the app has; what it answers beside them is left out. */
export const getAppRecords = async (
  link: AppLink,
  env: number,
  resource: string,
  ids: readonly string[],
): Promise<FullRecord[]> => {
  const result = await callAppForRecords(link, env, 'records.get', { resource, ids }, resource);
  return parseRecords(result, resource, Number.MAX_SAFE_INTEGER).filter(({ id }) => ids.includes(id));
};

/** Related records by the app's own relation; `target` null: each says its resource itself. */
export const readRelatedAppRecords = async (
  link: AppLink,
  env: number,
  params: ServiceCalls['records.related']['params'],
  target: string | null,
): Promise<AppRecordPage> => {
  const result = await callAppForRecords(link, env, 'records.related', params, params.resource);
  const given = parseRecords(result, target ?? '', params.limit);
  const said = (result['records'] as readonly { readonly resource?: unknown }[]).map(({ resource }) => resource);
  const records = target === null ? given.map((record, i) => ({ ...record, resource: String(said[i]) })) : given;
  if (target === null && said.some((resource) => typeof resource !== 'string')) throw fault('app_error');
  return { records, cursor: parseAppCursor(result) };
};
