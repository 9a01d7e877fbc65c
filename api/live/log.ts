/**
 * Reads the table `stream` in pages, for readers that are behind the live messages: resuming sessions, slow readers, the
 * feed after a gap, `GET /changes`. After a restart or in a burst many of them read the same pages, so pages end at fixed
 * positions, concurrent reads of a page share one query, and full pages are cached.
 */
import type { Environment } from '../../shared/app/manifest/definition.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { partsOf } from '../../shared/platform/journal/inserts.ts';
import { LiveMessageBatch, toStreamEntries, type StreamRow } from './messageBatch.ts';
import { readStreamHead, type StreamPosition } from './offsets.ts';
import type { StreamPart } from './visibility.ts';

const pageRows = 128;
/** A page ends after the row with which it reaches this size; a reader that does not drain keeps about this much. */
const pageBytes = 256 * 1024;
const cachedPagesMax = 32;
/** ms that a page is sent from here: what was erased from the stream is sent by nobody soon after. */
const cachedPageMs = 60_000;

const readPageSql = statement(
  'live.page',
  `
  select position, at, parts, bytes, (select epoch from environments where id = $1) as epoch from (
    select position, at, parts, sum(octet_length(parts)) over (order by position) as bytes, octet_length(parts) as own
    from (select position, at, ${partsOf('s')} as parts from stream s where env = $1 and position > $2 and position <= $3 offset 0) kept
  ) page where bytes - own < ${String(pageBytes)} order by position`,
);

interface LogPage {
  /** Whether rows after the position were deleted, so that the reader has to reset. */
  readonly trimmed: boolean;
  /** null when no row follows the position yet. */
  readonly batch: LiveMessageBatch | null;
  readonly rows: readonly StreamRow[];
  /** The position of the last row. */
  readonly last: number;
}

export interface StreamLog {
  /** Returns the rows that follow `place`, at least one unless there is none. */
  read(env: Environment, place: StreamPosition): Promise<LogPage>;
  /** Forgets the cached pages. */
  clearCache(): void;
}

interface PageRow {
  readonly position: number;
  readonly at: number;
  readonly parts: string;
  readonly bytes: number;
  readonly epoch: number;
}

const loadPage = async (db: Db, env: Environment, after: number): Promise<{ page: LogPage; full: boolean }> => {
  const end = after - (after % pageRows) + pageRows;
  const found = await queryRows<PageRow>(db, readPageSql, [env.id, after, end]);
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) {
    const { trimmed, epoch } = await readStreamHead(db, env);
    return {
      page: { trimmed: trimmed > after && epoch === env.epoch, batch: null, rows: [], last: after },
      full: false,
    };
  }
  // Its positions may be others than the reader's: it has to learn of the epoch first.
  if (first.epoch !== env.epoch) return { page: { trimmed: false, batch: null, rows: [], last: after }, full: false };
  if (first.position !== after + 1) return { page: { trimmed: true, batch: null, rows: [], last: after }, full: false };
  const read = found.map(({ position, at, parts }): StreamRow => ({
    position,
    at,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the publisher wrote this JSON from parts, and a check of each would slow the stream
    parts: JSON.parse(parts) as StreamPart[],
  }));
  const page = {
    trimmed: false,
    batch: new LiveMessageBatch(env, read.flatMap(toStreamEntries)),
    rows: read,
    last: last.position,
  };
  return { page, full: last.position === end || last.bytes >= pageBytes };
};

export const createStreamLog = (db: Db): StreamLog => {
  const pages = new Map<string, { readonly reading: Promise<LogPage>; readonly at: number }>();

  const pageAfter = (env: Environment, position: number): Promise<LogPage> => {
    const key = `${String(env.id)}:${String(env.epoch)}:${String(position)}`;
    const known = pages.get(key);
    const now = performance.now();
    if (known !== undefined && now - known.at < cachedPageMs) return known.reading;
    const reading = loadPage(db, env, position).then(
      ({ page, full }) => {
        if (!full && pages.get(key)?.reading === reading) pages.delete(key);
        return page;
      },
      (error: unknown) => {
        if (pages.get(key)?.reading === reading) pages.delete(key);
        throw error;
      },
    );
    pages.delete(key);
    pages.set(key, { reading, at: now });
    for (const oldest of [...pages.keys()].slice(0, Math.max(0, pages.size - cachedPagesMax))) pages.delete(oldest);
    return reading;
  };

  return {
    read: async (env, { position, parts }) => {
      const page = await pageAfter(env, position);
      if (parts === 0 || page.batch === null) return page;
      const rest = page.batch.entries.filter((entry) => entry.position !== position + 1 || entry.index >= parts);
      return { ...page, batch: new LiveMessageBatch(env, rest) };
    },
    clearCache: () => {
      pages.clear();
    },
  };
};
