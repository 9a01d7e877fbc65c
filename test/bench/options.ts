/** The options of `npm run bench -- …`. */
import { misused, readOptions } from '../../shared/tools/cli/options.mjs';

export interface Options {
  /** Suites by name; null: all. */
  readonly only: readonly string[] | null;
  /** Parts of the suite `console` by name; null: all. */
  readonly parts: readonly string[] | null;
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

const integer = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) return misused('bench', `--${name} needs a number.`);
  return Number(text);
};

/** Returns the options that this process was given; wrong ones end it. */
export const givenOptions = (suites: readonly string[]): Options => {
  const { text, has } = readOptions('bench');
  const quick = has('quick');
  const number = (name: string, usual: number): number => {
    const given = text(name);
    return given === undefined ? usual : integer(name, given);
  };
  const only = text('only')?.split(',') ?? null;
  const unknown = only?.find((name) => !suites.includes(name));
  if (unknown !== undefined) return misused('bench', `There is no suite ${unknown}; there are ${suites.join(', ')}.`);
  return {
    only,
    parts: text('parts')?.split(',') ?? null,
    quick,
    items: number('items', quick ? 100_000 : 1_000_000),
    rounds: number('rounds', quick ? 2 : 3),
    seconds: number('seconds', quick ? 1.5 : 4),
    json: text('json') ?? null,
    database: text('database') ?? null,
  };
};
