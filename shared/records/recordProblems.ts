/** Checks records that an app pushes or answers, and completes them. For write.ts, appReads.ts, api/applink/ and the SDK's `testApp`. */
import type { FaultDetail } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { countKeys, isObject, jsonProblem } from '../platform/json/jsonLimits.ts';
import { linePattern } from '../platform/json/schema.ts';
import { isLongerThan, cleanText } from '../platform/words/texts.ts';
import type { FullRecord } from './queries.ts';

const controls = /[\u0000-\u001f\u007f-\u009f]/;
const line = new RegExp(linePattern);
/** `.` and `..` are removed from URL paths; `list` is an endpoint beside the records. */
const reservedIds = new Set(['.', '..', 'list']);

/** Returns why a value can't be a record's id, or null. */
export const recordIdProblem = (id: unknown): string | null => {
  if (typeof id !== 'string') return 'must be a string';
  if (id.length < 1 || isLongerThan(id, limits.recordIdMax))
    return `must have 1 to ${String(limits.recordIdMax)} characters`;
  if (controls.test(id) || !id.isWellFormed()) return 'must not hold control characters or lone surrogates';
  return reservedIds.has(id) ? `must not be ${id}` : null;
};

const fieldsProblem = (fields: unknown): FaultDetail | null => {
  const path = 'fields';
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return { path, message: 'must be an object' };
  // First, as it ends early: a look through tens of thousands of keys holds up the process.
  if (countKeys(fields, limits.dataKeys) > limits.dataKeys)
    return { path, message: `must have at most ${String(limits.dataKeys)} keys` };
  const inner = jsonProblem(fields);
  if (inner !== null) return { path: inner.path === '' ? path : `${path}.${inner.path}`, message: inner.message };
  return Buffer.byteLength(JSON.stringify(fields)) > limits.dataBytes
    ? { path, message: `must be at most ${String(limits.dataBytes / 1024)} KiB` }
    : null;
};

const titleProblem = (title: unknown): string | null => {
  if (typeof title !== 'string') return 'must be a string';
  if (isLongerThan(title, limits.titleMax) || !line.test(title) || !title.isWellFormed() || cleanText(title) === '')
    return `must be one line that is seen, of 1 to ${String(limits.titleMax)} characters`;
  return null;
};

const subtitleProblem = (subtitle: unknown): string | null => {
  if (subtitle === undefined || subtitle === null) return null;
  if (typeof subtitle !== 'string') return 'must be a string or null';
  if (isLongerThan(subtitle, limits.titleMax) || subtitle.includes('\0') || !subtitle.isWellFormed())
    return `must have at most ${String(limits.titleMax)} characters and no NUL`;
  return null;
};

const timeProblem = (at: unknown): string | null =>
  at === undefined ||
  at === null ||
  (typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 && at <= limits.timeMax)
    ? null
    : 'must be milliseconds since 1970 UTC, or null';

/** Returns every problem of a record from an app, with its path in the record. Unknown members are no problem here. */
const recordProblems = (value: unknown): FaultDetail[] => {
  if (!isObject(value)) return [{ path: '', message: 'must be an object' }];
  const { id, title, subtitle, fields, updatedAt } = value;
  const checks: readonly (readonly [string, string | null])[] = [
    ['id', recordIdProblem(id)],
    ['title', titleProblem(title)],
    ['subtitle', subtitleProblem(subtitle)],
    ['updatedAt', timeProblem(updatedAt)],
  ];
  const ofFields = fields === undefined ? null : fieldsProblem(fields);
  return [
    ...checks.flatMap(([path, message]) => (message === null ? [] : [{ path, message }])),
    ...(ofFields === null ? [] : [ofFields]),
  ];
};

/** Returns every problem of an answer with a list of records, at most `limit`, and perhaps the app's own cursor. */
export const recordListProblems = (
  { records, cursor }: Readonly<Record<string, unknown>>,
  limit = Number.POSITIVE_INFINITY,
): FaultDetail[] => {
  if (!Array.isArray(records)) return [{ path: 'records', message: 'must be a list' }];
  return [
    ...(records.length > limit ? [{ path: 'records', message: `must have at most ${String(limit)} records` }] : []),
    ...(cursor === undefined || cursor === null || (typeof cursor === 'string' && cursor !== '')
      ? []
      : [{ path: 'cursor', message: 'must be a string with characters, or null' }]),
    ...records.flatMap((record: unknown, i) =>
      recordProblems(record).map(({ path, message }) => ({
        path: `records.${String(i)}${path === '' ? '' : `.${path}`}`,
        message,
      })),
    ),
  ];
};

/** A record from an app. `resource` is present where an app's relation has records of several resources. */
export interface ReceivedRecord {
  readonly id: string;
  readonly title: string;
  readonly subtitle?: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly updatedAt?: number | null;
  readonly resource?: unknown;
}

/** Returns whether a value from an app is a record without problems. */
export const isReceivedRecord = (value: unknown): value is ReceivedRecord => recordProblems(value).length === 0;

/** Returns a record from an app with the defaults of its absent members. */
export const toFullRecord = (resource: string, given: ReceivedRecord): FullRecord => ({
  resource,
  id: given.id,
  title: cleanText(given.title),
  subtitle: given.subtitle ?? null,
  fields: given.fields ?? {},
  updatedAt: given.updatedAt ?? null,
});

export type PushedRecord = Omit<ReceivedRecord, 'resource'>;

/** The changes of one push. */
export interface RecordChanges {
  readonly records: readonly PushedRecord[];
  readonly deleted: readonly string[];
}

const members = new Set(['id', 'title', 'subtitle', 'fields', 'updatedAt']);

/** Returns the problems of one record. An unknown member is one, as it would not be stored. */
const recordDetails = (record: unknown, place: string): FaultDetail[] => [
  ...recordProblems(record).map(({ path, message }) => ({ path: path === '' ? place : `${place}.${path}`, message })),
  ...(isObject(record)
    ? Object.keys(record)
        .filter((member) => !members.has(member))
        .map((member) => ({ path: `${place}.${member.slice(0, 100).toWellFormed()}`, message: 'is not known here' }))
    : []),
];

/** Returns the problems of all changes of one push, each with its path. */
export const recordChangeProblems = ({ records, deleted }: RecordChanges): FaultDetail[] => {
  const seen = new Set<string>();
  const duplicateProblems = (id: unknown, path: string): FaultDetail[] => {
    if (typeof id !== 'string') return [];
    if (seen.has(id)) return [{ path, message: 'is given more than once' }];
    seen.add(id);
    return [];
  };
  return [
    ...(records.length > limits.recordsPerCall
      ? [{ path: 'records', message: `must have at most ${String(limits.recordsPerCall)}` }]
      : []),
    ...(deleted.length > limits.recordsPerCall
      ? [{ path: 'deleted', message: `must have at most ${String(limits.recordsPerCall)}` }]
      : []),
    ...records.slice(0, limits.recordsPerCall).flatMap((record, i) => {
      const path = `records.${String(i)}`;
      const problems = recordDetails(record, path);
      return problems.length === 0 ? duplicateProblems(record.id, `${path}.id`) : problems;
    }),
    ...deleted.slice(0, limits.recordsPerCall).flatMap((id, i) => {
      const problem = recordIdProblem(id);
      return problem === null
        ? duplicateProblems(id, `deleted.${String(i)}`)
        : [{ path: `deleted.${String(i)}`, message: problem }];
    }),
  ];
};
