/** Reads the items that fit in groups, as many as there is time for: in parts, each as large as the rest of the time allows. Used by summary.ts. */
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../../platform/db/knex.ts';
import { type NamedValues, type TextRow, queryNamedTextRows } from '../../platform/db/sql.ts';
import { filterValues } from './filters.ts';
import {
  candidateGroupsStatement,
  contentGroupsStatement,
  isCovered,
  GroupTotals,
  rangeGroupsStatement,
  sampleGroupsStatement,
  samplePagesOf,
  termGroupsStatement,
  type SummaryKey,
} from './groups.ts';
import type { CursorKeys, ItemCountRequest } from './request.ts';
import {
  createItemScan,
  cursorValues,
  defaultItemScanLimits,
  queryItemScan,
  readPlaceAfter,
  readScanEdge,
  streamStart,
  type ItemScan,
} from './scan.ts';
import { chooseSource, chooseTermsWhenSparse, contentLookups, countContentRows, isRareContent } from './search.ts';
import { fortnightsStatement } from './statements.ts';
import { activityStream } from './streams.ts';
import { untilValues } from './streamSql.ts';

/** Rows of the first statement, which tells what a row costs. */
const firstRows = 2_000;
/** Rows of one of the two statements of a later part, which run at once; of the last, with the first, as many as are counted at most. */
const partRows = [4_000, 8_000, (limits.summaryItems + 2 - firstRows) / 2] as const;
/** A part is read in any case while fewer rows were: a machine that is busy for a moment answers a small question whole. */
const assuredRows = firstRows + 2 * partRows[0];
/** Fortnights of one statement: each row that it finds is compared with as many queries as these have inboxes. */
const partFortnights = 4;
/** So many rows of item_words at most are looked up, each of which costs as much as ten rows of a stream. */
const rareContents = 3_000;

/** Of fewer items, what was read in time tells nothing of the rest. */
const tellingItems = 100;

interface GroupRead {
  readonly by: SummaryKey;
  /** Parameters of the keys. */
  readonly values: NamedValues;
  /** Milliseconds that reading may take. */
  readonly readMs: number;
}

interface ReadGroups {
  readonly totals: GroupTotals;
  /** Whether these are all that fit. */
  readonly complete: boolean;
}

class Budget {
  readonly #startedAt = performance.now();
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get left(): number {
    return this.#startedAt + this.#ms - performance.now();
  }
}

/** Returns the rows of a statement of the next part: as many as can be read in time; null: there is no time. */
const nextRows = (read: number, perRow: number, left: number): number | null =>
  partRows.findLast((rows) => 2 * rows * perRow <= left) ?? (read < assuredRows ? partRows[0] : null);

/** Returns the groups of the items of a stream: two halves of the inboxes at once where the index holds what is grouped and they are not too many, else two ranges at once. */
const readStream = async (
  scan: ItemScan,
  request: ItemCountRequest,
  { by }: GroupRead,
  budget: Budget,
): Promise<ReadGroups> => {
  const totals = new GroupTotals();
  const statement = rangeGroupsStatement(by, scan, scan.open.length > 0);
  const end = streamStart(scan.stream, request, false);
  const readRange = (place: CursorKeys, until: CursorKeys | null, more: NamedValues = {}): Promise<TextRow[]> =>
    queryItemScan(scan, statement, { ...cursorValues(place), ...untilValues(scan.size, until ?? end), ...more });
  const start = streamStart(scan.stream, request, true);
  if (scan.open.length === 0 && isCovered(by, scan.stream)) {
    const whole = new GroupTotals();
    const halves = [0, 1].map((half) => request.inboxes.flatMap(({ name }, n) => (n % 2 === half ? [name] : [])));
    const readHalf = async (inboxes: readonly string[]): Promise<void> => {
      whole.add(await readRange(start, null, { inboxes, most: limits.summaryItems + 1 }));
    };
    await Promise.all(halves.filter(({ length }) => length > 0).map(readHalf));
    if (whole.items <= limits.summaryItems) return { totals: whole, complete: true };
  }
  const addRange = async (place: CursorKeys, until: CursorKeys | null): Promise<void> => {
    totals.add(await readRange(place, until));
  };
  /** Reads so many rows after a place, and others behind them; returns the place of the last one, null: there are no more. */
  const readRows = async (place: CursorKeys, rows: number, others: number): Promise<CursorKeys | null> => {
    const until = await readPlaceAfter(scan, place, rows);
    const [last] = await Promise.all([
      until === null || others === 0 ? until : readRows(until, others, 0),
      addRange(place, until),
    ]);
    return last;
  };
  let [read, perRow] = [0, 0];
  for (let place = start; ;) {
    const rows = read === 0 ? firstRows : nextRows(read, perRow, budget.left);
    if (rows === null || totals.items > limits.summaryItems) return { totals, complete: false };
    const others = read === 0 ? 0 : rows;
    const before = budget.left;
    const until = await readRows(place, rows, others);
    if (until === null) return { totals, complete: totals.items <= limits.summaryItems };
    perRow = (before - budget.left) / (rows + others);
    read += rows + others;
    place = until;
  }
};

/** Returns the groups of the items that terms find, read by fortnights, the newest first. */
const readTerms = async (scan: ItemScan, { by }: GroupRead, budget: Budget): Promise<ReadGroups> => {
  const totals = new GroupTotals();
  const [span] = await queryItemScan(scan, fortnightsStatement, {});
  const [newest = null, oldest = null] = span ?? [];
  if (newest === null || oldest === null) return { totals, complete: true };
  let longest = 0;
  for (let from = Number(newest); from >= Number(oldest); from -= partFortnights) {
    const before = budget.left;
    if (before <= longest || totals.items > limits.summaryItems) return { totals, complete: false };
    const to = Math.max(from - partFortnights + 1, Number(oldest));
    const most = limits.summaryItems + 1;
    totals.add(await queryItemScan(scan, termGroupsStatement(by), { from, to, most }));
    longest = Math.max(longest, before - budget.left);
  }
  return { totals, complete: totals.items <= limits.summaryItems };
};

/** Returns the groups of the items among a few candidates; null where there are none or too many. */
const readCandidates = async (
  scan: ItemScan,
  request: ItemCountRequest,
  { by }: GroupRead,
): Promise<ReadGroups | null> => {
  const source = await chooseSource(scan, request, scan.scanLimits.gatherMost);
  if (source === null) return null;
  const totals = new GroupTotals();
  totals.add(await queryItemScan(scan, candidateGroupsStatement(by, source), {}));
  return { totals, complete: true };
};

/** Returns the groups of the items that contents find; null where contents find too many rows. */
const readContents = async (
  scan: ItemScan,
  request: ItemCountRequest,
  { by }: GroupRead,
): Promise<ReadGroups | null> => {
  const most = rareContents;
  for (const values of await contentLookups(scan, request, streamStart(scan.stream, request, true))) {
    if ((await countContentRows({ db: scan.db, values }, most)) > most) continue;
    const totals = new GroupTotals();
    totals.add(await queryItemScan({ db: scan.db, values }, contentGroupsStatement(by), { most }));
    return { totals, complete: true };
  }
  return null;
};

/** Returns the groups of the items that fit, of those with the newest activity where they are too many or take too long. */
const readNewest = async (db: Db, request: ItemCountRequest, read: GroupRead): Promise<ReadGroups> => {
  const made = createItemScan(db, request, {
    stream: activityStream(request),
    descending: true,
    scanLimits: defaultItemScanLimits,
  });
  if (made === null) return { totals: new GroupTotals(), complete: true };
  const scan = { ...made, values: { ...made.values, ...read.values } };
  const budget = new Budget(read.readMs);
  if (scan.open.length === 0) return readStream(scan, request, read, budget);
  const candidates = await readCandidates(scan, request, read);
  if (candidates !== null) return candidates;
  const { contentsFirst, sampleRows } = scan.scanLimits;
  const sample = scan.open.includes('contents') ? contentsFirst : sampleRows;
  const edge = await readScanEdge(scan, streamStart(scan.stream, request, true), sample);
  const found = isRareContent(scan, edge) ? await readContents(scan, request, read) : null;
  if (found !== null) return found;
  const chosen = chooseTermsWhenSparse(request, scan.stream, edge);
  return chosen === null
    ? readStream(scan, request, read, budget)
    : readTerms({ ...scan, values: { ...scan.values, ...chosen.values } }, read, budget);
};

/** Returns the groups of the items that fit on some pages of the table. */
const readSample = async (db: Db, request: ItemCountRequest, { by, values }: GroupRead): Promise<GroupTotals> => {
  const totals = new GroupTotals();
  const given = { ...filterValues(request), ...values, pages: samplePagesOf(request) };
  totals.add(await queryNamedTextRows(db, sampleGroupsStatement(by), given));
  return totals;
};

/**
 * Returns the groups of the items that fit, of some of them where they are too many or take too long: of those with the newest
 * activity, or of a sample of all where hardly any of the newest fit.
 */
export const readGroups = async (db: Db, request: ItemCountRequest, read: GroupRead): Promise<ReadGroups> => {
  const newest = await readNewest(db, request, read);
  if (newest.complete || newest.totals.items >= tellingItems) return newest;
  const totals = await readSample(db, request, read);
  return totals.items > newest.totals.items ? { totals, complete: false } : newest;
};
