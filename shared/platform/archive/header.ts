/** The header of an archive: the first line of its file, which says what the file has. */
import { ArchiveProblem, takeAnother } from './parts.ts';

/** What a chain was before the file's first range, and the ranges that the file has. */
export interface ArchivedChain {
  readonly env: number;
  /** The number, the last event and the hash of the range before the first that is proven here; 0, 0 and zeros without one. */
  readonly before: { readonly n: number; readonly last: number; readonly hash: string };
  /** The number of its last range here. */
  readonly last: number;
  /** Whether the range behind it has entries of this file too. Their part can't be proven without the database. */
  readonly shared: boolean;
}

export interface ArchiveHeader {
  readonly archive: 'events';
  readonly version: 1;
  readonly name: string;
  readonly table: string;
  readonly starts: number;
  readonly ends: number;
  readonly events: number;
  /** The sum of a hash of each event's JSON text. */
  readonly digest: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly chains: readonly ArchivedChain[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isChain = (value: unknown): boolean =>
  isObject(value) &&
  [value['env'], value['last']].every(Number.isSafeInteger) &&
  typeof value['shared'] === 'boolean' &&
  isObject(value['before']) &&
  [value['before']['n'], value['before']['last']].every(Number.isSafeInteger) &&
  /^[0-9a-f]{64}$/.test(String(value['before']['hash']));

const isHeader = (value: unknown): value is ArchiveHeader =>
  isObject(value) &&
  value['archive'] === 'events' &&
  value['version'] === 1 &&
  [value['name'], value['table'], value['digest']].every((each) => typeof each === 'string') &&
  ['starts', 'ends', 'events', 'firstAt', 'lastAt'].every((each) => Number.isSafeInteger(value[each])) &&
  Array.isArray(value['chains']) &&
  value['chains'].every(isChain);

/** Returns the header that is a file's first line. Throws ArchiveProblem. */
export const parseArchiveHeader = (line: string | undefined, path: string): ArchiveHeader => {
  try {
    const value: unknown = JSON.parse(line ?? '');
    if (isHeader(value)) return value;
  } catch {
    // Said below, as a header of another form is.
  }
  throw new ArchiveProblem(
    `${path} is no archive of events, one that a newer version has written, or damaged at line 1; then ${takeAnother}.`,
  );
};
