/** The `retention …` commands of the admin tool: for how long environments keep what is not kept for ever; used by run.ts. */
import { limits } from '../../../catalogue/limits.ts';
import { listRetentions, setRetention, type RetentionView } from '../../../settings/environments/retention.ts';
import type { Command } from '../command.ts';
import { runCommandChange } from '../context.ts';
import { CommandFailure, UsageError } from '../failures.ts';
import { formatTable } from '../print.ts';

const thing = 'retention';

/** Returns the days of a word: 0 for ever, null as the configuration says. Throws UsageError. */
const parseDays = (word: string): number | null => {
  if (word === 'default') return null;
  if (word === 'forever') return 0;
  const days = /^\d{1,6}$/.test(word) ? Number(word) : Number.NaN;
  if (days >= limits.retentionDaysMin && days <= limits.retentionDaysMax) return days;
  throw new UsageError(
    `--bulk-results must be ${String(limits.retentionDaysMin)} to ${String(limits.retentionDaysMax)} days, forever or default, not ${JSON.stringify(word)}.`,
  );
};

const formatDays = (days: number | null): string =>
  days === null ? 'as BULK_RESULTS_DAYS says' : days === 0 ? 'for ever' : `${String(days)} days`;

const tableOf = (retentions: readonly RetentionView[]): string[] =>
  formatTable(
    ['environment', 'results of bulks'],
    retentions.map(({ environment, bulkResults }) => [environment, formatDays(bulkResults)]),
    'There is no environment yet.',
  );

export const retentionCommands: readonly Command[] = [
  {
    thing,
    verb: 'list',
    about: 'lists for how long each environment keeps results of bulks; all else is kept for ever',
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
    about: 'sets for how long an environment keeps results of bulks: days, forever, or default (BULK_RESULTS_DAYS)',
    argument: '<environment>',
    options: { 'bulk-results': { kind: 'text', value: '<days>', required: true } },
    run: async (context, { argument: environment, text }) => {
      const bulkResults = parseDays(text('bulk-results') ?? '');
      const known = await listRetentions(context.db);
      if (!known.some((one) => one.environment === environment))
        throw new CommandFailure(
          `There is no environment ${JSON.stringify(environment)}. See: npm run admin -- environment list`,
        );
      const retention = await runCommandChange(context, (tx) =>
        setRetention(tx, context.admin, { environment, bulkResults }),
      );
      return { json: { retention }, lines: tableOf([retention]) };
    },
  },
];
