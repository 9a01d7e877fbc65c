/**
 * The schema's version against the one that this build needs: a process does no work on a schema that is older, or that is
 * newer and doesn't serve this build any more. Read by API and workers when they start and when they are asked for readiness.
 */
import { readdirSync } from 'node:fs';
import type { Log } from '../log/log.ts';
import { createInterval, sleep } from '../time/clock.ts';
import { describeDbRefusal } from './errors.ts';
import type { Db } from './knex.ts';
import { queryRow, statement } from './sql.ts';

/** The folder of migrations, which stands beside the programs in a checkout and in a build. */
const migrationsFolder = new URL('../../../migrations/', import.meta.url);

const migrationFile = /^(\d{4})_\w+\.(?:ts|js)$/;

/** Number of the newest migration of this build. */
export const neededSchemaVersion: number = Math.max(
  ...readdirSync(migrationsFolder).map((file) => Number(migrationFile.exec(file)?.[1] ?? 0)),
);

const readVersionSql = statement('schema.version', 'select version, serves_from from schema_version');

type SchemaState =
  | { readonly fits: true; readonly version: number }
  /** `reason` says what to do. */
  | { readonly fits: false; readonly version: number | null; readonly reason: string };

const undefinedTable = '42P01';

const isUndefinedTable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === undefinedTable;

/** Returns whether this build can work on the schema. Throws when PostgreSQL can't be asked. */
export const readSchemaState = async (db: Db, needed: number = neededSchemaVersion): Promise<SchemaState> => {
  const found = await queryRow<{ version: number; serves_from: number }>(db, readVersionSql).catch((error: unknown) => {
    if (isUndefinedTable(error)) return undefined;
    throw error;
  });
  if (found === undefined)
    return { fits: false, version: null, reason: 'the database has no schema of this service: run npm run migrate' };
  const { version, serves_from: servesFrom } = found;
  if (version < needed)
    return {
      fits: false,
      version,
      reason: `the schema is ${String(version)}, this build needs ${String(needed)}: run npm run migrate`,
    };
  if (servesFrom > needed)
    return {
      fits: false,
      version,
      reason: `the schema is ${String(version)} and serves builds from ${String(servesFrom)} on, this one is ${String(needed)}: start a newer build`,
    };
  return { fits: true, version };
};

/** ms between two looks at a schema that doesn't fit yet. */
const lookEveryMs = 500;
/** ms between two lines in the log about it. */
const logEveryMs = 60_000;

/** What a process that starts waits for; null: for nothing. */
let waiting: string | null = null;

/** Returns what the process waits for before it begins, in words; null: for nothing. */
export const startWaitsFor = (): string | null => waiting;

/**
 * Resolves once PostgreSQL answers and the schema fits this build; logs what it waits for, at once and each minute.
 */
export const waitForSchema = async (db: Db, log: Log): Promise<void> => {
  const isDue = createInterval(logEveryMs);
  for (;;) {
    const problem = await readSchemaState(db).then(
      (state) => (state.fits ? null : { waitsFor: state.reason }),
      (error: unknown) => {
        const refusal = describeDbRefusal(error);
        return { waitsFor: refusal === null ? 'PostgreSQL' : `PostgreSQL, which refuses us: ${refusal}`, err: error };
      },
    );
    waiting = problem?.waitsFor ?? null;
    if (problem === null) return;
    if (isDue()) log.warn(problem, 'waiting for the database');
    await sleep(lookEveryMs);
  }
};
