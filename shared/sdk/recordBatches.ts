/** Pushes records and deletes them, in batches that fit a frame; connect.ts offers it as `putRecords` and `deleteRecords`. */
import type { AppCalls, GivenRecord } from '../applink/protocol.ts';
import { splitIntoFrames } from './batches.ts';
import { formatProblem } from './formatProblem.ts';
import type { OutgoingQueue } from './outgoingQueue.ts';
import { isObject } from './peer.ts';
import { errorText, LinkProblem } from './problems.ts';

type Method = 'records.put' | 'records.delete';

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
const push = async <M extends Method, T>(
  outgoing: OutgoingQueue,
  method: M,
  values: readonly T[],
  to: { readonly resource: string; readonly params: (batch: readonly T[]) => AppCalls[M]['params'] },
): Promise<AppCalls[M]['result'][]> => {
  if (!Array.isArray(values))
    throw new LinkProblem(
      'request',
      method === 'records.put'
        ? 'putRecords takes a list of records: putRecords(resource, [record]).'
        : 'deleteRecords takes a list of ids: deleteRecords(resource, [id]).',
    );
  const batches = splitIntoFrames(values);
  const sent = outgoing.addInOrder(method, batches.map(to.params), to.resource);
  const results: AppCalls[M]['result'][] = [];
  let from = 0;
  for (const [i, result] of sent.entries()) {
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

export const putRecordBatches = async (
  outgoing: OutgoingQueue,
  resource: string,
  records: readonly GivenRecord[],
): Promise<{ stored: number }> => {
  const params = (batch: readonly GivenRecord[]): AppCalls['records.put']['params'] => ({ resource, records: batch });
  const answers = await push(outgoing, 'records.put', records, { resource, params });
  return { stored: answers.reduce((sum, { stored }) => sum + stored, 0) };
};

export const deleteRecordBatches = async (
  outgoing: OutgoingQueue,
  resource: string,
  ids: readonly string[],
): Promise<{ deleted: number }> => {
  const params = (batch: readonly string[]): AppCalls['records.delete']['params'] => ({ resource, ids: batch });
  const answers = await push(outgoing, 'records.delete', ids, { resource, params });
  return { deleted: answers.reduce((sum, { deleted }) => sum + deleted, 0) };
};
