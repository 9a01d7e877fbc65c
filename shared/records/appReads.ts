/** Reads records of resources that the customer's app serves, by calls over the app link whose results are checked. For read.ts and related.ts. */
import { requireAnswer } from '../app/blocks/appAnswers.ts';
import type { AskingMethod, AppLink } from '../app/link/link.ts';
import { linkLimits, type ServiceCalls } from '../app/link/protocol.ts';
import { fault } from '../catalogue/errors.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import type { FullRecord } from './queries.ts';
import { isReceivedRecord, toFullRecord, type ReceivedRecord } from './recordProblems.ts';

const callAppForRecords = async <M extends AskingMethod>(
  link: AppLink,
  envId: number,
  method: M,
  params: ServiceCalls[M]['params'],
  { resource, timeoutMs = linkLimits.readMs }: { readonly resource: string; readonly timeoutMs?: number },
): Promise<Readonly<Record<string, unknown>>> => {
  const outcome = await link.call(envId, method, params, { declares: { kind: 'resource', name: resource }, timeoutMs });
  const result: unknown = requireAnswer(outcome);
  if (!isObject(result)) throw fault('app_error');
  return result;
};

/** Returns the resource that the record itself names, for relations whose records are of several resources. */
const namedResource = ({ resource }: ReceivedRecord): string => {
  if (typeof resource !== 'string') throw fault('app_error');
  return resource;
};

/**
 * Returns the records of a result, of `resource` or, when that is null, of the resources that they name. Throws
 * `app_error` when one of them is invalid or when there are more than `most`.
 */
const parseRecords = (
  { records: given }: Readonly<Record<string, unknown>>,
  resource: string | null,
  most: number,
): FullRecord[] => {
  const records: readonly unknown[] | null = Array.isArray(given) ? given : null;
  if (records === null || records.length > most || !records.every(isReceivedRecord)) throw fault('app_error');
  return records.map((record) => toFullRecord(resource ?? namedResource(record), record));
};

/** Characters of the app's own cursor, which becomes part of a cursor of the service. */
const cursorMax = 2_000;

const parseAppCursor = ({ cursor }: Readonly<Record<string, unknown>>): string | null => {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > cursorMax || !cursor.isWellFormed())
    throw fault('app_error');
  return cursor;
};

interface AppRecordPage {
  readonly records: readonly FullRecord[];
  /** The app's own cursor; null on the last page. */
  readonly cursor: string | null;
}

/**
 * Returns at most `params.limit` records that match, within `timeoutMs`. Throws `app_offline`, `app_timeout` or `app_error`,
 * as every read here.
 */
export const searchAppRecords = async (
  link: AppLink,
  envId: number,
  params: ServiceCalls['records.search']['params'],
  timeoutMs?: number,
): Promise<FullRecord[]> =>
  parseRecords(
    await callAppForRecords(link, envId, 'records.search', params, {
      resource: params.resource,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
    params.resource,
    params.limit,
  );

/** Returns a page of at most `params.limit` records. */
export const listAppRecords = async (
  link: AppLink,
  envId: number,
  params: ServiceCalls['records.list']['params'],
): Promise<AppRecordPage> => {
  const result = await callAppForRecords(link, envId, 'records.list', params, params);
  return { records: parseRecords(result, params.resource, params.limit), cursor: parseAppCursor(result) };
};

/** Returns the records of `ids` that the app has, in no order. Records that were not requested are left out. */
export const getAppRecords = async (
  link: AppLink,
  envId: number,
  resource: string,
  ids: readonly string[],
): Promise<FullRecord[]> => {
  const result = await callAppForRecords(link, envId, 'records.get', { resource, ids }, { resource });
  return parseRecords(result, resource, Number.MAX_SAFE_INTEGER).filter(({ id }) => ids.includes(id));
};

/** Returns a page of records by a relation that the app resolves. `target`: their resource; null: each record names its own. */
export const readRelatedAppRecords = async (
  link: AppLink,
  envId: number,
  params: ServiceCalls['records.related']['params'],
  target: string | null,
): Promise<AppRecordPage> => {
  const result = await callAppForRecords(link, envId, 'records.related', params, params);
  return { records: parseRecords(result, target, params.limit), cursor: parseAppCursor(result) };
};
