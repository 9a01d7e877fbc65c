/** Reads flags: one, a page, all for the app, and the history of one. Used by the endpoints and the app link. */
import type { Caller } from '../accounts/access/principal.ts';
import type { Environment } from '../app/manifest/definition.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import { replacedRamp } from '../approvals/model.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { rowId } from '../platform/ids.ts';
import { type LargeRow, cutLargePage, largeRowsSql, storedBytesSql } from '../platform/listing/page.ts';
import { requireVisibleFlag } from './changeFlag.ts';
import type { FlagDeps } from './flagCache.ts';
import { flagView, readFlagPage, readFlagRow, redactFlag, resolveFlag, type FlagView } from './model.ts';

type Reading = Pick<FlagDeps, 'db' | 'clock'>;

export const readFlag = async ({ db, clock }: Reading, caller: Caller, key: string): Promise<FlagView> => {
  const declared = requireVisibleFlag(caller, key);
  return redactFlag(
    flagView(resolveFlag(declared, await readFlagRow(db, caller.env.id, key)), clock.now()),
    caller.principal.access,
  );
};

const byKey = (a: ManifestFlag, b: ManifestFlag): number => (a.key < b.key ? -1 : 1);

/** Returns the first of the flags, which are in the order of their keys: all of them but where they are large, at least one. */
const readFirst = async (
  { db, clock }: Reading,
  env: Environment,
  declared: readonly ManifestFlag[],
): Promise<FlagView[]> => {
  const rows = await readFlagPage(
    db,
    env.id,
    declared.map(({ key }) => key),
  );
  const stored = new Map(rows.map((row) => [row.key, row]));
  const end = rows.at(-1);
  const first = end?.is_cut === true ? declared.filter(({ key }) => key <= end.key) : declared;
  return first.map((flag) => flagView(resolveFlag(flag, stored.get(flag.key)), clock.now()));
};

/** Returns a page of the flags that the role sees, by key, after `after`; a short one where they are large. */
export const listFlags = async (
  deps: Reading,
  { env, principal }: Caller,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ flags: FlagView[]; next: string | null }> => {
  const seen = [...env.definition.flags.values()]
    .filter(({ key }) => principal.access.sees('flag', key) && (after === null || key > after))
    .sort(byKey);
  const flags = await readFirst(deps, env, seen.slice(0, limit));
  return {
    flags: flags.map((flag) => redactFlag(flag, principal.access)),
    next: flags.length < seen.length ? (flags.at(-1)?.flag ?? null) : null,
  };
};

/** Flags that one statement reads for an app. */
const appPage = 100;
/** Bytes of flags in one answer to an app: well below a frame of the app link, which a single flag always fits into. */
const appBytes = 2 * 1024 * 1024;

/** Returns the flags of an environment after `after`, as the app evaluates them; `cursor`: the last key when more follow. */
export const readFlagsForApp = async (
  deps: Reading,
  env: Environment,
  after: string | null,
): Promise<{ flags: FlagView[]; cursor: string | null }> => {
  const declared = [...env.definition.flags.values()].filter(({ key }) => after === null || key > after).sort(byKey);
  const flags: FlagView[] = [];
  let bytes = 0;
  while (flags.length < declared.length) {
    for (const flag of await readFirst(deps, env, declared.slice(flags.length, flags.length + appPage))) {
      bytes += Buffer.byteLength(JSON.stringify(flag));
      if (bytes > appBytes && flags.length > 0) return { flags, cursor: flags.at(-1)?.flag ?? null };
      flags.push(flag);
    }
  }
  return { flags, cursor: null };
};

interface HistoryRow extends LargeRow {
  readonly id: number;
  readonly at: number;
  readonly actor_type: string;
  readonly actor: string | null;
  readonly actor_name: string;
  readonly data: { readonly type: string; readonly approvedBy?: object | null; readonly reason?: string | null };
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

const flagHistorySql = statement(
  'flags.history',
  largeRowsSql({
    as: 'e',
    columns: 'e.id, e.at, e.actor_type, e.actor, e.actor_name, e.data, e.before, e.after',
    rows: `
      select id, at, actor_type, actor, actor_name, data, before, after from events
      where env = $1 and target = $2 and verb is not null and target_type = 'flag' and outcome = 'ok' and id < $3
      order by id desc limit $4`,
    bytes: storedBytesSql('e.before', 'e.after'),
    order: 'e.id desc',
  }),
);

/** Returns a page of the history of a flag, newest first: entries older than `before`; a short one where they are large. */
export const readFlagHistory = async (
  db: Db,
  { env, principal: { access } }: Caller,
  key: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ entries: object[]; next: number | null }> => {
  const found = await queryRows<HistoryRow>(db, flagHistorySql, [
    env.id,
    key,
    before ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  ]);
  const { page, last } = cutLargePage(found, limit);
  const resource = env.definition.flags.get(key)?.resource;
  return {
    entries: page.map(
      ({
        id,
        at,
        actor_type: type,
        actor,
        actor_name: name,
        data,
        before: was,
        after: { approvedBy: _, reason: __, ...is },
      }) => ({
        id: rowId('aud', at, id),
        at,
        by: { type, id: actor, name },
        type: data.type,
        replaced: data.type === 'change' ? replacedRamp(redactFlag(was, access, resource), is) : null,
        before: redactFlag(was, access, resource),
        after: redactFlag(is, access, resource),
        approvedBy: data.approvedBy ?? null,
        // The reason of a guard names its inbox.
        reason:
          data.type === 'change' || redactFlag({ ramp: was['ramp'] }, access).ramp === was['ramp']
            ? (data.reason ?? null)
            : null,
      }),
    ),
    next: last?.id ?? null,
  };
};
