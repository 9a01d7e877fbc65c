/** What `npm run bench -- …` was asked for. */

export interface Options {
  /** Suites by name; null: all. */
  readonly only: readonly string[] | null;
  /** Rows in `items`. */
  readonly items: number;
  /** Times that all variants of a suite are measured in turn. */
  readonly rounds: number;
  /** Seconds of one measurement. */
  readonly seconds: number;
  readonly quick: boolean;
  /** Where the figures are written as JSON. */
  readonly json: string | null;
  /** A database that is kept and used again; null: one that is thrown away. */
  readonly database: string | null;
}

export const usage = `Usage: npm run bench [-- options]
  --only read,change   only these suites
  --items 1000000      items in the database
  --rounds 3           measure everything so many times, in turn
  --seconds 4          of each measurement
  --quick              two minutes: 100,000 items, two rounds of 1.5 s
  --json FILE          also write the figures there
  --database NAME      keep the database under this name, and use it again if it is there`;

export class UsageError extends Error {}

const integer = (name: string, text: string | undefined): number => {
  if (text === undefined || !/^\d{1,9}$/.test(text) || Number(text) < 1) throw new UsageError(`${name} needs a number.\n${usage}`);
  return Number(text);
};

export const readOptions = (args: readonly string[], suites: readonly string[]): Options => {
  const given = new Map<string, string | undefined>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i] ?? '';
    if (!['--only', '--items', '--rounds', '--seconds', '--quick', '--json', '--database'].includes(name)) throw new UsageError(usage);
    given.set(name, name === '--quick' ? '' : args[++i]);
  }
  const quick = given.has('--quick');
  const number = (name: string, usual: number): number => (given.has(name) ? integer(name, given.get(name)) : usual);
  const only = given.get('--only')?.split(',') ?? null;
  const unknown = only?.find((name) => !suites.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no suite ${unknown}; there are ${suites.join(', ')}.`);
  return {
    only,
    quick,
    items: number('--items', quick ? 100_000 : 1_000_000),
    rounds: number('--rounds', quick ? 2 : 3),
    seconds: given.has('--seconds') || !quick ? number('--seconds', 4) : 1.5,
    json: given.get('--json') ?? null,
    database: given.get('--database') ?? null,
  };
};
