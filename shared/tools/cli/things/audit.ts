/** The `audit …` commands of the admin tool, about the chain of audit entries; used by run.ts. */
import { queryRows, statement } from '../../../platform/db/sql.ts';
import { readAuditHead, verifyAuditChain } from '../../../platform/journal/auditChain.ts';
import { type Command, type CommandArguments } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { keptHash, CommandFailure, UsageError } from '../failures.ts';
import { formatTable, formatTime } from '../print.ts';

const thing = 'audit';
const environmentsSql = statement('admin.audit.environments', 'select id, name from environments order by id');
const options = { environment: { kind: 'list', value: '<name>' } } as const;

interface ChainedEnvironment {
  readonly id: number;
  readonly name: string;
}

/** Returns the environments that are named, or all. Throws CommandFailure for a name that there is not. */
const chosenEnvironments = async (
  { db }: CommandContext,
  { list }: CommandArguments,
): Promise<readonly ChainedEnvironment[]> => {
  const all = await queryRows<ChainedEnvironment>(db, environmentsSql);
  const named = list('environment');
  const unknown = named?.find((name) => !all.some((environment) => environment.name === name));
  if (unknown !== undefined)
    throw new CommandFailure(
      `There is no environment ${JSON.stringify(unknown)}. See: npm run admin -- environment list`,
    );
  return named === undefined ? all : all.filter(({ name }) => named.includes(name));
};

export const auditCommands: readonly Command[] = [
  {
    thing,
    verb: 'head',
    about: 'prints the newest hash of the audit log’s chain; keep it elsewhere',
    argument: null,
    options,
    run: async (context, given) => {
      const heads = [];
      for (const { id, name } of await chosenEnvironments(context, given)) {
        const head = await readAuditHead(context.db, id);
        if (head !== undefined)
          heads.push({ environment: name, n: head.n, hash: head.hash.toString('hex'), event: head.last, at: head.at });
      }
      const rows = heads.map(({ environment, n, hash, at }) => [environment, String(n), hash, formatTime(at, 'never')]);
      return {
        json: { heads },
        lines: formatTable(['environment', 'range', 'hash', 'at'], rows, 'Nothing is chained yet.'),
      };
    },
  },
  {
    thing,
    verb: 'verify',
    about: 'checks that no entry of the audit log was changed, removed or slipped in; exit code 1 if one was',
    argument: null,
    options: { ...options, head: { kind: 'text', value: '<hash>' } },
    run: async (context, given) => {
      const kept = keptHash(given.text('head'));
      const chosen = await chosenEnvironments(context, given);
      if (kept !== null && chosen.length !== 1)
        throw new UsageError(
          `--head belongs to one environment; give --environment, one of ${chosen.map(({ name }) => name).join(', ')}.`,
        );
      const checked = [];
      for (const { id, name } of chosen)
        checked.push({ environment: name, ...(await verifyAuditChain(context.db, id, kept)) });
      const problems = checked.flatMap(({ environment, problems: found }) =>
        found.map((each) => `${environment}: ${each}`),
      );
      if (problems.length > 0) throw new CommandFailure(['The audit log does not hold.', ...problems].join('\n'));
      const unproven = checked.flatMap((each) =>
        each.unproven === null ? [] : [`${each.environment}: ${each.unproven}`],
      );
      if (unproven.length > 0)
        throw new CommandFailure(['What is here of the audit log holds.', ...unproven].join('\n'));
      const rows = checked.map(({ environment, ranges, entries, erased }) => [
        environment,
        String(ranges),
        String(entries),
        String(erased),
        'holds',
      ]);
      return {
        json: { environments: checked },
        lines: formatTable(['environment', 'ranges', 'entries', 'erased', ''], rows, 'There is no environment.'),
      };
    },
  },
];
