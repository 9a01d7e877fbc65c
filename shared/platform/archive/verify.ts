/** Proves that an archive is whole and as it was written, by the chain that is in it. */
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';
import { verifyAuditChain } from '../journal/auditChain.ts';
import { insertLines, readPartFacts } from './contents.ts';
import { type ArchiveHeader, requireColumns } from './header.ts';
import { takeAnother } from './parts.ts';
import { readArchiveFile } from './read.ts';

/** The last range of an environment's chain in a file. */
export interface ArchivedHead {
  readonly env: number;
  readonly n: number;
  readonly hash: Buffer;
}

export interface ArchiveCheck {
  readonly header: ArchiveHeader;
  readonly heads: readonly ArchivedHead[];
  readonly ranges: number;
  readonly entries: number;
  readonly erased: number;
  readonly problems: readonly string[];
}

const tables = { events: 'pg_temp.events', ranges: 'pg_temp.audit_chain' };

/** Makes tables of this session that stand before those of the same names: what verifies the chain reads the file's. */
const makeTables = async (tx: Tx, path: string, { chains, columns }: ArchiveHeader): Promise<void> => {
  await tx.raw(`
    create temporary table archived_events (like events including defaults) on commit drop;
    create temporary table archived_chain (like audit_chain including defaults) on commit drop;
    create temporary table archives (like archives) on commit drop;
    alter table archived_events rename to events;
    alter table archived_chain rename to audit_chain;
    create unique index on pg_temp.audit_chain (env, n);
  `);
  await requireColumns(tx, path, columns, tables);
  for (const { env, before } of chains)
    await tx.raw(
      `insert into pg_temp.audit_chain (env, n, form, last, entries, salts, digests, hash, at) values (?, ?, 1, ?, 0, '', '', decode(?, 'hex'), 0)`,
      [env, before.n, before.last, before.hash],
    );
};

const indexTables = (tx: Tx): Promise<unknown> =>
  tx.raw(`
    create index on pg_temp.events (env, id) where verb is not null;
    analyze pg_temp.events;
    analyze pg_temp.audit_chain;
  `);

const headsSql = statement(
  'archive.heads',
  'select distinct on (env) env, n, hash from pg_temp.audit_chain where n > 0 order by env, n desc',
);
const hasHashSql = statement('archive.hasHash', 'select n from pg_temp.audit_chain where hash = $1 limit 1');

/**
 * Reads a file into tables of a session, and proves its chains and its digest; `kept`: a hash that was the head of one of its chains, which
 * a file that was written anew does not have. Throws ArchiveProblem for a file that can't be read or is damaged.
 */
export const checkArchive = (db: Db, path: string, kept: Buffer | null = null): Promise<ArchiveCheck> =>
  db.transaction(async (tx) => {
    const header = await readArchiveFile(
      path,
      (found) => makeTables(tx, path, found),
      (lines, { columns }) => insertLines(tx, lines, columns, tables),
    );
    await indexTables(tx);
    const { events, digest } = await readPartFacts(tx, tables.events, header.columns);
    const problems: string[] = [];
    if (events !== header.events)
      problems.push(`It has ${String(events)} events, and was written with ${String(header.events)}; ${takeAnother}.`);
    else if (digest !== header.digest) problems.push(`An event was changed since it was written; ${takeAnother}.`);
    let [ranges, entries, erased] = [0, 0, 0];
    for (const { env, before } of header.chains) {
      const proven = await verifyAuditChain(tx, env, null, before.n + 1);
      ranges += proven.ranges;
      entries += proven.entries;
      erased += proven.erased;
      problems.push(...proven.problems.map((problem) => `environment ${String(env)}, ${problem}`));
    }
    if (kept !== null && (await queryRow(tx, hasHashSql, [kept])) === undefined)
      problems.push(
        'The hash that was kept is not in its chains: it is mistyped, of another month or environment, or they were written again.',
      );
    const heads = await queryRows<ArchivedHead>(tx, headsSql);
    return { header, heads, ranges, entries, erased, problems };
  });
