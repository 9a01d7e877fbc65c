/**
 * PostgreSQL's settings for the sessions of the service: `npm run migrate` gives them to the service's role, and openDb sets
 * those that a session lacks. None is sent as a startup parameter, which connection pools such as PgBouncer refuse.
 */

/**
 * Values as `current_setting` prints them. One generic plan per statement, with indexes: statements are written so that one
 * plan fits all values and all sizes. By default PostgreSQL plans some of them at each call, hoping for a better plan from
 * values such as null, which takes up to half of their time. And a plan that is made while a table is empty would scan the
 * whole table however large it becomes; an index is never much worse (docs/performance.md). Compiling a plan takes longer
 * than any statement of the service runs. One statement has one process: PostgreSQL would help a long one with two more
 * processes, which are everybody's processors, and no share of connections bounds them (decision 18). A statement that takes
 * longer than 30 s, or a transaction that is idle for 10 s, is a bug.
 */
export const sessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '10s',
} as const;

/** The settings of sessions that load or read whole tables: their statements and transactions have no time limits. */
export const withoutTimeLimits = { statement_timeout: '0', idle_in_transaction_session_timeout: '0' } as const;

/** Sets what differs; takes the names and the values. A session of a role that has the settings is left as it is. */
export const applySettingsSql = `
  select set_config(name, setting, false) from unnest($1::text[], $2::text[]) as given (name, setting)
  where current_setting(name) is distinct from setting`;
