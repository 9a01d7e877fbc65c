/** The `job …` commands of the admin tool: lists, retries or discards, by selection, what was given up; used by run.ts. */
import { queryRow, statement } from '../../../platform/db/sql.ts';
import { jobKinds } from '../../../views/jobs/schema.ts';
import {
  changeSelectedJobs,
  countSelectedJobs,
  discardableKinds,
  selectJobs,
  type JobSelection,
  type SelectedChange,
} from '../../../views/jobs/selected.ts';
import type { Command, CommandArguments } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CommandFailure, UsageError } from '../failures.ts';
import { formatTable, formatTime } from '../print.ts';

const environmentSql = statement('admin.jobs.environment', 'select id from environments where name = $1');

const readTime = ({ text }: CommandArguments, option: string): number | undefined => {
  const given = text(option);
  if (given === undefined) return undefined;
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw new UsageError(`--${option} must be a time: 2026-01-31T09:00:00Z.`);
  return at;
};

const readSelection = (given: CommandArguments, change: SelectedChange | null): JobSelection => {
  const kinds = change === 'discard' ? discardableKinds : jobKinds;
  const named = given.text('kind');
  const kind = kinds.find((one) => one === named);
  if (named !== undefined && kind === undefined) throw new UsageError(`--kind must be one of ${kinds.join(', ')}.`);
  return { kind, error: given.text('error'), since: readTime(given, 'since'), until: readTime(given, 'until') };
};

const selectionOptions: Command['options'] = {
  kind: { kind: 'text', value: '<kind>' },
  error: { kind: 'text', value: '<part of it>' },
  since: { kind: 'text', value: '<time>' },
  until: { kind: 'text', value: '<time>' },
};

const readWanted = async <C extends SelectedChange | null>(
  { db }: CommandContext,
  given: CommandArguments,
  change: C,
) => {
  const environment = await queryRow<{ id: number }>(db, environmentSql, [given.argument]);
  if (environment === undefined)
    throw new CommandFailure(
      `There is no environment ${JSON.stringify(given.argument)}. See: npm run admin -- environment list`,
    );
  return { envId: environment.id, selection: readSelection(given, change), change, sees: () => true };
};

const list: Command = {
  thing: 'job',
  verb: 'list',
  about: 'lists the oldest thousand jobs that were given up, by kind, error and time',
  argument: '<environment>',
  options: selectionOptions,
  run: async (context, given) => {
    const { value } = await selectJobs(context.db, await readWanted(context, given, null)).next();
    const jobs = (value ?? []).map(({ id, name, created_at: createdAt, last_error: error }) => ({
      id,
      kind: name,
      createdAt,
      error,
    }));
    const rows = jobs.map(({ id, kind, createdAt, error }) => [id, kind, formatTime(createdAt, ''), error ?? '']);
    return { json: { jobs }, lines: formatTable(['job', 'kind', 'since', 'error'], rows, 'None fits.') };
  },
};

const command = (change: SelectedChange, about: string): Command => ({
  thing: 'job',
  verb: change,
  about,
  argument: '<environment>',
  options: { ...selectionOptions, 'dry-run': { kind: 'flag' } },
  run: async (context, given) => {
    const { db, bus, admin } = context;
    const wanted = await readWanted(context, given, change);
    if (given.flag('dry-run')) {
      const { changed: fit, left } = await countSelectedJobs(db, wanted);
      return { json: { fit, left }, lines: [`${String(fit)} jobs fit${left ? ', and more' : ''}.`] };
    }
    const { by, role, requestId, address, at } = admin;
    const done = await changeSelectedJobs({ db, bus, actor: { ...by, role, requestId, address }, at }, wanted);
    const more = done.left ? ' More are left: run it again.' : '';
    return { json: done, lines: [`${String(done.changed)} jobs: ${change}.${more}`] };
  },
});

export const jobCommands: readonly Command[] = [
  list,
  command('retry', 'tries jobs again that were given up, by kind, error and time'),
  command('discard', 'deletes replies and triages that were given up, by kind, error and time'),
];
