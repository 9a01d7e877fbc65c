/** The time that PostgreSQL takes for each statement, by name, in /metrics. Used by sql.ts, for which it costs two readings of the clock. */
import { Counter } from 'prom-client';
import { getOrCreate } from '../core/maps.ts';
import { platformRegistry } from '../core/metrics.ts';

export interface StatementTime {
  count: number;
  ms: number;
}

const times = new Map<string, StatementTime>();

/** Returns the first two parts of a statement's name; further parts name the form of a list. */
export const statementGroup = (name: string): string => name.split('.', 2).join('.');

/** Returns the time of the statements of a name's group. */
export const statementTime = (name: string): StatementTime =>
  getOrCreate(times, statementGroup(name), () => ({ count: 0, ms: 0 }));

const exportCounter = (name: string, help: string, valueOf: (time: StatementTime) => number): void => {
  new Counter({
    name,
    help,
    labelNames: ['statement'],
    registers: [platformRegistry],
    collect() {
      this.reset();
      for (const [of, time] of times) if (time.count > 0) this.inc({ statement: of }, valueOf(time));
    },
  });
};
exportCounter(
  'console_postgres_statements_total',
  'Prepared statements that PostgreSQL answered, by `statement`.',
  ({ count }) => count,
);
exportCounter(
  'console_postgres_statement_seconds_total',
  'Time from sending a prepared statement to its answer, waits for locks included and for a connection not, by `statement`.',
  ({ ms }) => ms / 1_000,
);
