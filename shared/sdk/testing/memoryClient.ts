/** A client that keeps what an app reports and stores, for testApp.ts. */
import { randomUUID } from 'node:crypto';
import type { GivenRecord } from '../../applink/protocol.ts';
import type { Client, Report } from '../client.ts';
import { createFlagCache } from '../flags.ts';
import { LinkProblem } from '../problems.ts';
import { recordIdProblem, recordProblems, type Definition } from './validators.ts';

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

/** Throws for a value that is no list, and for the values in it that have problems. */
const requireList = (values: unknown, path: string, problemsOf: (value: unknown) => LinkProblem['details']): void => {
  if (!Array.isArray(values)) throw refusal([{ path, message: 'must be a list' }]);
  const problems = values.flatMap((value: unknown, i) =>
    problemsOf(value).map((one) => ({ ...one, path: [path, String(i), one.path].filter(Boolean).join('.') })),
  );
  if (problems.length > 0) throw refusal(problems);
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
    report: async (report) => {
      await Promise.resolve();
      const problems = reportProblems(definition, report);
      if (problems.length > 0) throw refusal(problems);
      reports.push(report);
      const key = `${report.inbox} ${report.key ?? randomUUID()}`;
      const known = items.get(key);
      const item = known ?? `itm_test${String(items.size + 1)}`;
      items.set(key, item);
      return { item, created: known === undefined };
    },
    putRecords: async (resource, given) => {
      await Promise.resolve();
      const stored = storedOf(resource);
      requireList(given, 'records', recordProblems);
      for (const record of given) stored.set(record.id, record);
      return { stored: given.length };
    },
    deleteRecords: async (resource, ids) => {
      await Promise.resolve();
      const stored = storedOf(resource);
      requireList(ids, 'ids', (id) => {
        const message = recordIdProblem(id);
        return message === null ? [] : [{ path: '', message }];
      });
      return { deleted: ids.filter((id) => stored.delete(id)).length };
    },
    close: () => Promise.resolve(),
  };
  return { client, reports, records, setFlag };
};
