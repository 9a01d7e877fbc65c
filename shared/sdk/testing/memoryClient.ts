/** A client that keeps what an app reports and stores, for testApp.ts. */
import { randomUUID } from 'node:crypto';
import type { GivenRecord } from '../../app/link/protocol.ts';
import type { Client, Report } from '../client.ts';
import { createFlagCache } from '../flags.ts';
import { cleanJson } from '../frames.ts';
import { LinkProblem } from '../problems.ts';
import { deleteRecordBatches, putRecordBatches } from '../recordBatches.ts';
import { fitReport } from '../reports.ts';
import { recordChangeProblems, type Definition } from './validators.ts';

export interface MemoryClient {
  readonly client: Client;
  readonly reports: Report[];
  /** The stored records by resource and id. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, GivenRecord>>;
  /** Sets the value of a flag. */
  setFlag(key: string, value: unknown): void;
}

const refusal = (details: LinkProblem['details']): LinkProblem =>
  new LinkProblem('request', details.map(({ path, message }) => `${path} ${message}`).join('; '), { details });

const reportProblems = ({ inboxes }: Definition, { inbox: name, title, data = {} }: Report): LinkProblem['details'] => {
  const inbox = inboxes.get(name);
  if (inbox === undefined) return [{ path: 'inbox', message: `names the inbox ${name}, which is not declared` }];
  return [
    ...(/\S/.test(title) && title.length <= 500
      ? []
      : [{ path: 'title', message: 'must have 1 to 500 characters, not spaces alone' }]),
    ...inbox.dataProblems(data, 'data.'),
  ];
};

const requireValid = (problems: LinkProblem['details']): void => {
  if (problems.length > 0) throw refusal(problems);
};

/** Returns the report as the service gets it. */
const toReceivedReport = (report: Report): Report =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same report, as it goes over the wire
  JSON.parse(cleanJson(JSON.stringify(fitReport(report)))) as Report;

/** Returns a function that has `take` take batches, none after one for which it throws. */
const inOrder = <T, R>(take: (batch: readonly T[]) => R): ((batches: readonly (readonly T[])[]) => Promise<R>[]) => {
  const takeAfter = async (former: Promise<unknown> | undefined, batch: readonly T[]): Promise<R> => {
    await former;
    return take(batch);
  };
  return (batches) => {
    const taken: Promise<R>[] = [];
    for (const batch of batches) taken.push(takeAfter(taken.at(-1), batch));
    // Who reads them stops at the first that is refused.
    for (const promise of taken) promise.catch(() => undefined);
    return taken;
  };
};

/** Returns a client that is online for ever, and what it was given. */
export const createMemoryClient = (definition: Definition): MemoryClient => {
  const reports: Report[] = [];
  const records = new Map<string, Map<string, GivenRecord>>();
  const items = new Map<string, string>();
  const cache = createFlagCache();
  let version = 0;
  const setFlag: MemoryClient['setFlag'] = (key, value) => {
    const declared = definition.flags.get(key);
    if (declared === undefined) throw new TypeError(`The app declares no flag ${key}.`);
    if (declared.kind !== 'json' && typeof value !== declared.kind)
      throw new TypeError(`The flag ${key} takes a ${declared.kind}.`);
    version += 1;
    cache.applyChange({ flag: key, kind: declared.kind, version, value, rollout: null, targets: {}, rules: [] });
  };
  for (const [key, flag] of definition.flags) setFlag(key, flag.default);

  const storedOf = (resource: string): Map<string, GivenRecord> => {
    if (definition.resources.get(resource)?.source !== 'stored')
      throw refusal([{ path: 'resource', message: `names ${resource}, which is not declared with source stored` }]);
    const found = records.get(resource) ?? new Map<string, GivenRecord>();
    records.set(resource, found);
    return found;
  };
  const client: Client = {
    online: true,
    instance: 'test',
    flags: cache.flags,
    on: () => () => undefined,
    report: async (given) => {
      await Promise.resolve();
      const report = toReceivedReport(given);
      requireValid(reportProblems(definition, report));
      reports.push(report);
      const key = `${report.inbox} ${report.key ?? randomUUID()}`;
      const known = items.get(key);
      const item = known ?? `itm_test${String(items.size + 1)}`;
      items.set(key, item);
      return { item, created: known === undefined };
    },
    putRecords: (resource, given) =>
      putRecordBatches(
        resource,
        given,
        inOrder((records) => {
          const stored = storedOf(resource);
          requireValid(recordChangeProblems({ records, deleted: [] }));
          for (const record of records) stored.set(record.id, record);
          return { stored: records.length };
        }),
      ),
    deleteRecords: (resource, given) =>
      deleteRecordBatches(
        given,
        inOrder((ids) => {
          const stored = storedOf(resource);
          const problems = recordChangeProblems({ records: [], deleted: ids });
          requireValid(problems.map((one) => ({ ...one, path: one.path.replace('deleted', 'ids') })));
          return { deleted: ids.filter((id) => stored.delete(id)).length };
        }),
      ),
    close: () => Promise.resolve(),
  };
  return { client, reports, records, setFlag };
};
