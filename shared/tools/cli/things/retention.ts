/** The `retention …` commands of the admin tool: for how long environments keep what is not kept for ever; used by run.ts. */
import {
  listRetentions,
  setRetention,
  type RetentionDays,
  type RetentionView,
} from '../../../accounts/settings/environments/retention.ts';
import { limits } from '../../../catalogue/limits.ts';
import { retentionKinds } from '../../../catalogue/retention.ts';
import type { Command } from '../command.ts';
import { runCommandChange } from '../context.ts';
import { CommandFailure, UsageError } from '../failures.ts';
import { formatTable } from '../print.ts';

const thing = 'retention';

/** Returns the days of a word: 0 for ever, null the default of the kind. Throws UsageError. */
const parseDays = (option: string, word: string): number | null => {
  if (word === 'default') return null;
  if (word === 'forever') return 0;
  const days = /^\d{1,6}$/.test(word) ? Number(word) : Number.NaN;
  if (days >= limits.retentionDaysMin && days <= limits.retentionDaysMax) return days;
  throw new UsageError(
    `--${option} must be ${String(limits.retentionDaysMin)} to ${String(limits.retentionDaysMax)} days, forever or default, not ${JSON.stringify(word)}.`,
  );
};

/** Returns the days of each kind that is named. Throws UsageError where none is. */
const parseAll = (text: (option: string) => string | undefined): Partial<RetentionDays> => {
  const given = retentionKinds.flatMap(({ kind, option }) => {
    const word = text(option);
    return word === undefined ? [] : [[kind, parseDays(option, word)] as const];
  });
  if (given.length > 0) return Object.fromEntries(given);
  throw new UsageError(
    `Name what is kept for how long: ${retentionKinds.map(({ option }) => `--${option}`).join(', ')}.`,
  );
};

const formatDays = (days: number | null, fallback: string): string =>
  days === null ? fallback : days === 0 ? 'for ever' : `${String(days)} days`;

const tableOf = (retentions: readonly RetentionView[]): string[] =>
  formatTable(
    ['environment', ...retentionKinds.map(({ label }) => label)],
    retentions.map((retention) => [
      retention.environment,
      ...retentionKinds.map(({ kind, fallback }) => formatDays(retention[kind], fallback)),
    ]),
    'There is no environment yet.',
  );

export const retentionCommands: readonly Command[] = [
  {
    thing,
    verb: 'list',
    about:
      'lists for how long each environment keeps bulks, their results, approvals and runs; the rest is kept for ever',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const retentions = await listRetentions(db);
      return { json: { retentions }, lines: tableOf(retentions) };
    },
  },
  {
    thing,
    verb: 'set',
    about: 'sets for how long an environment keeps them after they end: days, forever, or default',
    argument: '<environment>',
    options: Object.fromEntries(
      retentionKinds.map(({ option }) => [option, { kind: 'text', value: '<days>' }] as const),
    ),
    run: async (context, { argument: environment, text }) => {
      const days = parseAll(text);
      const known = await listRetentions(context.db);
      if (!known.some((one) => one.environment === environment))
        throw new CommandFailure(
          `There is no environment ${JSON.stringify(environment)}. See: npm run admin -- environment list`,
        );
      const retention = await runCommandChange(context, (tx) => setRetention(tx, context.admin, environment, days));
      return { json: { retention }, lines: tableOf([retention]) };
    },
  },
];
