/**
 * Moves an environment to another installation, and opens one again whose move was given up. Used by the admin command.
 *
 * Why nothing is lost: a closed environment has a trigger on each of its tables that refuses what API processes write, also those
 * that have not heard of it. Making a trigger waits for the statements under way, so the snapshot that is copied has every change
 * that was accepted. Why nothing is done twice: no app is connected to a closed environment, and no worker takes its jobs,
 * whose fences have risen.
 */
import { recordAdminChange } from '../../../accounts/settings/adminChange.ts';
import { isRecutDueSql } from '../../../items/recutWords.ts';
import { isLockTimeout } from '../../../platform/db/errors.ts';
import type { Db, Tx } from '../../../platform/db/knex.ts';
import { readAuditHead, verifyAuditChain } from '../../../platform/journal/auditChain.ts';
import { sleep } from '../../../platform/time/clock.ts';
import { openBulkDb, runCommandChange, type CommandContext } from '../context.ts';
import { CommandFailure } from '../failures.ts';
import { copyEnvironment, read, readMovedTables } from './copy.ts';
import { heldMs, type EnvironmentKey } from './tables.ts';

interface StoredEnvironment extends EnvironmentKey {
  readonly closedAt: number | null;
  readonly movedTo: string | null;
}

const lookMs = 100;
/** Looks at what has to end first: a minute. Connections of apps whose process was killed end after half of it. */
const looksMax = 600;

const lockTries = 100;

/** Returns an environment. Throws CommandFailure for one that is unknown or has moved, but to `place`: whether it got there may be unknown. */
const findEnvironment = async (tx: Tx, name: string, place: string | null = null): Promise<StoredEnvironment> => {
  const [found] = await read<StoredEnvironment>(
    tx,
    'select id, name, closed_at as "closedAt", moved_to as "movedTo" from environments where name = ? for no key update',
    [name],
  );
  if (found === undefined) throw new CommandFailure(`There is no environment ${JSON.stringify(name)}.`);
  if (found.movedTo !== null && found.movedTo !== place)
    throw new CommandFailure(`The environment ${name} has moved to ${found.movedTo}.`);
  return found;
};

const record = ({ admin }: CommandContext, tx: Tx, verb: string, name: string): Promise<void> =>
  recordAdminChange(tx, admin, {
    verb,
    target: { type: 'environment', id: name },
    environments: [name],
    before: null,
    after: null,
  });

/** Runs a statement on a table that others use. While it waits for its lock they wait behind it, so it waits shortly and tries again. */
const lockShortly = async (db: Db, sql: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction(async (tx) => {
        await tx.raw("set local lock_timeout = '500ms'");
        await tx.raw(sql);
      });
      return;
    } catch (error) {
      if (!isLockTimeout(error) || tries === lockTries) throw error;
      await sleep(lookMs);
    }
  }
};

const refuseWrites = async (db: Db, id: number): Promise<void> => {
  for (const table of await db.transaction(readMovedTables))
    await lockShortly(
      db,
      `create or replace trigger closed_${String(id)} before insert or update on ${table} for each row
       when (new.env = ${String(id)} and current_setting('application_name') = 'console-api') execute function refuse_closed()`,
    );
};

const holdJobs = (db: Db, id: number): Promise<unknown> =>
  db.raw(
    `update staged_jobs set due_at = due_at + ${String(heldMs)}, enqueued_at = null, lease_until = null, fence = fence + 1
     where env = ? and due_at < ${String(heldMs)}`,
    [id],
  );

/** The work that has to end before the rows are copied: a sentence for people, and SQL that is true while the environment `$env` has such work. */
const unfinished: Readonly<Record<string, string>> = {
  'apps are connected': 'exists (select from app_connections where env = $env)',
  'jobs are staged': `exists (select from staged_jobs where env = $env and due_at < ${String(heldMs)})`,
  'messages are not published; see that a worker runs': 'exists (select from outbox where env = $env)',
  'texts are not indexed; see that a worker runs':
    '(select event from item_words_progress) < (select coalesce(max(id), 0) from events where env = $env)',
  'texts are being indexed again after an upgrade': isRecutDueSql.replaceAll(
    '$1',
    '(extract(epoch from now()) * 1000)::bigint',
  ),
};

const readUnfinished = async (tx: Tx, id: number): Promise<string[]> => {
  const columns = Object.entries(unfinished).map(
    ([what, sql]) => `case when ${sql.replaceAll('$env', String(id))} then '${what}' end`,
  );
  const [row] = await read<{ left: string[] }>(tx, `select array_remove(array[${columns.join(', ')}], null) as left`);
  return row?.left ?? [];
};

/** Runs `work` on a snapshot in which nothing of the closed environment is under way. */
const withSnapshot = async <T>(db: Db, id: number, work: (tx: Tx) => Promise<T>): Promise<T> => {
  for (let looks = 1; ; looks++) {
    await holdJobs(db, id);
    const result = await db.transaction(
      async (tx) => {
        const left = await readUnfinished(tx, id);
        if (left.length === 0) return { done: await work(tx) };
        if (looks === looksMax) throw new CommandFailure(`The environment stays closed; ${left.join(', ')}.`);
        return null;
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    if (result !== null) return result.done;
    await sleep(lookMs);
  }
};

/** Closes an environment, unless it is closed, and returns its number and since when it is. */
const close = async (context: CommandContext, name: string, place: string): Promise<{ id: number; since: number }> => {
  const closed = await runCommandChange(context, async (tx) => {
    const { id, closedAt } = await findEnvironment(tx, name, place);
    if (closedAt !== null) return { id, since: closedAt };
    await tx.raw('update environments set closed_at = ? where id = ?', [context.admin.at, id]);
    await record(context, tx, 'environment.close', name);
    return { id, since: context.admin.at };
  });
  await refuseWrites(context.bulk, closed.id);
  return closed;
};

/** Throws CommandFailure where the environment can't go from one database to the other. */
const requireRoom = async (from: Tx, to: Tx, { id, name }: EnvironmentKey): Promise<void> => {
  const [here] = await read<{ version: number; newest: number; archived: boolean }>(
    from,
    `select version, (select coalesce(max(id), 0) from events where env = ?) as newest,
       exists (select from archives where chains @> jsonb_build_array(jsonb_build_object('env', ?::int))) as archived
     from schema_version`,
    [id, id],
  );
  const [there] = await read<{ version: number; last: number; taken: boolean }>(
    to,
    `select version, (select last_value from events_id_seq) as last, exists (select from environments where id = ? or name = ?) as taken
     from schema_version`,
    [id, name],
  );
  if (here === undefined || here.version !== there?.version)
    throw new CommandFailure('The two have other schemas: bring both to the same release.');
  if (there.taken)
    throw new CommandFailure(
      'An environment there has the same name or number; docs/growing.md says how cells get numbers of their own.',
    );
  if (here.archived) throw new CommandFailure('Months of it are archived: restore them first (archive restore).');
  // The order of events is that of their ids.
  if (here.newest > there.last)
    throw new CommandFailure(
      'Its events have ids that are still to come there: an environment moves to a cell of a higher number (docs/growing.md).',
    );
};

/** Marks a closed environment as moved, before it is there: so it can never be opened at both. Throws CommandFailure if it was opened or moved meanwhile. */
const markMoved = async (db: Db, { id, since }: { id: number; since: number }, place: string): Promise<void> => {
  const [marked] = await read(
    db,
    'update environments set moved_to = ? where id = ? and closed_at = ? and coalesce(moved_to, ?) = ? returning id',
    [place, id, since, place, place],
  );
  if (marked === undefined) throw new CommandFailure('It was opened or moved meanwhile.');
};

/** Closes an environment, copies it into the database of another installation, and leaves it closed here. Returns the number of its rows there, by table. Once it has failed it may be called again. */
export const moveEnvironment = async (
  context: CommandContext,
  name: string,
  url: string,
): Promise<Record<string, number>> => {
  const { bulk, db } = context;
  const { host, pathname } = new URL(url);
  const place = host + pathname;
  const target = openBulkDb(url, 1);
  try {
    await bulk.transaction(async (from) => {
      const env = await findEnvironment(from, name, place);
      await target.transaction((to) => requireRoom(from, to, env));
    });
    const closed = await close(context, name, place);
    const { id } = closed;
    return await withSnapshot(bulk, id, (from) =>
      target.transaction(async (to) => {
        await requireRoom(from, to, { id, name });
        const counts = await copyEnvironment({ from, to, env: { id, name } });
        const head = await readAuditHead(from, id);
        const { problems } = await verifyAuditChain(to, id, head?.hash ?? null);
        if (problems.length > 0)
          throw new CommandFailure(['The audit log does not hold there.', ...problems].join('\n'));
        await record(context, to, 'environment.move', name);
        await markMoved(db, closed, place);
        return counts;
      }),
    );
  } finally {
    await target.destroy();
  }
};

/** Opens a closed environment again, whose move was given up. */
export const reopenEnvironment = async (context: CommandContext, name: string): Promise<void> => {
  const { bulk } = context;
  const id = await runCommandChange(context, async (tx) => {
    const found = await findEnvironment(tx, name);
    await tx.raw('update environments set closed_at = null where id = ?', [found.id]);
    await tx.raw(
      `update staged_jobs set due_at = due_at - ${String(heldMs)} where env = ? and due_at >= ${String(heldMs)}`,
      [found.id],
    );
    await record(context, tx, 'environment.open', name);
    return found.id;
  });
  for (const table of await bulk.transaction(readMovedTables))
    await lockShortly(bulk, `drop trigger if exists closed_${String(id)} on ${table}`);
};
