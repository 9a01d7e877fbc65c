/** The `archive …` commands of the admin tool: past months of timelines and audit log as files; used by run.ts. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { recordAdminChange } from '../../../accounts/settings/adminChange.ts';
import { listUnreaching } from '../../../erasure/model.ts';
import { describeOther, findOrigin } from '../../../platform/archive/origin.ts';
import {
  ArchiveProblem,
  listArchives,
  listEventParts,
  readEventIds,
  type Archive,
  type EventPart,
} from '../../../platform/archive/parts.ts';
import { hashFile } from '../../../platform/archive/read.ts';
import { restoreArchive } from '../../../platform/archive/restore.ts';
import { checkArchive } from '../../../platform/archive/verify.ts';
import { archivePart } from '../../../platform/archive/write.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import type { Command, CommandArguments, CommandResult } from '../command.ts';
import { announceChange, type CommandContext } from '../context.ts';
import { keptHash, CommandFailure, UsageError } from '../failures.ts';
import { formatTable, formatTime } from '../print.ts';

const thing = 'archive';

/** Days whose events stay in the database: independent approval looks at those of 30. */
const keptDays = 31;
const dayMs = 86_400_000;

const requireDate = (given: CommandArguments, now: number): number => {
  const text = given.text('before') ?? '';
  const before = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(before)) throw new UsageError('--before must be a date: 2026-01-01.');
  const latest = now - keptDays * dayMs;
  if (before > latest)
    throw new UsageError(
      `--before must be ${new Date(latest).toISOString().slice(0, 10)} or earlier: the last ${String(keptDays)} days are needed where they are.`,
    );
  return before;
};

const asFailure = (error: unknown): never => {
  throw error instanceof ArchiveProblem ? new CommandFailure(error.message) : error;
};

const namesOf = (parts: readonly { readonly name: string }[]): string => parts.map(({ name }) => name).join(', ');

/** Returns a failure that also says what the command has done before. */
const failureAfter = (message: string, written: readonly Archive[]): CommandFailure =>
  new CommandFailure(
    written.length === 0 ? message : `${message}\nArchived before that: ${namesOf(written)} (archive list).`,
  );

const recordArchive =
  ({ admin }: CommandContext, verb: string) =>
  (tx: Tx, { name, events, sha256 }: Archive): Promise<void> =>
    recordAdminChange(tx, admin, {
      verb,
      target: { type: 'archive', id: name },
      environments: ['*'],
      before: null,
      after: { events, sha256 },
    });

const archiveRows = (archives: readonly Archive[]): string[][] =>
  archives.map(({ name, events, bytes, first_at: first, last_at: last, file }) => [
    name,
    String(events),
    String(bytes),
    formatTime(first, ''),
    formatTime(last, ''),
    file,
  ]);

const tableOf = (archives: readonly Archive[], empty: string): string[] =>
  formatTable(['month', 'events', 'bytes', 'first', 'last', 'file'], archiveRows(archives), empty);

interface PartsBefore {
  /** Parts that nothing is written to any more. */
  readonly closed: readonly EventPart[];
  /** Parts that the ids of new entries may still be of, as they have not begun at this month's yet. */
  readonly open: readonly EventPart[];
}

/** Returns the parts that are wholly before a time. */
const partsBefore = async ({ bulk }: CommandContext, before: number): Promise<PartsBefore> => {
  const { id, starts } = await readEventIds(bulk, before);
  const parts = (await listEventParts(bulk)).filter(({ ends }) => ends <= starts);
  return { closed: parts.filter(({ ends }) => ends <= id), open: parts.filter(({ ends }) => ends > id) };
};

const openMessage = (open: readonly EventPart[]): string =>
  `${namesOf(open)} can’t be archived yet: new entries are still written there, until the workers begin the part of this month. They do so within a minute of their start; see that they run, and try again in a minute.`;

const write = async (context: CommandContext, given: CommandArguments): Promise<CommandResult> => {
  const now = context.admin.at;
  const before = requireDate(given, now);
  const folder = resolve(given.text('to') ?? '');
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new CommandFailure(`${folder} can’t be made: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { closed, open } = await partsBefore(context, before);
  const written: Archive[] = [];
  const left: { readonly name: string; readonly laterAt: number }[] = [];
  for (const part of closed) {
    const { name } = part;
    const record = recordArchive(context, 'archive.create');
    const { archive, laterAt } = await archivePart({ db: context.bulk, part, folder, now, before, record }).catch(
      (error: unknown) => {
        throw error instanceof ArchiveProblem ? failureAfter(`${name}: ${error.message}`, written) : error;
      },
    );
    if (laterAt !== null) left.push({ name, laterAt });
    if (archive === null) continue;
    written.push(archive);
    await announceChange(context);
  }
  if (open.length > 0) throw failureAfter(openMessage(open), written);
  const leftLines = left.map(
    ({ name, laterAt }) =>
      `${name} is left: its last entry is of ${formatTime(laterAt, '')}, as it was written to until the workers began the next part.`,
  );
  const none = left.length === 0 ? 'No whole month is before that date, or they are archived.' : null;
  return {
    json: { archives: written, left },
    lines: [...(written.length === 0 && none === null ? [] : tableOf(written, none ?? '')), ...leftLines],
  };
};

/** What `verify` says of a file that holds. */
const holds = {
  archived: 'holds',
  inDatabase: 'holds; its month is in the database too',
  foreign: 'holds, but is not of this database',
} as const;

export const archiveCommands: readonly Command[] = [
  {
    thing,
    verb: '',
    about:
      'writes the whole months before a date to files of a folder, proves these, and takes the months out of the database',
    argument: null,
    options: {
      before: { kind: 'text', value: '<date>', required: true },
      to: { kind: 'text', value: '<folder>', required: true },
    },
    run: write,
  },
  {
    thing,
    verb: 'list',
    about: 'lists what is archived, and where it was written to',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const archives = await listArchives(db);
      return { json: { archives }, lines: tableOf(archives, 'Nothing is archived.') };
    },
  },
  {
    thing,
    verb: 'verify',
    about: 'proves that a file is whole and as it was written, and the one that was archived; exit code 1 if it is not',
    argument: '<file>',
    options: { head: { kind: 'text', value: '<hash>' } },
    run: async ({ bulk }, { argument, text }) => {
      const path = resolve(argument);
      const kept = keptHash(text('head'));
      const check = await checkArchive(bulk, path, kept).catch(asFailure);
      const { header, ranges, entries, erased, problems } = check;
      if (problems.length > 0) throw new CommandFailure([`${path} does not hold.`, ...problems].join('\n'));
      const sha256 = await hashFile(path).catch(asFailure);
      const origin = await findOrigin(bulk, path, sha256, check);
      if (origin.of === 'other') throw new CommandFailure(describeOther(path, sha256, header, origin));
      const found = { month: header.name, events: header.events, ranges, entries, erased, of: origin.of };
      const row = [header.name, header.events, ranges, entries, erased].map(String);
      return {
        json: found,
        lines: formatTable(['month', 'events', 'ranges', 'entries', 'erased', ''], [[...row, holds[origin.of]]], ''),
      };
    },
  },
  {
    thing,
    verb: 'restore',
    about: 'puts the month of a file back into the database; the file stays',
    argument: '<file>',
    options: {},
    run: async (context, { argument }) => {
      const note = recordArchive(context, 'archive.restore');
      let unreaching: Awaited<ReturnType<typeof listUnreaching>> = [];
      const record = async (tx: Tx, archive: Archive): Promise<void> => {
        unreaching = await listUnreaching(tx, archive.name);
        await note(tx, archive);
      };
      const archive = await restoreArchive({ db: context.bulk, path: resolve(argument), record }).catch(asFailure);
      await announceChange(context);
      const rows = unreaching.map(({ id, environment, resource, record: of }) => [id, environment, resource, of]);
      return {
        json: { archive, erasures: unreaching },
        lines: [
          `${archive.name} is back, with ${String(archive.events)} events.`,
          ...(rows.length === 0
            ? []
            : [
                'These erasures did not reach it. Delete its file and every copy, and erase again before you archive it:',
                ...formatTable(['erasure', 'environment', 'resource', 'record'], rows, ''),
              ]),
        ],
      };
    },
  },
];
