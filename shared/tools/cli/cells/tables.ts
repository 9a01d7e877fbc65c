/** The tables whose rows move with an environment, and the columns that change in another installation. For copy.ts, move.ts and the test of all tables. */
import { newEpochRise } from '../../../platform/leases/leaderLease.ts';

/** The number of an environment, and its name, which has nothing that SQL would quote. */
export interface EnvironmentKey {
  readonly id: number;
  readonly name: string;
}

/** Tables with the column `env` whose rows stay: connections, and the live stream, which begins anew. The publisher has emptied `outbox`. */
export const leftTables = ['app_connections', 'outbox', 'stream', 'stream_epochs', 'stream_parts', 'tickets'];

/** By how much the due times of the jobs of a closed environment are raised, in ms: no worker takes them. */
export const heldMs = 2 ** 52;

/** Conditions of rows by table, in the order in which they refer to each other. */
type Rows = Readonly<Record<string, string>>;

/** Returns which rows of the tables of those who may enter go with an environment. */
export const accountRows = ({ id, name }: EnvironmentKey): Rows => {
  const may = `environments && array['*', '${name}']`;
  const people = `select id from people where ${may} or id in (select owner from saved_views where env = ${String(id)})`;
  const roles = `select role from agents where ${may} union select role from people where id in (${people})`;
  const principals = `${people} union select id from agents where ${may} union select id from app_keys where env = ${String(id)}`;
  return {
    roles: `id in (${roles})`,
    people: `id in (${people})`,
    agents: may,
    tokens: `principal in (${principals})`,
    identities: `person in (${people})`,
    password_links: `person in (${people})`,
    rights_changes: `target in (${principals} union ${roles})`,
    idempotency_keys: `principal in (${principals})`,
  };
};

/** Returns which rows of the parts of runs and bulks go with an environment. */
export const partRows = ({ id }: Pick<EnvironmentKey, 'id'>): Rows => {
  const run = `run in (select id from runs where env = ${String(id)})`;
  const bulk = `bulk in (select id from all_bulks where env = ${String(id)})`;
  return { run_items: run, run_reasons: run, bulk_chunks: bulk, bulk_results: bulk };
};

/** Returns the values that are others in the new installation, as SQL over the row. */
export const newValues = (): Readonly<Record<string, Rows>> => ({
  environments: { epoch: `epoch + ${String(newEpochRise())}`, closed_at: 'null', moved_to: 'null' },
  flags: { changed: 'pg_current_xact_id()' },
  staged_jobs: { due_at: `due_at - ${String(heldMs)}` },
  streams: { trimmed: 'position' },
});
