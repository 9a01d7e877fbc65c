/** Pushes records and deletes them, in batches that fit a frame: `putRecords` and `deleteRecords` of connect.ts and of `testApp`. */
import type { AppCalls, GivenRecord } from '../app/link/protocol.ts';
import { splitIntoFrames } from './batches.ts';
import { formatProblem } from './formatProblem.ts';
import { isObject } from './peer.ts';
import { LinkProblem } from './problems.ts';
import { errorText } from './texts.ts';

/** Sends batches in order, and none after one that is refused; returns a promise for each. */
type Send<T, R> = (batches: readonly (readonly T[])[]) => readonly Promise<R>[];

/** Characters of an id that a message repeats. */
const idMax = 200;

const idOf = (value: unknown): string | null => {
  const id = isObject(value) ? value['id'] : value;
  return typeof id === 'string' ? id.slice(0, idMax) : null;
};

interface Refused {
  readonly values: readonly unknown[];
  /** The place of the first value of the refused batch, and how many values the batch has. */
  readonly from: number;
  readonly count: number;
}

/** Returns details whose paths count through all values rather than through those of their batch, and name the id. */
const movedDetails = (details: LinkProblem['details'], { values, from }: Refused): LinkProblem['details'] =>
  details.map(({ path, message }) => {
    const [list = '', place = '', ...rest] = path.split('.');
    if (!/^\d+$/.test(place)) return { path, message };
    const index = from + Number(place);
    const id = idOf(values[index]);
    return {
      path: [list, String(index), ...rest].join('.'),
      message: id === null ? message : `${message} (${JSON.stringify(id)})`,
    };
  });

/** Returns the problem of a refused batch: what is wrong, and what became of the other values. */
const batchProblem = (error: unknown, refused: Refused): unknown => {
  if (!(error instanceof LinkProblem) || error.kind !== 'request') return error;
  const { values, from, count } = refused;
  const details = movedDetails(error.details, refused);
  const after = from + count;
  const headline =
    count === values.length
      ? 'The records are refused, and none of them is taken'
      : `The records ${String(from)} to ${String(after - 1)} are refused, and none of them is taken` +
        (from > 0 ? '; those before them are' : '') +
        (after < values.length ? '; those after them were not sent' : '');
  const message = details.length > 0 ? formatProblem(`${headline}.`, details) : `${headline}: ${errorText(error)}`;
  return new LinkProblem('request', message, { details });
};

/** Sends values in order. Stops at the first batch that is refused, and rejects with its problem. */
const push = async <T, R>(values: readonly T[], send: Send<T, R>): Promise<R[]> => {
  const batches = splitIntoFrames(values);
  const results: R[] = [];
  let from = 0;
  for (const [i, result] of send(batches).entries()) {
    const count = batches[i]?.length ?? 0;
    try {
      results.push(await result);
    } catch (error) {
      throw batchProblem(error, { values, from, count });
    }
    from += count;
  }
  return results;
};

/** Throws for what is no list, which plain JavaScript may give. */
const requireList = (values: unknown, path: string, usage: string): void => {
  if (!Array.isArray(values))
    throw new LinkProblem('request', usage, { details: [{ path, message: 'must be a list' }] });
};

/** Returns records without the `resource` that handlers are given them with. Throws where that is another one. */
const ofResource = (resource: string, records: readonly GivenRecord[]): readonly GivenRecord[] => {
  const details: { path: string; message: string }[] = [];
  const own = records.map((record, i) => {
    if (!isObject(record) || record['resource'] === undefined) return record;
    const { resource: given, ...others }: GivenRecord & { readonly resource?: unknown } = record;
    if (given !== resource)
      details.push({
        path: `records.${String(i)}.resource`,
        message: `is ${JSON.stringify(given)}, and the records are put to ${JSON.stringify(resource)}`,
      });
    return others;
  });
  if (details.length === 0) return own;
  throw batchProblem(new LinkProblem('request', '', { details }), { values: records, from: 0, count: records.length });
};

export const putRecordBatches = async (
  resource: string,
  records: readonly GivenRecord[],
  send: Send<GivenRecord, AppCalls['records.put']['result']>,
): Promise<{ stored: number }> => {
  requireList(records, 'records', 'putRecords takes a list of records: putRecords(resource, [record]).');
  const answers = await push(ofResource(resource, records), send);
  return { stored: answers.reduce((sum, { stored }) => sum + stored, 0) };
};

export const deleteRecordBatches = async (
  ids: readonly string[],
  send: Send<string, AppCalls['records.delete']['result']>,
): Promise<{ deleted: number }> => {
  requireList(ids, 'ids', 'deleteRecords takes a list of ids: deleteRecords(resource, [id]).');
  const answers = await push(ids, send);
  return { deleted: answers.reduce((sum, { deleted }) => sum + deleted, 0) };
};
