/** The prepared statements that connections of this process send, and what PostgreSQL reads for them by the plan that a connection keeps. */
import pg from 'pg';

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** Records each prepared statement by its name, with its last values, until `stop`. */
export const recordStatements = (): { readonly sent: ReadonlyMap<string, Sent>; stop(): void } => {
  const sent = new Map<string, Sent>();
  // oxlint-disable-next-line typescript/unbound-method -- put back as it was
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [config] = given as [Partial<Sent & { name: string }>];
    if (typeof config.name === 'string')
      sent.set(config.name, { text: config.text ?? '', values: config.values ?? [] });
    // oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-type-assertion -- hands on what it was given
    return Reflect.apply(query, this, given) as never;
  } as typeof query;
  return {
    sent,
    stop: () => {
      pg.Client.prototype.query = query;
    },
  };
};

/** Opens a connection whose plans are those of the service's (shared/platform/db/knex.ts). */
export const openPlanSession = async (url: string): Promise<pg.Client> => {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off');
  return session;
};

const quoted = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  const text = Array.isArray(value)
    ? `{${value.map((each: string | number | null) => (each === null ? 'null' : `"${String(each).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean);
  return pg.escapeLiteral(text);
};

/** Returns the call of a statement that the session has prepared. */
export const executeSql = (name: string, values: readonly unknown[]): string =>
  `execute "${name}"${values.length === 0 ? '' : ` (${values.map(quoted).join(', ')})`}`;

/** Returns the blocks that a statement which the session has prepared reads; what it writes is undone. */
export const blocksOf = async (session: pg.Client, name: string, values: readonly unknown[]): Promise<number> => {
  await session.query('begin');
  try {
    const { rows } = await session.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, buffers, format json) ${executeSql(name, values)}`,
    );
    const [found] = rows[0]?.['QUERY PLAN'] ?? [];
    return (found?.Plan['Shared Hit Blocks'] ?? NaN) + (found?.Plan['Shared Read Blocks'] ?? NaN);
  } finally {
    await session.query('rollback');
  }
};
